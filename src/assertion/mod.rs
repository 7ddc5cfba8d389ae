//! Assertions: files, sets, the engine and the built-in checks.
//!
//! Owns how a contract is judged. Refuses to own printing, files of results, and the wire.
//! Invariant: judging is pure; the same contract gives the same scorecard for ever.

mod check;
mod subject;

pub use check::{Builtin, Look, View, builtin, finding};
pub use subject::{Each, Of, Subject};
