//! Targets: raw frames to and from a stdio child or a streamable HTTP endpoint.
//!
//! Owns processes, connections, and limits on time and size. Refuses to own JSON-RPC, recording and
//! judgement. Invariant: whatever a target does, every wait ends by a deadline and every buffer by
//! a limit, and nothing that a child started outlives the link: its process group nowhere, and on
//! Linux what has left the group neither.

mod descendants;
mod environment;
mod http;
mod http_exchange;
mod link;
mod spec;
mod stdio;

pub use descendants::adopt_orphans;
pub use environment::{inherited_environment, teach_secrets};
pub use http::HttpLink;
pub use link::{Ending, Incoming, Link, LinkError, RequestHead, Routing};
pub use spec::{Limits, TargetSpec};
pub use stdio::StdioLink;
