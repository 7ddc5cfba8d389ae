//! What is never sent, judged from what a target received.

use mcp_hallmark::scenario::load_builtin;
use serde_json::{Value, json};

use crate::fake::{Answer, Fake};
use crate::support::{discovery, drive, success};

fn tools() -> Value {
    let schema = json!({
        "type": "object", "additionalProperties": false,
        "required": ["path"],
        "properties": {
            "path": {"type": "string", "minLength": 1, "description": "Path, e.g. \"a.txt\"."},
            "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
            "count": {"type": "integer", "minimum": 1}
        }
    });
    let free = json!({"type": "object", "properties": {"anything": {}}});
    json!([
        {"name": "read_file", "inputSchema": schema, "annotations": {"readOnlyHint": true}},
        {"name": "write_file", "inputSchema": schema, "annotations": {"readOnlyHint": false}},
        {"name": "unsaid", "inputSchema": schema},
        {"name": "delete_all", "inputSchema": {
            "type": "object", "properties": {"confirm": {"type": "boolean"}}
        }},
        {"name": "run", "inputSchema": free}
    ])
}

/// A server that executes whatever it gets: nothing that it executes may hurt.
async fn careless() -> Fake {
    Fake::start(|method, _| {
        discovery(method, &tools()).unwrap_or_else(|| match method {
            "tools/call" => success(json!({"done": true})),
            _ => Answer::Error(-32601, "no such method"),
        })
    })
    .await
}

#[tokio::test]
async fn without_permission_no_mutating_tool_gets_a_call_that_it_can_execute() {
    let fake = careless().await;
    let scenario = load_builtin("any-server").expect("it is built in");
    let (outcome, _) = drive(&fake, &scenario, false).await;
    let end = outcome.expect("it can be driven").end;
    let calls = fake.calls();
    for (tool, arguments) in &calls {
        let missing = arguments.get("path").is_none();
        match tool.as_str() {
            "read_file" | "hallmark_no_such_tool" => {}
            "write_file" | "unsaid" => {
                assert!(missing, "{tool} was sent {arguments}");
            }
            other => panic!("{other} has nothing to break and was sent {arguments}"),
        }
    }
    let forced = |tool: &str| calls.iter().filter(|(name, _)| name == tool).count();
    assert!(forced("write_file") >= 1, "without what is required: {calls:?}");
    assert!(forced("read_file") >= 10, "read-only tools are called and forced to fail");
    let withheld: Vec<_> = end.withheld.iter().filter(|w| w.needs == "--allow-mutations").collect();
    for tool in ["delete_all", "run", "write_file", "unsaid"] {
        assert!(withheld.iter().any(|w| w.what.contains(tool)), "{tool} in {withheld:?}");
    }
}

#[tokio::test]
async fn only_known_methods_are_sent() {
    let fake = careless().await;
    let scenario = load_builtin("any-server").expect("it is built in");
    drive(&fake, &scenario, true).await.0.expect("it can be driven");
    let allowed = [
        "server/discover",
        "tools/list",
        "tools/call",
        "ping",
        "hallmark/no-such-method",
        // About a request that nobody sent.
        "notifications/cancelled",
    ];
    for message in fake.seen() {
        if let Some(method) = message["method"].as_str() {
            assert!(allowed.contains(&method), "{message}");
        }
    }
}

#[tokio::test]
async fn with_permission_mutating_tools_are_called_and_repeated() {
    let fake = careless().await;
    let scenario = load_builtin("any-server").expect("it is built in");
    drive(&fake, &scenario, true).await.0.expect("it can be driven");
    let valid = |arguments: &Value| arguments == &json!({"path": "a.txt"});
    let repeats =
        fake.calls().iter().filter(|(tool, args)| tool == "write_file" && valid(args)).count();
    assert!(repeats >= 2, "a mutating tool is called twice with the same arguments");
}
