//! What a capture holds beside requests and answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::RpcError;
use crate::capture::Step;

/// Something from the server that answers no request.
#[derive(Debug, Clone)]
pub struct Stray {
    /// Sequence number.
    pub seq: u64,
    /// Session number.
    pub session: u32,
    /// What it is.
    pub kind: StrayKind,
    /// The line or message, cut to 300 characters.
    pub excerpt: Arc<str>,
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
    NoId {
        /// The error that it carries; `None` when it carries a result.
        error: Option<Arc<RpcError>>,
    },
    /// A request from the server.
    Request {
        /// Its method.
        method: String,
        /// Its `params` (JSON null when absent), shared like every payload.
        params: Arc<Value>,
    },
    /// A notification from the server.
    Notification {
        /// Its method.
        method: String,
        /// Its `params` (JSON null when absent), shared like every payload.
        params: Arc<Value>,
    },
}

/// A fault of the frame of a server message: what the typed view of its content would hide.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameFault {
    /// Sequence number of the message.
    pub seq: u64,
    /// Session number.
    pub session: u32,
    /// What is wrong.
    pub kind: FrameFaultKind,
}

/// Kinds of frame faults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrameFaultKind {
    /// `jsonrpc` is not the string `2.0`: its JSON text, or nothing when it is absent.
    Version(Option<String>),
    /// Both `result` and `error`.
    ResultAndError,
    /// A member that JSON-RPC does not know.
    UnknownMember(String),
    /// A key that occurs twice in one object, as a JSON pointer into the message.
    RepeatedKey(String),
    /// Bytes that are not UTF-8.
    NotUtf8,
    /// A part that cannot be read as JSON values, such as absurd nesting: the reason. The exchange
    /// counts as unanswered.
    Unreadable(String),
    /// A batch in a revision that has none.
    Batch,
}

/// A line that hallmark sent and that is no JSON-RPC message.
#[derive(Debug, Clone)]
pub struct Garbage {
    /// Sequence number.
    pub seq: u64,
    /// Session number.
    pub session: u32,
    /// Flow and case.
    pub step: Option<Arc<Step>>,
    /// The line, cut to 300 characters.
    pub excerpt: Arc<str>,
}

/// One HTTP request with its response head.
#[derive(Debug, Clone)]
pub struct HttpExchange {
    /// Number within the session; [`Exchange::http`](super::Exchange::http) refers to it.
    pub number: u64,
    /// Session number.
    pub session: u32,
    /// Flow and case.
    pub step: Option<Arc<Step>>,
    /// The request.
    pub request: HttpHead,
    /// Response heads, in order (none when the connection broke).
    pub responses: Vec<HttpHead>,
}

/// The head of an HTTP request or response.
#[derive(Debug, Clone)]
pub struct HttpHead {
    /// Sequence number.
    pub seq: u64,
    /// Method of a request, empty on a response.
    pub method: Arc<str>,
    /// Status of a response.
    pub status: Option<u16>,
    /// Headers as captured: lower-case names, allow-listed.
    pub headers: Arc<BTreeMap<String, String>>,
}
