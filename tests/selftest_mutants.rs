//! The kill matrix: the clean reference server has no finding, and every mutant turns the checks
//! that it names to `fail`. A check that no mutant kills is not accepted.
//!
//! Every run goes all the way: the reference server as a child, the fault on the wire, the capture
//! read back and judged. `MUTANTS=id,id` runs some of them.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use mcp_hallmark::assertion::{AssertionSet, Catalog, Mutant, judge};
use mcp_hallmark::capture::read_events;
use mcp_hallmark::contract::Builder;
use mcp_hallmark::fault::Rule;
use mcp_hallmark::scenario::{FlowEntry, FlowName, Scenario, load_builtin};
use mcp_hallmark::score::{CheckScore, Scorecard, SetRef, Verdict};
use mcp_hallmark::target::{Limits, TargetSpec};

use common::record;

const SERVER: &str = env!("CARGO_BIN_EXE_hallmark");

#[test]
#[cfg_attr(debug_assertions, ignore = "takes minutes unless optimised: cargo test --release")]
fn every_mutant_is_killed_by_the_checks_that_it_names() {
    let mutants: Vec<&Mutant> = chosen().collect();
    let next = AtomicUsize::new(0);
    let survivors = Mutex::new(Vec::new());
    let http = HttpServer::start();
    // Runs wait for a child most of the time, so that a few more than the cores keep them busy.
    let workers = thread::available_parallelism().map_or(4, |cores| cores.get() * 2);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(survived) = survival(mutant, &http) {
                        survivors.lock().expect("no panic while locked").push(survived);
                    }
                }
            });
        }
    });
    let mut survivors = survivors.into_inner().expect("no panic while locked");
    survivors.sort();
    assert!(
        survivors.is_empty(),
        "{} of {} mutants survive:\n{}",
        survivors.len(),
        mutants.len(),
        survivors.join("\n")
    );
}

#[test]
fn the_clean_reference_server_has_no_finding() {
    for target in [child(), HttpServer::start().target()] {
        let name = target.name();
        let scenario = load_builtin("github-issues").expect("it is built in");
        let sets: Vec<_> = Catalog::builtin().sets().iter().collect();
        let (score, _) = score(target, &scenario, &sets, None);
        let mut said = String::new();
        for check in checks(&score).filter(|check| !check.findings.is_empty()) {
            let finding = &check.findings[0];
            writeln!(said, "{}: {} {:?}", check.id, finding.message, finding.seq).unwrap();
        }
        assert!(said.is_empty(), "findings on {name}:\n{said}");
    }
}

#[test]
fn every_check_is_killed_by_a_mutant() {
    let catalog = Catalog::builtin();
    let killed: BTreeSet<&str> = catalog
        .assertions()
        .iter()
        .flat_map(|assertion| &assertion.mutants)
        .flat_map(|mutant| mutant.kills.iter().map(String::as_str))
        .collect();
    let never: BTreeSet<&str> = catalog
        .assertions()
        .iter()
        .flat_map(|assertion| assertion.check_ids())
        .filter(|id| !killed.contains(id))
        .collect();
    let exempt: BTreeSet<&str> = WITHOUT_A_MUTANT.iter().map(|(id, _)| *id).collect();
    assert_eq!(never, exempt, "checks without a mutant, against those that have a reason");
}

/// Checks that no fault rule turns to `fail`, and why.
const WITHOUT_A_MUTANT: &[(&str, &str)] = &[
    ("tool-count-fits-tasks", "it asks a judge where it does not pass"),
    ("steps-hidden", "it asks a judge where it does not pass"),
    ("sibling-hints-equal", "it asks a judge where it does not pass"),
    ("evaluation-recorded", "a live server has no evaluation step; it is not applicable"),
];

/// All mutants but those of the set `wire`, which `wire_mutants.rs` runs; or those that the
/// variable `MUTANTS` names (separated by commas).
fn chosen() -> impl Iterator<Item = &'static Mutant> {
    let only = std::env::var("MUTANTS").ok();
    let assertions = Catalog::builtin().assertions().iter();
    let named = assertions.flat_map(|a| a.mutants.iter().map(move |mutant| (a, mutant)));
    let chosen = named.filter(move |(assertion, mutant)| match &only {
        Some(only) => only.split(',').any(|id| id == mutant.id),
        None => !assertion.id.starts_with('W'),
    });
    chosen.map(|(_, mutant)| mutant)
}

