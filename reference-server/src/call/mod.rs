//! A tool call between wire and domain: arguments checked, operation run, repair derived.
//!
//! Owns `invalid_field` for whatever breaks a published schema. Every other failure is the domain's. One invariant:
//! an operation only ever sees arguments that the published schema accepts.

mod correct;
mod dispatch;
mod validate;

pub use dispatch::Tools;
