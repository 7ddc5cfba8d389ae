//! Sessions against real child processes and a loopback HTTP server, well-behaved and hostile.

mod capture;
mod child;
mod common;
mod endpoint;
mod faults;
mod hostile;
mod http;
mod stdio;
