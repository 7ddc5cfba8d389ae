//! The engine over captures of the reference server: it may remember, and it scales.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;
mod reference;
mod remembering;
mod scaling;
