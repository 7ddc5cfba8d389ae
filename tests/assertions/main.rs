//! Every check of A1 to A10 is seen failing on the reference server: its mutant turns it to `fail`,
//! and the server as it is has no finding.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;
mod mutants;
mod reference;
mod remembering;
mod scaling;
