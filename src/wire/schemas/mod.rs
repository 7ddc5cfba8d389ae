//! Message schemas of our own: what a server message of each revision must look like.
//!
//! Two data files, one a revision family, over one file of shared records. They state the facts
//! of the published specification; a test holds them against the official schemas message by
//! message. Owns the shapes of messages and the words for what breaks them. Refuses to own
//! judgement: which fault counts, and against whom, is decided by the checks.
//! Invariant: nothing is fetched; every schema is compiled at most once in a process.

mod describe;
mod load;
mod messages;

pub use describe::SchemaFault;
pub use messages::{Messages, UnknownMethod};

#[cfg(test)]
mod tests;
