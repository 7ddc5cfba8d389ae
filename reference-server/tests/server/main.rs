//! The server from outside, byte by byte: what a client sees on the wire.

mod client;
mod errors;
mod http;
mod schema;
#[cfg(unix)]
mod signals;
mod state;
mod surface;
mod wire;
