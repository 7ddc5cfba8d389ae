//! The mutants of the wire set, applied to the reference server: each turns its checks to fail, and
//! the untouched server fails none of them.

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_hallmark::assertion::{Catalog, judge};
use mcp_hallmark::capture::read_events;
use mcp_hallmark::contract::Builder;
use mcp_hallmark::fault::Rule;
use mcp_hallmark::scenario::{Scenario, load_scenario};
use mcp_hallmark::score::{CheckScore, Verdict};
use mcp_hallmark::target::{Limits, TargetSpec};

use common::record;

const SCENARIO: &str = "\
id: wire-mutants
kind: server
title: What the wire checks look at
set: wire
budgets: { discovery_bytes: 80000, discovery_tokens: 20000 }
flows:
  - cold_start
  - calls
  - protocol
";

fn scenario() -> Scenario {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wire-mutants.yaml");
    std::fs::write(&file, SCENARIO).unwrap();
    load_scenario(&file).unwrap()
}

fn reference() -> TargetSpec {
    TargetSpec::Stdio {
        command: env!("CARGO_BIN_EXE_hallmark").to_owned(),
        args: vec!["serve".to_owned()],
        env: Vec::new(),
        cwd: None,
    }
}

/// Drives a target with at most one fault and judges what was captured, by the wire set.
fn checks(scenario: &Scenario, target: TargetSpec, fault: Option<Rule>) -> Vec<CheckScore> {
    // A server that never answers an unknown method must not hold up the test.
    let limits = Limits { request: Duration::from_secs(4), ..Limits::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Some mutants end the run early; what was captured until then is judged all the same.
    let (_, captured) = runtime.block_on(record(target, scenario, limits, true, fault));
    let capture = captured.bytes();
    let mut builder = Builder::new();
    read_events(&capture[..], |event| builder.see(event)).unwrap();
    let catalog = Catalog::builtin();
    let wire = catalog.sets().iter().find(|set| set.set.id == "wire").unwrap();
    let scorecard = judge(&builder.finish(), catalog, &[wire], &|text| text.len() / 4);
    scorecard.wire.assertions.into_iter().flat_map(|assertion| assertion.checks).collect()
}

fn failed(checks: &[CheckScore]) -> Vec<&str> {
    checks.iter().filter(|c| c.verdict == Verdict::Fail).map(|check| &*check.id).collect()
}

/// A reference server over HTTP, ended with the test.
struct Server(Child, String);

impl Server {
    fn start() -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_hallmark"))
            .args(["serve", "--http", "127.0.0.1:0"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let url = stderr.lines().map_while(Result::ok).find_map(|line| {
            let start = line.find("http://")?;
            Some(line[start..].split_whitespace().next()?.to_owned())
        });
        Server(child, url.expect("the server says where it listens"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn every_mutant_of_the_wire_set_is_killed_and_the_clean_server_is_not() {
    let scenario = scenario();
    let clean = checks(&scenario, reference(), None);
    assert_eq!(failed(&clean), [""; 0], "the clean server");
    let server = Server::start();
    let over_http = || TargetSpec::Http { url: server.1.clone(), headers: Vec::new() };
    let clean = checks(&scenario, over_http(), None);
    assert_eq!(failed(&clean), [""; 0], "the clean server over HTTP");
    let mutants: Vec<_> = Catalog::builtin()
        .assertions()
        .iter()
        .filter(|assertion| assertion.id.starts_with('W'))
        .flat_map(|assertion| assertion.mutants.iter().map(|mutant| (&*assertion.id, mutant)))
        .collect();
    // Most of a run is waiting, so a few go side by side.
    let next = AtomicUsize::new(0);
    let survivors = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((id, mutant)) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let needs_http = mutant.rule.is_of_http()
                        || mutant.kills.iter().any(|kill| kill.starts_with("http-"));
                    let target = if needs_http { over_http() } else { reference() };
                    let judged = checks(&scenario, target, Some(mutant.rule.clone()));
                    let failed = failed(&judged);
                    for kill in mutant.kills.iter().filter(|kill| !failed.contains(&&***kill)) {
                        let verdict = judged.iter().find(|c| c.id == *kill).map(|c| &c.verdict);
                        let line = format!("{id} {}: {kill} {verdict:?}", mutant.id);
                        survivors.lock().unwrap().push(line);
                    }
                }
            });
        }
    });
    let survivors = survivors.into_inner().unwrap();
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
}
