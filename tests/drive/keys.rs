//! Keys that tell one call from another: generated calls bring none of their own accord, and never
//! one twice.

use std::collections::BTreeSet;

use mcp_hallmark::scenario::load_builtin;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake};
use crate::support::{discovery, drive, events, failure, success};

/// A tool whose schema shows a call with a key.
fn adder(required: Value) -> Value {
    json!([{
        "name": "add_item",
        "annotations": {"readOnlyHint": false, "idempotentHint": false, "destructiveHint": false},
        "inputSchema": {
            "type": "object", "additionalProperties": false, "required": required,
            "properties": {
                "title": {"type": "string", "minLength": 1},
                "state": {"type": "string", "enum": ["open", "closed"]},
                "idempotency_key": {"type": "string", "minLength": 1, "examples": ["crash-on-save"]}
            },
            "examples": [{"title": "Crash on save", "idempotency_key": "crash-on-save"}]
        }
    }])
}

/// The arguments of every call outside of the probe of repeats: flow, case and arguments.
async fn generated(required: Value) -> Vec<(String, Value)> {
    let tools = adder(required);
    let fake = Fake::start(move |method, params| {
        let arguments = &params["arguments"];
        match discovery(method, &tools) {
            Some(answer) => answer,
            None if method != "tools/call" => Answer::Error(-32601, "no such method"),
            None if arguments["title"].is_string() && arguments["state"].is_null() => {
                success(json!({"id": 43}))
            }
            None => failure(json!({"code": "invalid_field", "message": "no"})),
        }
    })
    .await;
    let scenario = load_builtin("any-server").expect("it is built in");
    let (_, captured) = drive(&fake, &scenario, true).await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let sent = events(&captured).into_iter().filter(|event| {
        event["direction"] == "client-to-server" && event["payload"]["method"] == "tools/call"
    });
    let sent = sent.map(|event| {
        let (flow, case) = (text(&event["step"]["flow"]), text(&event["step"]["case"]));
        let place = format!("{flow} {case} {}", text(&event["step"]["role"]));
        (place, event["payload"]["params"]["arguments"].clone())
    });
    let of_key = |place: &str| place.contains("idempotency_key");
    sent.filter(|(place, _)| !of_key(place)).collect()
}

#[tokio::test]
async fn an_optional_key_is_never_sent() {
    let calls = generated(json!(["title"])).await;
    assert!(calls.len() > 4, "{calls:?}");
    for (place, arguments) in calls {
        assert!(arguments.get("idempotency_key").is_none(), "{place}: {arguments}");
    }
}

#[tokio::test]
async fn a_required_key_is_new_for_every_call() {
    let calls = generated(json!(["title", "idempotency_key"])).await;
    let mut seen = BTreeSet::new();
    let mut forced = 0;
    for (place, arguments) in calls {
        let Some(key) = arguments["idempotency_key"].as_str() else { continue };
        assert_ne!(key, "crash-on-save", "{place}");
        // A repeat is the same call again.
        let is_new = seen.insert(key.to_owned());
        assert!(is_new || place.ends_with(" repeat"), "{place}: {arguments}");
        forced += usize::from(place.starts_with("forced_error"));
    }
    assert!(forced > 2, "{seen:?}");
}
