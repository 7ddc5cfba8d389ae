//! Fault rules between target and recorder.

use std::time::{Duration, Instant};

use mcp_hallmark::contract::Answer;
use mcp_hallmark::target::{Ending, Limits};
use serde_json::{Value, json};

use crate::common::{Run, Setup, echo, fixture, messages, run, step};

fn faulty(rules: Value) -> Run {
    let limits = Limits { request: Duration::from_secs(1), ..Limits::default() };
    run(Setup { limits, rules, ..Setup::default() })
}

const CALL: &str = "tools/call";

fn from_server(change: Value) -> Value {
    let mut rule = json!({"on": {"direction": "server-to-client", "method": CALL}});
    rule.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    json!([rule])
}

#[tokio::test]
async fn a_server_frame_is_changed_before_it_is_recorded() {
    let program =
        r#".result.content[0].text = "\($request.params.arguments.a) \($n) \($calls.echo)""#;
    let run = faulty(from_server(json!({"jq": program})));
    let mut session = run.dialer.open(&fixture(&["modern"]), &step()).await.unwrap();
    for n in 1..=2 {
        let reply = session.request(&step(), CALL, echo()).await;
        assert_eq!(reply.result().unwrap()["content"][0]["text"], format!("1 {n} {n}"));
    }
    session.close().await;
    let events = run.finish();
    let last = messages(&events, "server-to-client").pop().unwrap().clone();
    assert_eq!(last["result"]["content"][0]["text"], "1 2 2");
    assert_eq!(run.dialer.into_faults().unwrap().applied().next().unwrap().1, 2);
}

#[tokio::test]
async fn a_client_frame_is_recorded_before_it_is_changed() {
    let rules = json!([{"on": {"direction": "client-to-server", "tool": "echo"},
                        "jq": ".params.arguments = {b: 2}"}]);
    let run = faulty(rules);
    let mut session = run.dialer.open(&fixture(&["modern"]), &step()).await.unwrap();
    let reply = session.request(&step(), CALL, echo()).await;
    assert!(reply.result().unwrap()["content"][0]["text"].as_str().unwrap().contains("\"b\":2"));
    session.close().await;
    let events = run.finish();
    let sent = messages(&events, "client-to-server").pop().unwrap().clone();
    assert_eq!(sent["params"]["arguments"], json!({"a": 1}));
}

#[tokio::test]
async fn frames_are_dropped_delayed_doubled_and_spoilt() {
    for (change, answered) in [
        (json!({"drop": true}), false),
        (json!({"delay": 200}), true),
        (json!({"delay": 1600}), false),
        (json!({"duplicate": true}), true),
        (json!({"truncate": 10}), false),
        (json!({"garbage": "Oops"}), true),
        (json!({"replace": {"jsonrpc": "2.0", "id": 99, "result": {}}}), false),
        (json!({"jq": "., .result.again = true"}), true),
        (json!({"status": 503}), true),
    ] {
        let run = faulty(from_server(change.clone()));
        let mut session = run.dialer.open(&fixture(&["modern"]), &step()).await.unwrap();
        let reply = session.request(&step(), CALL, echo()).await;
        assert_eq!(reply.is_answered(), answered, "{change}");
        assert!(!reply.is_dead());
        session.close().await;
        let events = run.finish();
        let received = messages(&events, "server-to-client");
        match change.as_object().unwrap().keys().next().unwrap().as_str() {
            "duplicate" | "jq" => assert_eq!(received.len(), 3, "{change}"),
            "garbage" => assert_eq!(received[1], "Oops"),
            "truncate" => assert_eq!(received[1], "{\"jsonrpc\""),
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_rule_closes_the_connection() {
    let run = faulty(from_server(json!({"close": true})));
    let mut session = run.dialer.open(&fixture(&["modern"]), &step()).await.unwrap();
    let started = Instant::now();
    assert!(session.request(&step(), CALL, echo()).await.is_dead());
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(session.death().unwrap().ending, Ending::Fault);
    run.finish();
}

#[tokio::test]
async fn a_reordered_answer_comes_after_the_next_frame() {
    let run = faulty(from_server(json!({"reorder": true})));
    let mut session = run.dialer.open(&fixture(&["modern"]), &step()).await.unwrap();
    let first = session.request(&step(), CALL, echo()).await;
    assert!(matches!(first.answer, Answer::Unanswered));
    assert!(session.request(&step(), "tools/list", Value::Null).await.is_answered());
    session.close().await;
    let events = run.finish();
    let ids: Vec<i64> = messages(&events, "server-to-client")
        .iter()
        .map(|message| message["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids, [1, 3, 2]);
}
