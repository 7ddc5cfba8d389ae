//! The capture: everything that crossed the wire, one event a line.
//!
//! Owns the event model, writing, reading and redaction. Refuses to own the meaning of a message.
//! Invariant: what is written is redacted already, and an event that was written is never changed.

mod event;
mod field;
mod harmless;
mod header;
mod memory;
mod readable;
mod reader;
mod redact;
mod step;
mod writer;

pub use event::{Direction, Event, Kind, Lifecycle, Transport};
pub use field::{FieldError, convert_field};
pub use harmless::harmless_json;
pub use header::{
    Counts, End, EndCause, ExpectedCase, FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header,
    Permissions, ScenarioFacts, SetFacts, TargetFacts, Withheld, WithheldKind,
};
pub use memory::Memory;
pub(crate) use readable::is_readable;
pub use reader::{LINE_LIMIT, ReadError, Reading, read_events};
pub use redact::{Redactor, looks_secret};
pub use step::{Flow, Role, Step};
pub use writer::{Observer, Place, Recorder};
