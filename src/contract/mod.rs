//! The contract: the typed view that is read out of a capture.
//!
//! Owns identity, lists, tools, exchanges, observed results, the capability summary and the error
//! envelopes with their dialects. Refuses to own verdicts. Invariant: built from events alone, in
//! one pass, and memory grows with the distinct payloads seen, not with the length of the capture.

mod builder;
mod envelope;
mod exchange;
mod index;
mod model;
mod stream;
mod summary;

pub use builder::Builder;
pub use envelope::{Dialect, Envelope, EnvelopeCarrier, Part};
pub use exchange::{Answer, CallView, Exchange, RpcError};
pub use index::Index;
pub use model::{
    Carrier, CarrierKind, Contract, Identity, ListPage, ListWalk, Prompt, Resource, Session,
    Summary, Template, Tool,
};
pub use stream::{FrameFault, FrameFaultKind, Garbage, HttpExchange, HttpHead, Stray, StrayKind};
pub use summary::{is_askable, may_carry_summary, named_surfaces, names_summary};
