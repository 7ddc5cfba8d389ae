//! The driver against targets inside the test: what is sent, what never is, and that every run ends.

mod bounds;
#[path = "../common/mod.rs"]
mod common;
mod fake;
mod flows;
mod hang;
mod keys;
mod policy;
mod support;
