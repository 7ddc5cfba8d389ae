//! The kill matrix: what proves that checks can fail.
//!
//! Owns applying every mutant on the wire between a target and the recorder, and saying which
//! checks it turned to `fail`. Refuses to own what a mutant or a check is (their files say that).
//! Invariant: a mutant counts as killed by what was judged from a capture, never by what it was
//! meant to do.

mod ground;
mod matrix;
mod render;
mod trial;

pub use ground::{Ground, HttpServer};
pub use matrix::{Fate, Matrix, Row, selftest};
pub use render::{markdown, terminal};
