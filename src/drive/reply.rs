//! What came of a request.

use std::fmt;

use serde_json::Value;

use crate::contract::{Answer, RpcError};
use crate::target::Ending;

/// What came of a request, as it was on the wire (not redacted).
#[derive(Debug, Clone)]
pub struct Reply {
    /// Sequence number of the request; when the session was over before it could be sent, that of
    /// the frame that ended it.
    pub seq: u64,
    /// Sequence number of the answer.
    pub answer_seq: Option<u64>,
    /// The answer; never `Truncated`.
    pub answer: Answer,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// Why there is no answer, in words.
    pub detail: Option<String>,
    /// Whether nothing at all came while it was waited for: no answer, no other message, no status.
    pub silent: bool,
}

impl Reply {
    /// The result, when there is one.
    pub fn result(&self) -> Option<&Value> {
        match &self.answer {
            Answer::Result(result) => Some(result),
            _ => None,
        }
    }

    /// The JSON-RPC error, when there is one.
    pub fn error(&self) -> Option<&RpcError> {
        match &self.answer {
            Answer::Error(error) => Some(error),
            _ => None,
        }
    }

    /// Whether the session ended instead of an answer.
    pub fn is_dead(&self) -> bool {
        matches!(self.answer, Answer::Died)
    }

    /// Whether there was an answer of either kind.
    pub fn is_answered(&self) -> bool {
        self.answer_seq.is_some()
    }
}

/// What came back after a line that is no proper request.
#[derive(Debug, Clone, Default)]
pub struct RawReply {
    /// Sequence number of the line.
    pub seq: u64,
    /// What arrived until the first response or the end of the wait: sequence number and message
    /// (JSON null when it is not JSON).
    pub arrived: Vec<(u64, Value)>,
    /// Whether the session ended.
    pub died: bool,
}

/// How a session ended without having been asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// Sequence number of the last frame that was sent before: the one that is to blame, if any is.
    pub seq: u64,
    /// Its method, or what it was.
    pub frame: String,
    /// How the link ended.
    pub ending: Ending,
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; the last frame sent was {} (seq {})", self.ending, self.frame, self.seq)
    }
}

/// A notification from the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Notification {
    /// Sequence number.
    pub seq: u64,
    /// Method.
    pub method: String,
    /// `params` (null when absent).
    pub params: Value,
}
