//! What is put right in front of the SDK (`admit`) and behind it (`finish`), the same on both transports.

use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use crate::contract;

/// Member of `_meta` that names the server.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// What becomes of one incoming message.
#[derive(Debug, PartialEq)]
pub enum Admission {
    /// A request for the SDK.
    Request(Value),
    /// A notification, or the answer to a request that was never sent. No work here outlives its request, so there is
    /// nothing to cancel; and the SDK ends a stdio connection that opens with one.
    Other,
    /// Not a request: the JSON-RPC error that answers it.
    Refused(Value),
}

/// Sorts one incoming message.
pub fn admit(bytes: &[u8]) -> Admission {
    let Ok(mut message) = serde_json::from_slice::<Value>(bytes) else {
        return Admission::Refused(error(
            None,
            -32700,
            "Parse error: the message is not JSON",
            None,
        ));
    };
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64()).cloned();
    let invalid = |what: &str| {
        Admission::Refused(error(id.clone(), -32600, &format!("Invalid request: {what}"), None))
    };
    if !message.is_object() {
        return invalid("a message is one object");
    }
    if message["jsonrpc"] != "2.0" {
        return invalid("jsonrpc must be \"2.0\"");
    }
    let Some(method) = message.get("method") else {
        let answers = message.get("result").is_some() || message.get("error").is_some();
        return if answers { Admission::Other } else { invalid("method is missing") };
    };
    let Some(method) = method.as_str().map(str::to_owned) else {
        return invalid("method must be a string");
    };
    if message.get("id").is_none() {
        return Admission::Other;
    }
    if id.is_none() {
        return invalid("id must be a string or an integer");
    }
    if message.get("params").is_some_and(|params| !params.is_object()) {
        return Admission::Refused(error(
            id,
            -32602,
            "Invalid params: params must be an object",
            None,
        ));
    }
    // The SDK overlooks a cursor that is no string. Its JSON text is a cursor that no list ever issued, and is refused.
    if method.ends_with("/list")
        && let Some(cursor) = message.pointer_mut("/params/cursor")
        && !cursor.is_string()
    {
        *cursor = cursor.to_string().into();
    }
    Admission::Request(message)
}

/// Completes one outgoing message in place. A result with `resultType` goes to a 2026-07-28 peer and names the
/// server; one without goes to a handshake-era peer, which knows no cache hints.
pub fn finish(message: &mut Value) {
    if let Some(result) = message.get_mut("result").and_then(Value::as_object_mut) {
        if result.contains_key("resultType") {
            let meta = result.entry("_meta").or_insert_with(|| json!({}));
            meta[SERVER_INFO] = contract::server_info();
        } else {
            result.shift_remove("ttlMs");
            result.shift_remove("cacheScope");
        }
    }
    if let Some(error) = message
        .get_mut("error")
        .filter(|error| error["code"] == -32601 && error.get("data").is_none())
    {
        // The SDK gives the bare method name as the message.
        let method = error["message"].take();
        error["message"] = "Method not found: this server does not offer it".into();
        error["data"] = json!({"method": method});
    }
}

/// Does to a tool result what [`finish`] does to its JSON; it has no cache hints to take away.
pub fn finish_tool_result(result: &mut CallToolResult) {
    if result.result_type.is_some() {
        let meta = result.meta.get_or_insert_default();
        meta.insert(SERVER_INFO.to_owned(), contract::server_info());
    }
}

/// A JSON-RPC error message; without `id` where none could be read.
pub fn error(id: Option<Value>, code: i32, text: &str, data: Option<Value>) -> Value {
    let mut message = json!({"jsonrpc": "2.0"});
    if let Some(id) = id {
        message["id"] = id;
    }
    message["error"] = json!({"code": code, "message": text});
    if let Some(data) = data {
        message["error"]["data"] = data;
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(message: &str) -> (i64, Value) {
        let Admission::Refused(answer) = admit(message.as_bytes()) else {
            panic!("{message} was not refused")
        };
        (
            answer["error"]["code"].as_i64().expect("a code"),
            answer.get("id").cloned().unwrap_or_default(),
        )
    }

    #[test]
    fn malformed_messages_get_their_code_and_their_id() {
        assert_eq!(refusal("garbage"), (-32700, Value::Null));
        assert_eq!(refusal("{\"jsonrpc\":\"2.0\",\"id\":1,"), (-32700, Value::Null));
        assert_eq!(refusal("[]"), (-32600, Value::Null));
        assert_eq!(refusal("5"), (-32600, Value::Null));
        assert_eq!(refusal(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), (-32600, json!(1)));
        assert_eq!(refusal(r#"{"jsonrpc":"2.0","id":"a"}"#), (-32600, json!("a")));
        assert_eq!(refusal(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), (-32600, json!(1)));
        assert_eq!(
            refusal(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
            (-32600, Value::Null)
        );
        assert_eq!(refusal(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), (-32600, Value::Null));
        assert_eq!(
            refusal(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#),
            (-32602, json!(1))
        );
    }

    #[test]
    fn notifications_and_answers_stop_here() {
        for message in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#,
        ] {
            assert_eq!(admit(message.as_bytes()), Admission::Other, "{message}");
        }
    }

    #[test]
    fn a_cursor_of_another_type_becomes_one_that_is_refused() {
        let Admission::Request(request) =
            admit(br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#)
        else {
            panic!("not admitted")
        };
        assert_eq!(request["params"]["cursor"], "5");
    }

    #[test]
    fn each_era_gets_its_own_members() {
        let mut modern = json!({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete", "ttlMs": 5, "cacheScope": "public"}});
        finish(&mut modern);
        assert_eq!(
            modern["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
            contract::NAME
        );
        assert_eq!(modern["result"]["ttlMs"], 5);
        let mut legacy = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [], "ttlMs": 5, "cacheScope": "public"}});
        finish(&mut legacy);
        assert_eq!(legacy["result"], json!({"tools": []}));
    }

    #[test]
    fn an_unknown_method_is_named_in_data() {
        let mut message = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "prompts/list"}});
        finish(&mut message);
        assert_eq!(message["error"]["data"]["method"], "prompts/list");
        assert!(
            message["error"]["message"]
                .as_str()
                .is_some_and(|text| text.starts_with("Method not found"))
        );
    }
}
