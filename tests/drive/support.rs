//! Driving a fake target and reading back its capture.

use mcp_hallmark::drive::{DriveError, RunEnd};
use mcp_hallmark::scenario::{Scenario, parse_scenario};
use mcp_hallmark::target::{Limits, TargetSpec};
use serde_json::{Value, json};

use crate::common::record;
use crate::fake::{Answer, Fake};
pub use mcp_hallmark::capture::Memory;

/// The events of a capture.
pub fn events(captured: &Memory) -> Vec<Value> {
    let text = String::from_utf8(captured.bytes()).expect("captures are UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// A scenario with the given rest of its file.
pub fn scenario(rest: &str) -> Scenario {
    let text = format!("id: test\nkind: server\ntitle: Test\n{rest}");
    parse_scenario(&text, "test.yaml").unwrap_or_else(|error| panic!("{error}"))
}

/// Drives a fake through a scenario.
pub async fn drive(
    fake: &Fake,
    scenario: &Scenario,
    allow_mutations: bool,
) -> (Result<RunEnd, DriveError>, Memory) {
    let target = TargetSpec::Http { url: fake.url.clone(), headers: Vec::new() };
    let limits = Limits { request: std::time::Duration::from_secs(2), ..Limits::default() };
    record(target, scenario, limits, allow_mutations, None).await
}

/// What a server of the newest revision answers to discovery; the rest is left to the test.
pub fn discovery(method: &str, tools: &Value) -> Option<Answer> {
    match method {
        "server/discover" => Some(Answer::Result(json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fake", "version": "1"}}
        }))),
        "tools/list" => Some(Answer::Result(
            json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}),
        )),
        _ => None,
    }
}

/// A successful tool result with this data.
pub fn success(data: Value) -> Answer {
    Answer::Result(json!({
        "resultType": "complete",
        "content": [{"type": "text", "text": data.to_string()}],
        "structuredContent": data
    }))
}

/// A failed tool result with this envelope.
pub fn failure(envelope: Value) -> Answer {
    Answer::Result(json!({
        "resultType": "complete", "isError": true,
        "content": [{"type": "text", "text": envelope["message"]}],
        "structuredContent": envelope
    }))
}
