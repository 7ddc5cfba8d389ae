//! The wire checks over the field captures beside the repository, when they are there.
//!
//! `HALLMARK_SHOW=1 cargo test --test wire_field -- --nocapture` prints every finding.

#[path = "common/shared.rs"]
mod shared;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use mcp_hallmark::assertion::{Catalog, judge};
use mcp_hallmark::capture::read_events;
use mcp_hallmark::contract::{Builder, Contract};
use mcp_hallmark::score::{Scorecard, Verdict};
use serde_json::{Value, json};

use shared::beside;

fn field_captures() -> Vec<PathBuf> {
    let Some(folder) = beside("captures") else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    files
}

/// A field capture as a capture of ours: one session over stdio, closed at its end.
fn convert(text: &str) -> String {
    let mut capture = String::new();
    let mut last_us = 0;
    for (seq, line) in text.lines().enumerate() {
        let event: Value = serde_json::from_str(line).unwrap();
        let direction = if event["dir"] == "c2s" { "client-to-server" } else { "server-to-client" };
        let raw = event["raw"].as_str().expect("every line of the field captures is UTF-8");
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(raw).is_ok();
        let payload = if is_json { raw.to_owned() } else { json!(raw).to_string() };
        last_us = (event["t"].as_f64().unwrap() * 1e6) as u64;
        writeln!(
            capture,
            r#"{{"seq":{seq},"direction":"{direction}","transport":"stdio","kind":"message","t_us":{last_us},"payload":{payload}}}"#
        )
        .unwrap();
    }
    let seq = text.lines().count();
    writeln!(
        capture,
        r#"{{"seq":{seq},"direction":"client-to-server","transport":"stdio","kind":"lifecycle","event":"transport-close","t_us":{last_us}}}"#
    )
    .unwrap();
    capture
}

fn contract(capture: &str) -> Contract {
    let mut builder = Builder::new();
    read_events(capture.as_bytes(), |event| builder.see(event)).unwrap();
    builder.finish()
}

fn scorecard(catalog: &Catalog, path: &Path) -> (Contract, Scorecard) {
    let contract = contract(&convert(&std::fs::read_to_string(path).unwrap()));
    let wire = catalog.sets().iter().find(|set| set.set.id == "wire").unwrap();
    let scorecard = judge(&contract, catalog, &[wire], &|text| text.len() / 4);
    (contract, scorecard)
}

#[test]
fn every_finding_on_the_field_captures_shows_bytes_of_its_server() {
    let catalog = Catalog::builtin();
    let show = std::env::var_os("HALLMARK_SHOW").is_some();
    for path in field_captures() {
        let name = path.file_name().unwrap().to_string_lossy();
        let (contract, scorecard) = scorecard(catalog, &path);
        for assertion in &scorecard.wire.assertions {
            assert_eq!(
                matches!(assertion.verdict, Verdict::Fail),
                assertion.checks.iter().any(|check| check.required && !check.findings.is_empty()),
                "{name} {}",
                assertion.id
            );
            for check in &assertion.checks {
                for finding in &check.findings {
                    assert!(!finding.seq.is_empty(), "{name} {}: no evidence", check.id);
                    assert!(finding.seq.iter().all(|seq| *seq <= contract.last_seq));
                    if show {
                        println!(
                            "{name}\t{}\t{}\t{}\t{:?}\t{}",
                            assertion.id, check.id, check.required, finding.seq, finding.message
                        );
                    }
                }
            }
            if show {
                println!(
                    "{name}\t{}\t{}\t{}",
                    assertion.id,
                    assertion.verdict.name(),
                    assertion.evidence
                );
            }
        }
    }
}

#[test]
fn the_wire_set_is_whole() {
    let catalog = Catalog::builtin();
    for id in ["W1", "W2", "W3", "W4", "W5", "W6"] {
        assert!(catalog.assertion(id).is_some(), "{id}");
    }
    let clauses: Vec<_> = catalog.rules().clauses().map(|clause| &*clause.id).collect();
    let judged = catalog.assertions().iter().flat_map(|a| &a.versions).flat_map(|v| &v.checks);
    let used: Vec<_> = judged.map(|check| &*check.rule).collect();
    for clause in clauses {
        assert!(used.contains(&clause), "no check judges {clause}");
    }
}
