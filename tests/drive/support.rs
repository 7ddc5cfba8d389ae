//! Driving a fake target and reading back its capture.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_hallmark::capture::{
    FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header, Permissions, Recorder, Redactor, TargetFacts,
};
use mcp_hallmark::drive::{DriveError, DriveRequest, RunEnd, run};
use mcp_hallmark::scenario::{Scenario, parse_scenario};
use mcp_hallmark::target::{Limits, TargetSpec};
use serde_json::{Value, json};

use crate::fake::{Answer, Fake};

/// A capture in memory.
#[derive(Clone, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic while locked").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Captured {
    /// Its events.
    pub fn events(&self) -> Vec<Value> {
        let bytes = self.0.lock().expect("no panic while locked").clone();
        let text = String::from_utf8(bytes).expect("captures are UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
    }
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
) -> (Result<RunEnd, DriveError>, Captured) {
    let target = TargetSpec::Http { url: fake.url.clone(), headers: Vec::new() };
    let limits = Limits { request: std::time::Duration::from_secs(2), ..Limits::default() };
    drive_target(target, limits, scenario, allow_mutations).await
}

/// Drives any target through a scenario.
pub async fn drive_target(
    target: TargetSpec,
    limits: Limits,
    scenario: &Scenario,
    allow_mutations: bool,
) -> (Result<RunEnd, DriveError>, Captured) {
    let captured = Captured::default();
    let header = Header {
        capture: FormatVersion { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        version: "0".to_owned(),
        target: TargetFacts { kind: "http".to_owned(), name: "test".to_owned() },
        revision: "auto".to_owned(),
        scenario: Some(scenario.facts()),
        sets: Vec::new(),
        permissions: Permissions { mutations: allow_mutations },
        started: "2026-01-01T00:00:00Z".to_owned(),
        seed: 0,
    };
    let recorder = Recorder::new(captured.clone(), header, Redactor::new());
    let request =
        DriveRequest { target, scenario, revision: None, limits, allow_mutations, faults: None };
    let outcome = run(request, &recorder, &|_| ()).await;
    (outcome, captured)
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
