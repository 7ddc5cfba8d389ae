//! The contract `github-issues` as data: tools, resources, error catalog, capability summary, fingerprint.
//!
//! Owns every name, schema and sentence that a caller reads before its first call. Knows nothing of transports,
//! requests or stored issues. One invariant: what is published here is all there is, and the fingerprint covers it.

pub mod catalog;
pub mod fingerprint;
mod identity;
mod parameters;
mod reading;
pub mod resources;
mod shapes;
pub mod summary;
pub mod surface;
pub mod tools;
mod writing;

pub use identity::{NAME, NAMESPACE, REVISIONS, TITLE, VERSION, server_info};
