//! Sessions against real child processes and a loopback HTTP server, well-behaved and hostile.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod capture;
mod common;
mod faults;
mod hostile;
mod http;
mod stdio;
