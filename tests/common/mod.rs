//! Driving a target into a capture in memory, for every test that drives one.

use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_hallmark::capture::{
    FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header, Permissions, Recorder, Redactor, TargetFacts,
};
use mcp_hallmark::drive::{DriveError, DriveRequest, RunEnd, run};
use mcp_hallmark::fault::{Injector, Rule};
use mcp_hallmark::scenario::Scenario;
use mcp_hallmark::target::{Limits, TargetSpec};

/// A capture in memory, readable after the recorder is gone.
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
    /// Its bytes so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no panic while locked").clone()
    }
}

/// Drives a target through a scenario, with at most one fault on the wire.
pub async fn record(
    target: TargetSpec,
    scenario: &Scenario,
    limits: Limits,
    allow_mutations: bool,
    fault: Option<Rule>,
) -> (Result<RunEnd, DriveError>, Captured) {
    let captured = Captured::default();
    let header = Header {
        capture: FormatVersion { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        version: "0".to_owned(),
        target: TargetFacts { kind: "reference".to_owned(), name: target.name() },
        revision: "auto".to_owned(),
        scenario: Some(scenario.facts()),
        sets: Vec::new(),
        permissions: Permissions { mutations: allow_mutations },
        started: "2026-11-30T00:00:00Z".to_owned(),
        seed: 1,
    };
    let recorder = Recorder::new(captured.clone(), header, Redactor::new());
    let faults = fault.map(|rule| Injector::new(vec![rule], 1).expect("mutants are checked"));
    let revision = None;
    let request = DriveRequest { target, scenario, revision, limits, allow_mutations, faults };
    let outcome = run(request, &recorder, &|_| ()).await;
    (outcome, captured)
}
