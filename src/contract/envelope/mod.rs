//! Error envelopes and their dialects.
//!
//! Owns how the failures of different families of servers are read as one vocabulary. Refuses to
//! own whether an envelope is good. Invariant: a part that was not on the wire is absent, never
//! invented.

mod agent_facing;
mod dialect;
mod model;
mod text;
mod ts_core;

pub use dialect::{Dialect, EnvelopeCarrier};
pub use model::{Envelope, Part};
