//! Facts of the protocol as data: revisions, message shapes, error codes.
//!
//! Owns what the MCP and JSON-RPC specifications say. Refuses to own transport, storage and
//! judgement. Invariant: nothing here has state or touches the outside world.

mod codes;
mod frame;
mod message;
mod pointer;
mod revision;
mod schemas;
mod strict;

pub use codes::{Band, band, code};
pub use frame::{Frame, Line};
pub use message::{Shape, key_of_list, shape_of};
pub use pointer::{join_pointer, push_token};
pub use revision::{Revision, offers_only_stateless};
pub use schemas::{Messages, SchemaFault, UnknownMethod};
pub use strict::{Parsed, parse_value};
