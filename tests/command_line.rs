//! The binary from outside: exit codes, streams, and what it says of bad input.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn hallmark(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hallmark"))
        .args(args)
        .env_remove("HALLMARK_REPORT")
        .output()
        .expect("the binary starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).expect("writable");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn the_main_command_ends_in_ten_of_ten() {
    let output = hallmark(&["check"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    assert!(text.trim_end().ends_with("10/10"), "{text}");
    for id in ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "W1", "W6"] {
        assert!(text.contains(&format!(" {id} ")), "no row for {id}:\n{text}");
    }
}

#[test]
fn a_recorded_run_scores_to_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let captures = folder.path().join("captures");
    let card = folder.path().join("card.json");
    let flag = format!("json={}", card.display());
    let output =
        hallmark(&["check", "--capture-dir", captures.to_str().expect("UTF-8"), "--report", &flag]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let capture = fs::read_dir(&captures)
        .expect("the folder was made")
        .next()
        .expect("one capture")
        .expect("readable")
        .path();
    let again = hallmark(&["score", capture.to_str().expect("UTF-8"), "--report", "json"]);
    assert_eq!(stdout(&again), fs::read_to_string(&card).expect("written"));
}

#[test]
fn a_target_that_cannot_be_driven_is_three_and_one_clear_line() {
    for command in [&["/nonexistent/server"][..], &["false"], &["sh", "-c", "echo hello; exit 7"]] {
        let mut args = vec!["check", "--report", "json", "--"];
        args.extend(command);
        let output = hallmark(&args);
        assert_eq!(output.status.code(), Some(3), "{command:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "a score for {command:?}");
        assert!(stderr(&output).starts_with("error: failed to "), "{}", stderr(&output));
        assert!(stderr(&output).contains("fix: "), "{}", stderr(&output));
    }
    // Dead before it has listed a tool.
    let server = r#"read -r line
      id=$(printf '%s' "$line" | sed 's/.*"id": *\([0-9]*\).*/\1/')
      printf '{"jsonrpc":"2.0","id":%s,%s\n' "$id" '"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}'
      read -r line; exit 1"#;
    let output = hallmark(&["check", "--report", "json", "--", "sh", "-c", server]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&output).is_empty(), "{}", stdout(&output));
    assert!(stderr(&output).starts_with("error: failed to see the tools"), "{}", stderr(&output));
    let empty = hallmark(&["check", "--"]);
    assert_eq!(empty.status.code(), Some(2), "{}", stdout(&empty));
    // A command whose own last word is the dashes is one.
    let dashes = hallmark(&["check", "--", "false", "--"]);
    assert_eq!(dashes.status.code(), Some(3), "{}", stderr(&dashes));
    let odd = hallmark(&["check", "--url", "notaurl", "--timeout", "18446744073709551615"]);
    assert_eq!(odd.status.code(), Some(2), "{}", stderr(&odd));
    let refused = hallmark(&["check", "--url", "http://127.0.0.1:9/mcp"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
}

#[test]
fn a_malformed_scenario_points_at_line_and_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(
        folder.path(),
        "mine.yaml",
        "id: mine\nkind: server\ntitle: Mine\nflowz:\n  - cold_start\n",
    );
    let output = hallmark(&["check", &file]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("mine.yaml:4:1"), "{text}");
    assert!(text.contains("flows"), "the nearest valid key is named: {text}");
}

#[test]
fn unknown_names_get_the_nearest_one() {
    for (args, near) in [
        (&["explain", "A90"][..], "A9"),
        (&["check", "github-isues"], "github-issues"),
        (&["check", "--set", "agent-facin"], "agent-facing"),
        (&["check", "--report", "jsn"], "json"),
        (&["check", "--revision", "2025-11-26"], "2025-11-25"),
        (&["serve", "--contract", "github"], "github-issues"),
    ] {
        let output = hallmark(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(near), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn one_bad_file_does_not_hide_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = folder.path().join("good.jsonl");
    let recorded = hallmark(&["record", "-o", good.to_str().expect("UTF-8")]);
    assert_eq!(recorded.status.code(), Some(0), "{}", stderr(&recorded));
    let bad = write(folder.path(), "bad.jsonl", "this is no capture\n");
    let output = hallmark(&["score", &bad, good.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("bad.jsonl"), "{}", stderr(&output));
    assert!(stdout(&output).trim_end().ends_with("10/10"), "{}", stdout(&output));
}

#[test]
fn a_truncated_capture_is_undecided_and_never_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole.jsonl");
    hallmark(&["record", "-o", whole.to_str().expect("UTF-8")]);
    let text = fs::read_to_string(&whole).expect("a capture");
    let half: String = text.chars().take(text.chars().count() / 2).collect();
    let half = write(folder.path(), "half.jsonl", &half);
    let output = hallmark(&["score", &half]);
    assert_eq!(output.status.code(), Some(1), "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("undecided"), "{}", stdout(&output));
    assert!(stdout(&output).contains("truncated"), "{}", stdout(&output));
}

#[test]
fn reports_that_cannot_be_written_are_known_before_the_run() {
    let output = hallmark(&["check", "--report", "json=/nonexistent/folder/card.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).is_empty());
    assert!(stderr(&output).contains("/nonexistent/folder/card.json"), "{}", stderr(&output));
    let two = hallmark(&["check", "--report", "json", "--report", "markdown"]);
    assert_eq!(two.status.code(), Some(2));
}

#[test]
fn a_capture_goes_to_standard_output_alone_and_is_readable_by_nobody_else() {
    let output = hallmark(&["record", "-o", "-", "any-server", "--contract", "github-issues"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!Path::new("-").exists());
    let text = stdout(&output);
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    assert!(text.lines().next_back().is_some_and(|line| line.contains("\"end\"")), "{text}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let named = folder.path().join("named.jsonl");
        hallmark(&["record", "-o", named.to_str().expect("UTF-8"), "--", "false"]);
        let captures = folder.path().join("captures");
        hallmark(&["check", "--capture-dir", captures.to_str().expect("UTF-8"), "--", "false"]);
        let kept = fs::read_dir(&captures).expect("made").map(|entry| entry.expect("one").path());
        let files: Vec<_> = kept.chain([named]).collect();
        assert_eq!(files.len(), 2);
        for file in files {
            let mode = fs::metadata(&file).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", file.display());
        }
    }
}

#[test]
fn a_temporary_capture_is_gone_afterwards_and_secrets_are_not_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_hallmark"))
        .args(["check", "--", "sh", "-c", "echo \"\\033[31m $2\" >&2; exit 7", "sh", "--token"])
        .arg("abcDEF99")
        .env("TMPDIR", folder.path())
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    assert!(!stderr(&output).contains("abcDEF99"), "{}", stderr(&output));
    assert!(stderr(&output).contains("[redacted:token-1]"), "{}", stderr(&output));
    assert!(!stderr(&output).contains('\u{1b}'), "{}", stderr(&output));
}

#[test]
fn secrets_are_not_taken_from_the_command_line() {
    let output = hallmark(&[
        "check",
        "--url",
        "http://127.0.0.1:9/mcp",
        "--header",
        "Authorization=Bearer abcdef",
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("ENV:VARIABLE"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("abcdef"), "{}", stderr(&output));
}

#[test]
fn machine_output_and_talk_are_on_different_streams() {
    let output = hallmark(&["check", "--report", "json"]);
    let card: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    assert_eq!(card["score"]["passed"], 10);
    assert_eq!(card["score"]["scored"], 10);
}

#[test]
fn a_port_in_use_is_said() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    let output = hallmark(&["serve", "--http", &address]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains(&address), "{}", stderr(&output));
}

#[test]
fn a_set_that_is_asked_for_alone_is_shown_once() {
    let output = hallmark(&["check", "--set", "wire"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert_eq!(text.matches(" W1 ").count(), 1, "{text}");
    assert!(text.trim_end().ends_with("6/6"), "{text}");
}

#[test]
fn all_sets_are_judged_each_once() {
    let output = hallmark(&["check", "--set", "all", "--set", "agent-facing"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let scores: Vec<&str> =
        text.lines().filter(|line| line.contains("@20") && line.contains(": ")).collect();
    let names: std::collections::BTreeSet<&str> =
        scores.iter().filter_map(|line| line.split('@').next()).collect();
    assert_eq!(names.len(), scores.len(), "{scores:?}");
    assert!(names.contains("agent-facing") && names.contains("wire"), "{scores:?}");
}

#[test]
fn an_audit_tells_what_was_covered_and_holds_its_gate() {
    let clean = hallmark(&["audit"]);
    let said = String::from_utf8_lossy(&clean.stdout);
    assert_eq!(clean.status.code(), Some(0), "{said}");
    assert!(said.contains("no findings") && said.contains("6 Errors and recovery"), "{said}");
    // What a scenario of discovery alone cannot show is not checked, and says why.
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("discovery.yaml");
    std::fs::write(
        &scenario,
        "id: discovery\nkind: server\ntitle: x\nset: agent-facing\nflows: [cold_start]\n",
    )
    .unwrap();
    let path = scenario.to_str().unwrap();
    let short = hallmark(&["audit", path, "--contract", "github-issues", "--report", "markdown"]);
    let said = String::from_utf8_lossy(&short.stdout);
    let errors = said.lines().find(|line| line.starts_with("| 6 Errors and recovery")).unwrap();
    assert!(errors.contains("not judged: "), "{said}");
}

#[test]
fn twice_verbose_logs_the_wire_by_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = write(
        folder.path(),
        "short.yaml",
        "id: short\nkind: server\ntitle: x\nset: agent-facing\nflows: [cold_start]\n",
    );
    let logged = hallmark(&["-vv", "check", &scenario, "--contract", "github-issues"]);
    let said = stderr(&logged);
    for word in ["opened a session", "sent", "received"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("github_get_issue"), "{said}");
}
