//! What came from the server and answers no request.

/// One such thing.
#[derive(Debug, Clone)]
pub struct Stray {
    /// Sequence number.
    pub seq: u64,
    /// Session number.
    pub session: u32,
    /// What it is.
    pub kind: StrayKind,
    /// The line or message, cut to 300 characters.
    pub excerpt: String,
}

/// Kinds of strays.
#[derive(Debug, Clone, PartialEq)]
pub enum StrayKind {
    /// A line that is not JSON.
    NotJson,
    /// A line of white space only, or one that begins with a byte-order mark.
    Blank,
    /// JSON, but no JSON-RPC message.
    NotMessage,
    /// A response whose id belongs to no open request; `near` is the open request whose id equals
    /// it but for its type (a string instead of a number), when there is one.
    UnknownId {
        /// Sequence number of that request.
        near: Option<u64>,
    },
    /// A second response to a request.
    Repeated {
        /// Sequence number of the request.
        request: u64,
    },
    /// A response without an id (or with a null one).
    NoId,
    /// A request from the server.
    Request {
        /// Its method.
        method: String,
    },
    /// A notification from the server.
    Notification {
        /// Its method.
        method: String,
    },
}
