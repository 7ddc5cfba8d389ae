//! Framing, eras and endings on the stdio transport.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, MODERN, meta, options};
use crate::schema::Schemas;

const HANDSHAKE: &str = "2025-11-25";
/// What "at once" means on a busy machine.
pub const AT_ONCE: Duration = Duration::from_millis(1500);

fn initialize(client: &mut Client, version: &str) -> Value {
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}});
    let answer = client.request_raw("initialize", params);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    answer["result"].clone()
}

#[test]
fn discover_names_server_revisions_and_capabilities() {
    let mut client = Client::start(options());
    let result = client.result("server/discover", json!({}));
    assert_eq!(result["supportedVersions"], json!([HANDSHAKE, MODERN]));
    assert_eq!(
        result["capabilities"],
        json!({"completions": {}, "prompts": {}, "resources": {}, "tools": {}})
    );
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(3_600_000), &json!("public")));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "github-issues-mcp");
    assert!(
        result["instructions"]
            .as_str()
            .is_some_and(|text| text.contains("github_get_capabilities"))
    );
}

#[test]
fn every_modern_result_names_the_server_and_lists_carry_hints() {
    let mut client = Client::start(options());
    for (method, params, ttl, scope) in [
        ("tools/list", json!({}), 3_600_000, "public"),
        ("prompts/list", json!({}), 3_600_000, "public"),
        ("resources/templates/list", json!({}), 3_600_000, "public"),
        ("resources/list", json!({}), 30_000, "private"),
        ("resources/read", json!({"uri": "github://capabilities"}), 30_000, "private"),
    ] {
        let result = client.result(method, params);
        assert_eq!(result["resultType"], "complete", "{method}");
        assert_eq!(
            (&result["ttlMs"], &result["cacheScope"]),
            (&json!(ttl), &json!(scope)),
            "{method}"
        );
        assert_eq!(
            result["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.0.0",
            "{method}"
        );
        assert!(result.get("nextCursor").is_none(), "{method}");
    }
    let call = client.call("github_get_capabilities", json!({}));
    assert_eq!(call["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], "1.0.0");
    assert!(call.get("ttlMs").is_none());
}

#[test]
fn the_handshake_era_gets_its_own_shapes() {
    let schemas = Schemas::load();
    let mut client = Client::start(options());
    let greeting = initialize(&mut client, HANDSHAKE);
    assert_eq!(greeting["protocolVersion"], HANDSHAKE);
    assert_eq!(
        greeting["serverInfo"],
        json!({"name": "github-issues-mcp", "title": "GitHub issues", "version": "1.0.0"})
    );
    for (method, params) in [
        ("ping", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/read", json!({"uri": "github://capabilities"})),
        (
            "tools/call",
            json!({"name": "github_get_issue", "arguments": {"owner": "acme", "repo": "widgets", "issue_number": 1423}}),
        ),
    ] {
        let answer = client.request_raw(method, params);
        schemas.check(HANDSHAKE, method, &answer);
        let result = answer["result"].as_object().unwrap_or_else(|| panic!("{method}: {answer}"));
        for member in ["resultType", "ttlMs", "cacheScope"] {
            assert!(!result.contains_key(member), "{method} has {member}");
        }
    }
    let tools = client.request_raw("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools").clone();
    assert!(tools.len() == 8 && tools.iter().all(|tool| tool["outputSchema"]["type"] == "object"));
}

#[test]
fn unknown_handshake_revisions_fall_back() {
    for version in ["2099-01-01", "2024-11-05", MODERN] {
        let mut client = Client::start(options());
        assert_eq!(initialize(&mut client, version)["protocolVersion"], HANDSHAKE, "{version}");
    }
}

#[test]
fn both_eras_open_after_discovery_in_one_process() {
    let mut client = Client::start(options());
    client.result("server/discover", json!({}));
    assert_eq!(initialize(&mut client, HANDSHAKE)["protocolVersion"], HANDSHAKE);
    assert!(client.request_raw("tools/list", json!({}))["result"]["tools"].is_array());
    let mut client = Client::start(options());
    client.result("server/discover", json!({}));
    client.result("tools/list", json!({}));
}

#[test]
fn garbage_is_answered_and_survived() {
    let mut client = Client::start(options());
    client.send("this is not JSON");
    let answer = client.receive();
    assert_eq!(answer["error"]["code"], -32700);
    assert!(answer.get("id").is_none());
    client.send("[]");
    assert_eq!(client.receive()["error"]["code"], -32600);
    client.send(r#"{"jsonrpc":"2.0","id":"x","method":5}"#);
    let answer = client.receive();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!("x")));
    client.send("");
    client.result("tools/list", json!({}));
}

#[test]
fn a_notification_first_does_not_end_the_server() {
    let mut client = Client::start(options());
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    client.result("server/discover", json!({}));
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    client.result("tools/list", json!({}));
}

#[test]
fn string_ids_come_back_as_strings() {
    let mut client = Client::start(options());
    let request = json!({"jsonrpc": "2.0", "id": "7", "method": "tools/list", "params": {"_meta": meta(MODERN)}});
    client.send(&request.to_string());
    assert_eq!(client.receive()["id"], "7");
}

#[test]
fn inadmissible_requests_get_their_protocol_error() {
    let mut client = Client::start(options());
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for cursor in [json!(5), json!(null), json!(["a"]), json!("bogus")] {
            let error = client.error(method, json!({"cursor": cursor}));
            assert_eq!(error["code"], -32602, "{method} {cursor}");
            assert_eq!(error["data"]["details"]["field"], "cursor", "{method} {cursor}");
        }
    }
    for (method, params, code) in [
        ("tools/call", json!({"name": "github_get_issue", "arguments": []}), -32602),
        ("tools/call", json!({"arguments": {}}), -32602),
        ("tools/call", json!({"name": "github_open_issue", "arguments": {}}), -32602),
        ("resources/read", json!({}), -32602),
        ("resources/read", json!({"uri": 5}), -32602),
        ("prompts/get", json!({"name": "any"}), -32602),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "any"}, "argument": {"name": "a", "value": ""}}),
            -32602,
        ),
        ("ping", json!({}), -32601),
        ("initialize", json!({}), -32601),
        ("resources/subscribe", json!({"uri": "github://capabilities"}), -32601),
        ("subscriptions/listen", json!({"notifications": {}}), -32601),
        ("logging/setLevel", json!({"level": "info"}), -32601),
        ("tasks/get", json!({"taskId": "1"}), -32601),
        ("nonsense", json!({}), -32601),
    ] {
        let error = client.error(method, params.clone());
        assert_eq!(error["code"], code, "{method} {params}: {error}");
        if code == -32601 {
            assert_eq!(error["data"]["method"], method);
        }
    }
}

