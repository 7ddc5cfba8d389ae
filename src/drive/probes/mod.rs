//! Probes: sequences of calls from which the judge can read a promise kept or broken.
//!
//! Owns which calls are sent, and in which role. Refuses to own what they mean. Invariant: a probe
//! starts from arguments that worked, and changes one thing.

mod defaults;
mod detail;
mod pages;
mod protocol;
mod refusals;
mod state;

pub(super) use defaults::defaults;
pub(super) use detail::detail;
pub(super) use pages::pages;
pub(super) use protocol::protocol;
pub(super) use state::{idempotency, read_only};
