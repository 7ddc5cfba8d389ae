//! One request with its answer.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Tool;
use crate::capture::Step;
use crate::wire::Revision;

/// A client request with what came back. Payloads are shared: equal ones are held once.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Sequence number of the request.
    pub seq: u64,
    /// Sequence number of the answer, when there is one.
    pub answer_seq: Option<u64>,
    /// Session number.
    pub session: u32,
    /// Flow and case.
    pub step: Option<Arc<Step>>,
    /// Method name.
    pub method: Arc<str>,
    /// The request's `params` (JSON null when absent).
    pub params: Arc<Value>,
    /// What came back.
    pub answer: Answer,
    /// Microseconds from the request to the answer, or to the end of waiting.
    pub waited_us: u64,
    /// Microseconds from the request to `notifications/cancelled` for it, when one was sent.
    pub cancelled_us: Option<u64>,
    /// Sequence numbers of notifications that arrived between request and answer.
    pub notifications: Vec<u64>,
    /// HTTP exchange number within the session, over streamable HTTP.
    pub http: Option<u64>,
}

/// What came back for a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A result.
    Result(Arc<Value>),
    /// A JSON-RPC error.
    Error(Arc<RpcError>),
    /// Nothing, though the session went on.
    Unanswered,
    /// Nothing: the session ended by the target's doing while the request was open.
    Died,
    /// Nothing: the capture ends there.
    Truncated,
}

/// The error member of a JSON-RPC error response.
#[derive(Debug, Clone, PartialEq)]
pub struct RpcError {
    /// `code`, when it is an integer.
    pub code: Option<i64>,
    /// `message`, empty when absent.
    pub message: String,
    /// `data`, JSON null when absent.
    pub data: Value,
    /// The member as it was, of any type.
    pub whole: Value,
}

impl RpcError {
    /// Reads the error member, whatever it is.
    pub fn from_value(whole: Value) -> RpcError {
        RpcError {
            code: whole.get("code").and_then(Value::as_i64),
            message: whole.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            data: whole.get("data").cloned().unwrap_or_default(),
            whole,
        }
    }
}

impl Exchange {
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

    /// The tool that is called, for `tools/call`.
    pub fn called(&self) -> Option<&str> {
        if &*self.method != "tools/call" {
            return None;
        }
        self.params.get("name")?.as_str()
    }

    /// The revision in the request's own `_meta` (2026-07-28 on), when it is a known one.
    pub fn stated_revision(&self) -> Option<Revision> {
        let meta = self.params.get("_meta")?;
        meta.get("io.modelcontextprotocol/protocolVersion")?.as_str()?.parse().ok()
    }

    /// Request and answer sequence numbers, as evidence.
    pub fn seqs(&self) -> Vec<u64> {
        std::iter::once(self.seq).chain(self.answer_seq).collect()
    }
}

/// A `tools/call` exchange, looked at as a call.
#[derive(Debug, Clone, Copy)]
pub struct CallView<'a> {
    /// The exchange.
    pub exchange: &'a Exchange,
    /// `params.name`, empty when it is not a string.
    pub name: &'a str,
    /// The listed tool of that name.
    pub tool: Option<&'a Tool>,
    /// `params.arguments` when it is an object; absent arguments read as an empty object.
    pub arguments: Option<&'a Map<String, Value>>,
}

impl<'a> CallView<'a> {
    /// The tool result, when the answer is a result.
    pub fn result(&self) -> Option<&'a Value> {
        self.exchange.result()
    }

    /// Whether the answer is a result with `isError: true`.
    pub fn is_error_result(&self) -> bool {
        self.result().is_some_and(|result| result.get("isError") == Some(&Value::Bool(true)))
    }

    /// Whether the answer is a complete result that is not flagged as an error.
    pub fn is_success(&self) -> bool {
        self.result().is_some_and(|result| {
            result.get("isError") != Some(&Value::Bool(true))
                && result.get("resultType").is_none_or(|kind| kind == "complete")
        })
    }

    /// `structuredContent` of the result.
    pub fn structured(&self) -> Option<&'a Value> {
        self.result().and_then(|result| result.get("structuredContent"))
    }
}
