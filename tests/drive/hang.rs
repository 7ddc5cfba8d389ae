//! Targets that stop answering without ending: the run ends all the same, and soon.
#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use mcp_hallmark::capture::EndCause;
use mcp_hallmark::scenario::load_builtin;
use mcp_hallmark::target::{Limits, TargetSpec};
use serde_json::Value;

use crate::common::record;
use crate::support::events;
use mcp_hallmark::capture::Memory;

/// Answers by rote, stops itself at request number `$1`, and leaves what matches `$2` unanswered.
const SERVER: &str = r#"
echo $$ >&2
n=0
while read -r line; do
  case "$line" in *'"id":'*) n=$((n+1));; *) continue;; esac
  if [ "$n" -ge "$1" ]; then kill -STOP $$; fi
  case "$line" in *"$2"*) continue;; esac
  id=${line#*'"id":'}; id=${id%%,*}
  list='"ttlMs":0,"cacheScope":"private"'
  tool='"inputSchema":{"type":"object","properties":{"q":{"type":"string"}}},"annotations":{"readOnlyHint":true}'
  case "$line" in
  *'"server/discover"'*) r='"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},'$list;;
  *'"tools/list"'*) r='"tools":[{"name":"a",'$tool'},{"name":"b",'$tool'},{"name":"c",'$tool'}],'$list;;
  *) r='"content":[{"type":"text","text":"x"}]';;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}\n' "$id" "$r"
done
"#;

fn server(stops_at: u32, mute: &str) -> TargetSpec {
    let args = ["-c", SERVER, "sh", &stops_at.to_string(), mute];
    TargetSpec::Stdio {
        command: "sh".to_owned(),
        args: args.map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
    }
}

fn limits() -> Limits {
    Limits {
        request: Duration::from_millis(900),
        cold_start: Duration::from_millis(2000),
        probe: Duration::from_millis(800),
        alive: Duration::from_millis(500),
        ..Limits::default()
    }
}

/// Steps of the requests, in order.
fn requests(captured: &Memory) -> Vec<Value> {
    let sent =
        |event: &Value| event["direction"] == "client-to-server" && event["payload"]["id"].is_i64();
    events(captured).into_iter().filter(sent).map(|event| event["step"].clone()).collect()
}

fn is_running(pid: &str) -> bool {
    Command::new("sh").args(["-c", "kill -0 $0 2>&-", pid]).status().expect("a shell").success()
}

#[tokio::test]
async fn a_server_that_stops_before_discovery_is_given_up_after_one_cold_start() {
    let scenario = load_builtin("any-server").expect("it is built in");
    let started = Instant::now();
    let (outcome, captured) =
        record(server(1, "nothing of the kind"), &scenario, limits(), false, None).await;
    let took = started.elapsed();
    let error = outcome.expect_err("it never answered").to_string();
    assert!(error.contains("no answer to initialize"), "{error}");
    // Both waits together are the limit; the rest is for the ends of two processes.
    assert!(took < Duration::from_secs(6), "{took:?}");
    assert_eq!(requests(&captured).len(), 2);
}

#[tokio::test]
async fn a_server_that_stops_in_the_middle_is_ended_and_its_run_with_it() {
    let scenario = load_builtin("any-server").expect("it is built in");
    let started = Instant::now();
    let (outcome, captured) =
        record(server(7, "nothing of the kind"), &scenario, limits(), false, None).await;
    let took = started.elapsed();
    let end = outcome.expect("it was discovered").end;
    assert!(took < Duration::from_secs(8), "{took:?}");
    assert_eq!(end.cause, EndCause::TargetDied);
    let detail = end.detail.expect("a run that is cut short says why");
    assert!(detail.contains("answers nothing any more"), "{detail}");
    let requests = requests(&captured);
    // Twice: six answered, one not, and one for a sign of life.
    assert_eq!(requests.len(), 16, "{requests:?}");
    assert_eq!(requests[15]["case"], "still there");
    assert!(!is_running(end.stderr.trim()), "the stopped process {} is there", end.stderr);
}

#[tokio::test]
async fn a_tool_that_does_not_answer_does_not_end_its_server() {
    let scenario = load_builtin("any-server").expect("it is built in");
    let mute = r#""name":"b""#;
    let (outcome, captured) = record(server(9999, mute), &scenario, limits(), false, None).await;
    let end = outcome.expect("it was discovered").end;
    assert_eq!(end.cause, EndCause::Complete, "{:?}", end.detail);
    let requests = requests(&captured);
    let asked = requests.iter().filter(|step| step["case"] == "still there").count();
    assert!((1..=3).contains(&asked), "silences are few: {requests:?}");
}