/// Why a mutant is not dead, when it is not. Most die in a run of a few requests; only what
/// survives that gets a longer one.
fn survival(mutant: &Mutant, http: &HttpServer) -> Option<String> {
    let whole = load_builtin("github-issues").expect("it is built in");
    let forced = |entry: &FlowEntry| {
        matches!(entry, FlowEntry::ForcedErrors(_) | FlowEntry::Named(FlowName::ForcedErrors))
    };
    let mut written = whole.clone();
    written.flows.retain(|entry| !forced(entry));
    let mut start = whole.clone();
    start.flows.retain(|entry| *entry == FlowEntry::Named(FlowName::ColdStart));
    [&start, &written, &whole]
        .into_iter()
        .try_fold(String::new(), |_, scenario| survival_of(mutant, scenario, http))
}

fn survival_of(mutant: &Mutant, scenario: &Scenario, http: &HttpServer) -> Option<String> {
    // Only over HTTP are there heads to change.
    let target = if mutant.rule.is_of_http() { http.target() } else { child() };
    let killed = |id: &str| mutant.kills.iter().any(|kill| kill == id);
    let versions = Catalog::builtin().assertions().iter().flat_map(|assertion| {
        let versions = assertion.versions.iter();
        let naming = versions.filter(|version| version.checks.iter().any(|c| killed(&c.id)));
        naming.map(|version| (assertion.id.clone(), version.version))
    });
    // Named like the set that is always judged, so that nothing else is.
    let set =
        SetRef { id: Catalog::WIRE_SET.to_owned(), edition: String::new(), digest: String::new() };
    let set = AssertionSet { set, title: String::new(), members: versions.collect() };
    let (score, applied) = score(target, scenario, &[&set], Some(mutant.rule.clone()));
    let mut alive = Vec::new();
    for assertion in &score.assertions {
        let named: Vec<_> = assertion.checks.iter().filter(|check| killed(&check.id)).collect();
        for check in &named {
            if check.verdict != Verdict::Fail {
                alive.push(format!("{} is {:?}", check.id, check.verdict));
            }
        }
        if named.iter().any(|check| check.required) && assertion.verdict != Verdict::Fail {
            alive.push(format!("{} is {:?}", assertion.id, assertion.verdict));
        }
    }
    let note = if applied == 0 { " (the fault was never applied)" } else { "" };
    (!alive.is_empty()).then(|| format!("{}{note}: {}", mutant.id, alive.join("; ")))
}

/// Every check of every set that was judged.
fn checks(score: &Scorecard) -> impl Iterator<Item = &CheckScore> {
    let sets = score.sets.iter().chain([&score.wire]).flat_map(|set| &set.assertions);
    score.assertions.iter().chain(sets).flat_map(|assertion| &assertion.checks)
}

/// The reference server as a child of ours.
fn child() -> TargetSpec {
    TargetSpec::Stdio {
        command: SERVER.to_owned(),
        args: ["serve", "--contract", "github-issues"].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
    }
}

/// Drives a target through a scenario and judges the capture. Gives the scorecard and how often the
/// fault was applied.
fn score(
    target: TargetSpec,
    scenario: &Scenario,
    sets: &[&AssertionSet],
    fault: Option<Rule>,
) -> (Scorecard, u64) {
    // Faults that swallow an answer cost this much each; a loaded machine needs some of it.
    let limits = Limits { request: Duration::from_secs(4), ..Limits::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let (outcome, captured) = runtime.block_on(record(target, scenario, limits, true, fault));
    let applied = outcome
        .ok()
        .and_then(|end| end.faults)
        .map_or(0, |faults| faults.applied().map(|(_, times)| times).sum());
    let mut builder = Builder::new();
    let capture = captured.bytes();
    read_events(&capture[..], |event| builder.see(event)).expect("our own capture");
    let catalog = Catalog::builtin();
    (judge(&builder.finish(), catalog, sets, &|text| text.len() / 4), applied)
}

/// The reference server over HTTP.
struct HttpServer {
    child: Child,
    url: String,
}

impl HttpServer {
    fn start() -> HttpServer {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let free = free.expect("a free port");
        let child = Command::new(SERVER)
            .args(["serve", "--contract", "github-issues", "--http", &free.to_string()])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let begun = Instant::now();
        while TcpStream::connect(free).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "the server does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        HttpServer { child, url: format!("http://{free}/mcp") }
    }

    fn target(&self) -> TargetSpec {
        TargetSpec::Http { url: self.url.clone(), headers: Vec::new() }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
