//! Driving a target into a capture in memory, for every test that drives one.

use mcp_hallmark::capture::{
    FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header, Memory, Permissions, Recorder, Redactor,
    TargetFacts,
};
use mcp_hallmark::drive::{DriveError, DriveRequest, RunEnd, run};
use mcp_hallmark::fault::{Injector, Rule};
use mcp_hallmark::scenario::Scenario;
use mcp_hallmark::target::{Limits, TargetSpec};

/// Drives a target through a scenario, with at most one fault on the wire.
pub async fn record(
    target: TargetSpec,
    scenario: &Scenario,
    limits: Limits,
    allow_mutations: bool,
    fault: Option<Rule>,
) -> (Result<RunEnd, DriveError>, Memory) {
    let captured = Memory::default();
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
