//! The bundled reference servers of `mcp-hallmark`: what a contract looks like when every rule is kept.
//!
//! A call travels through these modules in order: `transport` (bytes to messages, around the official SDK),
//! `handler` (protocol methods), `call`, `read` and `complete` (arguments checked), `domain` (issues); what fails
//! comes back through `envelope`. `contract` is the published surface that all of them keep.

#![warn(clippy::unwrap_used)]

mod call;
mod complete;
mod contract;
pub mod domain;
mod envelope;
mod handler;
mod malformed;
mod options;
mod read;
mod serve;
mod store;
mod transport;

pub use domain::Credential;
pub use options::{Contract, ServeError, ServeOptions, UnknownContract};
pub use serve::{Serving, serve, serve_streams};
