//! Requests whose params the protocol does not allow.

use serde_json::Value;

use crate::domain::{Code, Failure};

/// The methods that the contract offers in the stateless era.
const METHODS: &[&str] = &[
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];
/// Those that exist in the handshake era besides.
const HANDSHAKE_METHODS: &[&str] = &["initialize", "ping"];

/// Whether the contract offers `method` to a peer of the era.
pub fn is_offered(method: &str, handshake: bool) -> bool {
    METHODS.contains(&method) || handshake && HANDSHAKE_METHODS.contains(&method)
}

/// The failure for params of a known method that the SDK could not read.
pub fn malformed(method: &str, params: Option<&Value>) -> Failure {
    let text =
        |name: &str| params.and_then(|params| params.get(name)).is_some_and(Value::is_string);
    let (field, reason) = match method {
        "tools/call" if text("name") => ("arguments", "Must be an object."),
        "tools/call" => ("name", "Must be the name of a tool."),
        "prompts/get" => ("name", "Must be a string."),
        "resources/read" => ("uri", "Must be a string."),
        "completion/complete" => {
            ("argument", "Must be an object with name and value, beside a ref with type and uri.")
        }
        _ => ("params", "Must be the object that the protocol describes."),
    };
    let mut failure = Failure::new(Code::InvalidField, format!("Invalid params for {method}."));
    failure.field = Some(field.to_owned());
    failure.reason = Some(reason.to_owned());
    failure
}
