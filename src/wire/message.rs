//! The shape of one JSON-RPC message.

use serde_json::Value;

/// What a JSON value is, read as a JSON-RPC 2.0 message. Lenient about everything but the
/// members that decide the kind, so that a faulty message is still classified and can be judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape<'a> {
    /// Has `method` and `id`.
    Request {
        /// The id, of any JSON type.
        id: &'a Value,
        /// The method name.
        method: &'a str,
    },
    /// Has `method` and no `id`.
    Notification {
        /// The method name.
        method: &'a str,
    },
    /// Has `result` and no `method`.
    Result {
        /// The id, if there is one.
        id: Option<&'a Value>,
        /// The result.
        result: &'a Value,
    },
    /// Has `error` and no `method`.
    Error {
        /// The id, if there is one.
        id: Option<&'a Value>,
        /// The error object, whatever it is.
        error: &'a Value,
    },
    /// Anything else, such as a batch, a scalar or an object without a deciding member.
    Invalid,
}

/// Classifies a parsed message.
pub fn shape_of(message: &Value) -> Shape<'_> {
    let Value::Object(members) = message else {
        return Shape::Invalid;
    };
    let id = members.get("id");
    if let Some(method) = members.get("method").and_then(Value::as_str) {
        return match id {
            Some(id) => Shape::Request { id, method },
            None => Shape::Notification { method },
        };
    }
    if let Some(error) = members.get("error") {
        return Shape::Error { id, error };
    }
    match members.get("result") {
        Some(result) => Shape::Result { id, result },
        None => Shape::Invalid,
    }
}

/// The member of a native list result that holds the records, and the member of a record that
/// identifies it: `tools/list` gives `("tools", "name")`.
pub fn key_of_list(method: &str) -> Option<(&'static str, &'static str)> {
    match method {
        "tools/list" => Some(("tools", "name")),
        "resources/list" => Some(("resources", "uri")),
        "resources/templates/list" => Some(("resourceTemplates", "uriTemplate")),
        "prompts/list" => Some(("prompts", "name")),
        _ => None,
    }
}
