//! What hallmark finds wrong with a server.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Starts the program `$0` as the server with the defect `$1`. The test harness of the child prints
/// lines of its own, so its standard output goes nowhere and the server gets the pipe as number 3.
const LAUNCH: &str = r#"NOTES_DEFECT="$1" exec "$0" --exact serves_standard_streams --ignored --nocapture 3>&1 >/dev/null"#;

/// Every flow, as without a scenario; a call is slow after two seconds, so that no test waits for
/// half a minute.
const SCENARIO: &str = "\
id: defective
kind: server
title: A server with one defect
params: { long_call_ms: 2000 }
flows:
  - cold_start
  - calls
  - pages
  - detail
  - defaults
  - read_only
  - forced_errors: { per_tool: every_class }
  - repair
  - idempotency
  - protocol
";

/// A finding, as a reader of the report meets it.
#[derive(Debug)]
pub struct Found {
    pub check: String,
    pub said: String,
}

/// Every finding of every set on the server with a defect, or without one.
pub fn findings(defect: Option<&str>) -> Vec<Found> {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    let scenario = folder.path().join("defective.yaml");
    std::fs::write(&scenario, SCENARIO).unwrap();
    let program = std::env::current_exe().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_hallmark"))
        .arg("check")
        .arg(&scenario)
        .args(["--quiet", "--set", "all", "--timeout", "3"])
        .arg(format!("--report=json={}", card.display()))
        .args(["--", "sh", "-c", LAUNCH])
        .arg(program)
        .arg(defect.unwrap_or("none"))
        .output()
        .unwrap();
    if let Some(keep) = std::env::var_os("DEFECTS_CARDS") {
        let name = format!("{}.json", defect.unwrap_or("none"));
        let _ = std::fs::copy(&card, Path::new(&keep).join(name));
    }
    let mut found = Vec::new();
    match std::fs::read_to_string(&card) {
        Ok(text) => gather(&serde_json::from_str(&text).unwrap(), &mut found),
        Err(_) => found.push(Found {
            check: "not driven".to_owned(),
            said: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
    }
    found
}

fn gather(value: &Value, found: &mut Vec<Found>) {
    match value {
        Value::Object(members) => {
            for finding in members.get("findings").and_then(Value::as_array).into_iter().flatten() {
                found.push(Found {
                    check: members["id"].as_str().unwrap().to_owned(),
                    said: format!(
                        "{}: {}; {} {}",
                        finding["subject"],
                        finding["message"],
                        finding["pointer"],
                        finding["actual"]
                    ),
                });
            }
            members.values().for_each(|member| gather(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, found)),
        _ => {}
    }
}
