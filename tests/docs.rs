//! The documents keep what they promise: their examples run, and their tables name what there is.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use mcp_hallmark::assertion::Each;
use mcp_hallmark::scenario::{FlowName, RunLimits, load_scenario};
use serde::de::DeserializeOwned;

fn hallmark(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hallmark")).args(args).output().expect("the binary starts")
}

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    fs::read_to_string(path).expect("readable")
}

/// The fenced blocks of a language, in order.
fn blocks<'a>(document: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    let after = document.split(fence.as_str()).skip(1);
    after.filter_map(|rest| rest.split("```").next()).collect()
}

/// The first column of the table below a heading.
fn first_column(document: &str, heading: &str) -> BTreeSet<String> {
    let section = document.split(heading).nth(1).unwrap_or_else(|| panic!("no {heading:?}"));
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.split('`').nth(1)).map(str::to_owned).collect()
}

/// The names of an enum, as its reader lists them when it meets an unknown one.
fn names<T: DeserializeOwned>() -> BTreeSet<String> {
    let said = serde_json::from_str::<T>("\"?\"").err().expect("no such name").to_string();
    let known = said.split("expected one of ").nth(1).expect("a list of names");
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_first_assertion_passes_on_the_bundled_server_and_its_mutant_is_seen() {
    let text = document("docs/assertions.md");
    let [assertion, set] = blocks(&text, "yaml")[..] else { panic!("two files are shown") };
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("sets")).expect("writable");
    fs::write(folder.path().join("X1.yaml"), assertion).expect("writable");
    fs::write(folder.path().join("sets/mine@2026-12-01.yaml"), set).expect("writable");
    let folder = folder.path().to_str().expect("UTF-8");

    let output = hallmark(&["check", "--assertions", folder, "--set", "mine"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("8 tools say when to use them"), "{said}");
    assert!(said.trim_end().ends_with("mine@2026-12-01: 1/1"), "{said}");

    // The program itself, on the description that the mutant leaves behind.
    let bad =
        r#"{"name":"a_tool","description":"Does something.","inputSchema":{"type":"object"}}"#;
    let capture = listing(bad);
    let file = Path::new(folder).join("capture.jsonl");
    fs::write(&file, capture).expect("writable");
    let file = file.to_str().expect("UTF-8");
    let output = hallmark(&["score", file, "--assertions", folder, "--set", "mine"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("a_tool does not say when to use it"), "{said}");
}

/// A capture without a header in which one tool is listed.
fn listing(tool: &str) -> String {
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{tool}]}}}}"#);
    let event = |seq: u32, direction: &str, payload: &str| {
        format!(
            r#"{{"seq":{seq},"direction":"{direction}","transport":"stdio","kind":"message","payload":{payload},"session":0,"t_us":{seq}}}"#
        )
    };
    let sent = event(1, "client-to-server", request);
    format!("{sent}\n{}\n", event(2, "server-to-client", &answer))
}

#[test]
fn the_table_of_subjects_is_complete() {
    let text = document("docs/assertions.md");
    assert_eq!(first_column(&text, "## Subjects"), names::<Each>());
}

#[test]
fn the_example_of_a_scenario_is_one() {
    let text = document("docs/scenarios.md");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("notes.yaml");
    fs::write(&file, blocks(&text, "yaml")[0]).expect("writable");
    load_scenario(&file).expect("a scenario");
}

#[test]
fn the_tables_of_flows_and_limits_are_complete() {
    let text = document("docs/scenarios.md");
    assert_eq!(first_column(&text, "## Flows"), names::<FlowName>());
    let said = format!("{:?}", RunLimits::default());
    let limits: BTreeSet<String> = said
        .split(['{', ','])
        .filter_map(|part| part.split(':').next())
        .filter(|name| !name.contains("RunLimits"))
        .map(|name| name.trim().to_owned())
        .collect();
    assert_eq!(first_column(&text, "## Limits"), limits);
}
