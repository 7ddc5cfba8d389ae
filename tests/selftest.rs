//! The kill matrix from outside. The whole of it takes an optimised build, and is a step of its own
//! in `.ci/run`; what is here proves that the command tells a killed mutant from one that survives.

use std::process::{Command, Output};

use mcp_hallmark::assertion::Catalog;
use serde_json::Value;

const SERVER: &str = env!("CARGO_BIN_EXE_hallmark");

fn hallmark(args: &[&str]) -> Output {
    Command::new(SERVER).args(args).output().expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_clean_reference_server_has_no_finding() {
    let output = hallmark(&["check", "--set", "all", "--report", "json"]);
    let card: Value = serde_json::from_slice(&output.stdout).expect("a scorecard");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!said.contains("program said nothing"), "end the program with `, true`");
    let mut findings = Vec::new();
    let mut pending = vec![&card];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                findings.extend(
                    members.get("findings").and_then(Value::as_array).into_iter().flatten(),
                );
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            _ => {}
        }
    }
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn mutants_on_stdio_and_over_http_are_killed() {
    let output = hallmark(&["selftest", "names-verb-noun", "answers-with-another-status"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("drops-the-noun") && said.contains("by names-verb-noun"), "{said}");
    assert!(said.contains("by http-status"), "{said}");
    assert!(said.contains("2 mutants: 2 killed, 0 survive"), "{said}");
}

#[test]
fn a_mutant_that_cannot_apply_to_a_server_proves_nothing_and_is_said() {
    let output = hallmark(&["selftest", "answers-with-another-status", "--", SERVER, "serve"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("not driven over HTTP"), "{said}");
}

#[test]
fn unknown_names_are_usage() {
    let output = hallmark(&["selftest", "no-such-mutant"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
}

#[test]
fn every_check_has_a_mutant_or_a_reason() {
    let assertions = Catalog::builtin().assertions();
    let kills = |id: &str| {
        let mut mutants = assertions.iter().flat_map(|assertion| &assertion.mutants);
        mutants.any(|mutant| mutant.kills.iter().any(|kill| kill == id))
    };
    for check in assertions.iter().flat_map(|a| &a.versions).flat_map(|version| &version.checks) {
        assert_ne!(kills(&check.id), check.without_mutant.is_some(), "{}", check.id);
    }
}
