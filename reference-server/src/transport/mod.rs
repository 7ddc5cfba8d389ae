//! The wire, on both transports, around the official SDK.
//!
//! Owns framing, and a thin filter in front of and behind the SDK that puts right what it leaves open: malformed
//! messages get their JSON-RPC error, every result names the server, each era gets its own members and no others.
//! Knows nothing of tools or issues. One invariant: every request gets exactly one answer, and nothing but messages
//! is ever written.

mod filter;
mod http;
mod stdio;

pub use http::serve_http;
pub use stdio::{Input, Output, serve_stdio, standard_input, standard_output};
