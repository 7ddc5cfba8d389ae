//! How a run ends before its time, and what is left of it: signals, limits, and processes that hide.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// Leaves a process behind that has another session and another environment, and lost its parents;
/// then answers by rote, but for calls when `$1` says `mute`. `$0` is a folder for notes.
const SERVER: &str = r#"
(setsid env -i /bin/sh -c 'echo $$ > "$0/orphan"; exec sleep 300' "$0" </dev/null >/dev/null 2>&1 &)
sleep 300 &
echo $! > "$0/child"
if command -v setsid >/dev/null; then until [ -s "$0/orphan" ]; do sleep 0.05; done; fi
while read -r line; do
  case "$line" in *'"id":'*) ;; *) continue;; esac
  id=${line#*'"id":'}; id=${id%%,*}
  list='"ttlMs":0,"cacheScope":"private"'
  tool='"inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"annotations":{"readOnlyHint":true}'
  case "$line" in
  *'"server/discover"'*) r='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},'$list;;
  *'"tools/list"'*) r='"tools":[{"name":"a",'$tool'}],'$list;;
  *) echo x > "$0/called"; [ "$1" = mute ] && continue
     r='"content":[{"type":"text","text":"x"}]';;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}\n' "$id" "$r"
done
"#;

fn hallmark(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hallmark"));
    command.args(args).env_remove("HALLMARK_REPORT").env("TMPDIR", folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn driven(folder: &Path, how: &str, args: &[&str]) -> Command {
    let mut command = hallmark(folder, &["check"]);
    command.args(args).args(["--", "sh", "-c", SERVER]).arg(folder).arg(how);
    command
}

fn wait_for(what: &str, mut is_there: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_there() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a pid")), signal).expect("it runs");
}

/// Whether the process runs that wrote its number into a note.
fn is_running(note: &Path) -> bool {
    let pid: i32 = fs::read_to_string(note).expect("a note").trim().parse().expect("a number");
    // A zombie that its new parent has not yet collected is as good as gone.
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    kill(Pid::from_raw(pid), None).is_ok() && !status.contains("State:\tZ")
}

/// The last event of the only capture in a folder.
fn last_event(folder: &Path) -> Option<Value> {
    let files = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let capture = files.into_iter().find(|path| path.extension().is_some_and(|e| e == "jsonl"))?;
    serde_json::from_str(fs::read_to_string(capture).ok()?.lines().last()?).ok()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Only Linux finds processes that have left their group, and not every system has `setsid`.
fn can_hide() -> bool {
    let can = cfg!(target_os = "linux") && Command::new("setsid").arg("true").status().is_ok();
    if !can {
        println!("skipped: no Linux, or no setsid");
    }
    can
}

#[test]
fn a_signal_while_driving_keeps_the_capture_and_leaves_no_process() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129), (Signal::SIGINT, 130)] {
        let folder = tempfile::tempdir().expect("a folder");
        let child = driven(folder.path(), "mute", &[]).spawn().expect("the binary starts");
        wait_for("a call", || folder.path().join("called").exists());
        let sent = Instant::now();
        send(&child, signal);
        let output = child.wait_with_output().expect("it ends");
        let text = stderr(&output);
        if is_ignored(signal) {
            println!("skipped: {signal} is ignored here");
            continue;
        }
        assert_eq!(output.status.code(), Some(code), "{signal}: {text}");
        assert!(sent.elapsed() < Duration::from_secs(3), "{signal}: {:?}", sent.elapsed());
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains(folder.path().to_str().expect("UTF-8")), "{text}");
        let last = last_event(folder.path()).expect("the capture is there");
        assert_eq!(last["end"]["cause"], "interrupted", "{last}");
        assert_eq!(last["event"], "transport-close", "{last}");
        assert!(!is_running(&folder.path().join("child")), "{signal}: its child is there");
        if can_hide() {
            assert!(!is_running(&folder.path().join("orphan")), "{signal}: its orphan is there");
        }
    }
}

