//! What the tests share: a recorder into memory and sessions with the fixture server.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_hallmark::capture::{
    Counts, End, EndCause, FormatVersion, Header, Permissions, Recorder, Redactor, Step,
    TargetFacts,
};
use mcp_hallmark::drive::Dialer;
use mcp_hallmark::fault::{Injector, Rule};
use mcp_hallmark::target::Limits;
use mcp_hallmark::wire::Revision;
use serde_json::{Value, json};

pub use crate::child::fixture;

/// A file in memory.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Memory {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).expect("a capture is UTF-8")
    }

    pub fn events(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).expect("JSON Lines")).collect()
    }
}

pub fn header() -> Header {
    Header {
        capture: FormatVersion { major: 1, minor: 0 },
        version: "0.0.0".to_owned(),
        target: TargetFacts { kind: "stdio".to_owned(), name: "fixture".to_owned() },
        revision: "auto".to_owned(),
        scenario: None,
        sets: Vec::new(),
        permissions: Permissions { mutations: false },
        started: "2026-11-30T00:00:00Z".to_owned(),
        seed: 0,
    }
}

/// Everything of one run that a test looks at.
pub struct Run {
    pub memory: Memory,
    pub dialer: Dialer<'static>,
}

pub struct Setup {
    pub limits: Limits,
    pub forced: Option<Revision>,
    pub rules: Value,
}

impl Default for Setup {
    fn default() -> Self {
        let limits = Limits {
            request: Duration::from_secs(10),
            cold_start: Duration::from_secs(20),
            probe: Duration::from_secs(10),
            ..Limits::default()
        };
        Setup { limits, forced: None, rules: json!([]) }
    }
}

pub fn run(setup: Setup) -> Run {
    let memory = Memory::default();
    let recorder = Recorder::new(memory.clone(), header(), Redactor::new());
    let rules: Vec<Rule> = serde_json::from_value(setup.rules).unwrap();
    let faults = (!rules.is_empty()).then(|| Injector::new(rules, 0).unwrap());
    Run { memory, dialer: Dialer::new(recorder, setup.limits, setup.forced, faults, &|_| {}) }
}

impl Run {
    pub fn finish(&self) -> Vec<Value> {
        let end = End {
            cause: EndCause::Complete,
            detail: None,
            counts: Counts::default(),
            withheld: Vec::new(),
            stderr: self.dialer.stderr(),
        };
        self.dialer.recorder().finish(end).unwrap();
        well_formed(&self.memory);
        self.memory.events()
    }
}

pub fn step() -> Step {
    Step::new(mcp_hallmark::capture::Flow::ColdStart, "test")
}

pub fn echo() -> Value {
    json!({"name": "echo", "arguments": {"a": 1}})
}

/// Messages of a direction.
pub fn messages<'e>(events: &'e [Value], direction: &str) -> Vec<&'e Value> {
    let wanted = |event: &&Value| event["direction"] == direction && event["kind"] == "message";
    events.iter().filter(wanted).map(|event| &event["payload"]).collect()
}

/// Checks what every capture must keep, and what the published validator of traces says, when it is
/// installed.
fn well_formed(memory: &Memory) {
    let events = memory.events();
    assert!(events[0]["hallmark"].is_object(), "the first event has the header");
    assert!(events.last().unwrap()["end"].is_object(), "the last event has the end");
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], json!(index), "seq counts from 0 without a gap");
    }
    let path = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(path.path(), memory.text()).unwrap();
    let said = std::process::Command::new("mcp-trace-validator")
        .args(["validate", "--revision", "2025-11-25"])
        .arg(path.path())
        .output();
    match said {
        Ok(said) => assert!(
            matches!(said.status.code(), Some(0..=2)),
            "the validator calls the trace malformed: {}{}",
            String::from_utf8_lossy(&said.stdout),
            String::from_utf8_lossy(&said.stderr)
        ),
        Err(_) => println!("skipped: mcp-trace-validator is not installed"),
    }
}