#[test]
fn metadata_and_version_are_required_in_the_stateless_era() {
    let mut client = Client::start(options());
    client.result("tools/list", json!({}));
    let missing = client.request_raw("tools/list", json!({}));
    assert_eq!(missing["error"]["code"], -32602);
    let half = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}});
    assert_eq!(client.request_raw("tools/list", half)["error"]["code"], -32602);
    let other = client.request_raw("tools/list", json!({"_meta": meta("2099-01-01")}));
    assert_eq!(other["error"]["code"], -32022);
    assert_eq!(
        other["error"]["data"],
        json!({"requested": "2099-01-01", "supported": [HANDSHAKE, MODERN]})
    );
}

#[test]
fn end_of_input_ends_the_server_at_once_in_every_state() {
    let (rest, took) = Client::start(options()).close();
    assert!(rest.is_empty() && took < AT_ONCE, "untouched: {took:?}");

    let mut discovered = Client::start(options());
    discovered.result("server/discover", json!({}));
    let (rest, took) = discovered.close();
    assert!(rest.is_empty() && took < AT_ONCE, "discovered: {took:?}");

    let mut used = Client::start(options());
    used.success("github_find_issues", json!({"owner": "acme", "repo": "widgets"}));
    let (rest, took) = used.close();
    assert!(rest.is_empty() && took < AT_ONCE, "used: {took:?}");
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered() {
    let mut client = Client::start(options());
    for id in 1..=20 {
        let params = json!({"name": "github_get_issue", "arguments": {"owner": "acme", "repo": "widgets", "issue_number": 1423}, "_meta": meta(MODERN)});
        client.send(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
                .to_string(),
        );
    }
    let (rest, _) = client.close();
    let mut ids: Vec<i64> = rest
        .iter()
        .map(|line| {
            serde_json::from_str::<Value>(line).expect("JSON")["id"].as_i64().expect("an id")
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=20).collect::<Vec<i64>>());
}