/// Whether a signal is ignored by this process, and so by what it starts.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal as i32 - 1) & 1 == 1
}

#[test]
fn a_signal_while_printing_ends_the_process_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let captures = folder.path().join("captures");
    // Nobody reads the report, and it is longer than a pipe.
    let sets = ["--set", "agent-facing@2026-07-29", "--set", "agent-facing@2026-07-30"];
    let mut command = hallmark(folder.path(), &["check", "--report", "json", "--capture-dir"]);
    let mut child = command.arg(&captures).args(sets).spawn().expect("the binary starts");
    wait_for("the end of driving", || {
        last_event(&captures).is_some_and(|event| event["end"].is_object())
    });
    std::thread::sleep(Duration::from_millis(500));
    assert!(child.try_wait().expect("it can be asked").is_none(), "the report fits into a pipe");
    send(&child, Signal::SIGTERM);
    let mut ended = None;
    wait_for("the end", || {
        ended = child.try_wait().expect("it can be asked");
        ended.is_some()
    });
    assert_eq!(ended.and_then(|status| status.code()), Some(143));
}

#[test]
fn what_a_server_leaves_behind_ends_with_a_clean_close() {
    if !can_hide() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = driven(folder.path(), "talk", &[]).output().expect("the binary starts");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    for note in ["orphan", "child"] {
        assert!(!is_running(&folder.path().join(note)), "its {note} is there");
    }
}

#[test]
fn a_run_that_takes_too_long_is_ended_and_passes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let captures = folder.path().join("captures");
    let captured = captures.to_str().expect("UTF-8");
    let started = Instant::now();
    let args = ["--max-time", "2", "--report", "json", "--capture-dir", captured];
    let output = driven(folder.path(), "mute", &args).output().expect("the binary starts");
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let last = last_event(&captures).expect("the capture is there");
    assert_eq!(last["end"]["cause"], "limit", "{last}");
    let card: Value = serde_json::from_slice(&output.stdout).expect("a scorecard");
    assert!(card["score"]["undecided"].as_u64().is_some_and(|n| n > 0), "{}", card["score"]);
    let calls = card["wire"]["assertions"].as_array().expect("assertions").iter();
    let unanswered = calls.filter(|row| row["verdict"] == "fail").count();
    assert_eq!(unanswered, 0, "nothing that hallmark did not wait for is held against the server");
}

#[test]
fn a_timeout_holds_for_the_first_answer_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let started = Instant::now();
    let args = ["check", "--timeout", "1", "--", "sh", "-c", "cat >/dev/null"];
    let output = hallmark(folder.path(), &args).output().expect("the binary starts");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

/// Lists one tool a page, and always a next page.
const ENDLESS: &str = r#"
n=0
while read -r line; do
  case "$line" in *'"id":'*) ;; *) continue;; esac
  id=${line#*'"id":'}; id=${id%%,*}
  n=$((n+1))
  list='"ttlMs":0,"cacheScope":"private"'
  case "$line" in
  *'"server/discover"'*) r='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}},'$list;;
  *'"tools/list"'*) r='"tools":[{"name":"acme_get_t'$n'","inputSchema":{"type":"object"}}],"nextCursor":"'$n'",'$list;;
  *) r='"prompts":[],'$list;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}\n' "$id" "$r"
done
"#;

#[test]
fn a_list_without_end_passes_nothing_that_is_about_all_tools() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = folder.path().join("mine.yaml");
    let text = "id: mine\nkind: server\ntitle: Mine\nflows: [cold_start]\nlimits: { pages: 4 }\n";
    fs::write(&scenario, text).expect("writable");
    let mut command = hallmark(folder.path(), &["check", "--report", "json"]);
    let output = command.arg(&scenario).args(["--", "sh", "-c", ENDLESS]).output();
    let output = output.expect("the binary starts");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let card: Value = serde_json::from_slice(&output.stdout).expect("a scorecard");
    assert_eq!(card["score"]["passed"], 0, "{card:#}");
}
