//! Building a contract out of events, in one pass.
//!
//! Owns pairing requests with answers, walks of native lists, and what is left over. Refuses to
//! own any opinion about it. Invariant: an event is looked at once, and equal payloads are parsed
//! once and held once.

mod assemble;
mod build;
mod intern;
mod lists;
mod session;
#[cfg(test)]
mod tests;

pub use build::Builder;
