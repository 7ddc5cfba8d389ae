//! Well-behaved servers over stdio, and what the recorder makes of them.

use std::time::{Duration, Instant};

use mcp_hallmark::target::TargetSpec;
use mcp_hallmark::wire::Revision;
use serde_json::{Value, json};

use crate::common::{Setup, echo, fixture, messages, run, step};

#[tokio::test]
async fn a_modern_server_is_discovered_and_called() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&["modern"]), &step()).await.unwrap();
    assert_eq!(session.revision(), Revision::V2026_07_28);
    assert_eq!(session.capabilities(), &json!({"tools": {}}));
    let reply = session.request(&step(), "tools/call", echo()).await;
    assert!(reply.is_answered());
    assert!(reply.result().unwrap()["content"][0]["text"].as_str().unwrap().contains("echo"));
    session.close().await;

    let events = run.finish();
    let sent = messages(&events, "client-to-server");
    let ids: Vec<&Value> = sent.iter().map(|message| &message["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(2)]);
    for message in sent {
        let meta = &message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-hallmark");
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
    }
    let end = &events.last().unwrap();
    assert_eq!(end["event"], "transport-close");
    assert_eq!(end["detail"], Value::Null);
    assert_eq!(end["end"]["counts"]["requests"], 2);
    assert_eq!(end["end"]["counts"]["events"], events.len());
    assert_eq!(events[1]["step"], json!({"flow": "cold_start", "case": "test"}));
}

#[tokio::test]
async fn a_handshake_server_is_shaken_hands_with_on_the_same_process() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&["legacy"]), &step()).await.unwrap();
    assert_eq!(session.revision(), Revision::V2025_11_25);
    assert_eq!(session.number(), 0);
    let reply = session.request(&step(), "tools/list", Value::Null).await;
    assert_eq!(reply.result().unwrap()["tools"][0]["name"], "echo");
    session.close().await;
    let events = run.finish();
    let sent = messages(&events, "client-to-server");
    let methods: Vec<&str> = sent.iter().map(|m| m["method"].as_str().unwrap()).collect();
    assert_eq!(
        methods,
        ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    );
    assert_eq!(sent[3].get("params"), None);
}

#[tokio::test]
async fn later_sessions_know_the_era() {
    let run = run(Setup::default());
    let first = run.dialer.open(&fixture(&["legacy"]), &step()).await.unwrap();
    first.close().await;
    let mut second = run.dialer.open(&fixture(&["legacy"]), &step()).await.unwrap();
    assert_eq!(second.number(), 1);
    second.reopen(&step()).await.unwrap();
    assert_eq!(second.number(), 2);
    second.close().await;
    let events = run.finish();
    let discovers = messages(&events, "client-to-server")
        .iter()
        .filter(|message| message["method"] == "server/discover")
        .count();
    assert_eq!(discovers, 1);
}

#[tokio::test]
async fn a_forced_revision_is_kept_or_refused() {
    let forced = |revision| run(Setup { forced: Some(revision), ..Setup::default() });
    let old = forced(Revision::V2025_06_18);
    let session = old.dialer.open(&fixture(&[]), &step()).await.unwrap();
    assert_eq!(session.revision(), Revision::V2025_06_18);
    session.close().await;
    let sent = old.finish();
    assert_eq!(messages(&sent, "client-to-server")[0]["method"], "initialize");

    let new = forced(Revision::V2026_07_28);
    let error = new.dialer.open(&fixture(&["legacy"]), &step()).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "open a session: server/discover was refused: Method not found (-32601)"
    );
}

#[tokio::test]
async fn a_command_that_is_not_there_is_named() {
    let run = run(Setup::default());
    let spec = TargetSpec::Stdio {
        command: "no-such-command-anywhere".to_owned(),
        args: vec![],
        env: vec![],
        cwd: None,
    };
    let error = run.dialer.open(&spec, &step()).await.err().unwrap();
    assert!(error.to_string().starts_with("start `no-such-command-anywhere`: "), "{error}");
    let events = run.finish();
    assert_eq!(events.last().unwrap()["event"], "transport-abort");
}

#[tokio::test]
async fn secrets_never_reach_the_capture() {
    let run = run(Setup::default());
    let TargetSpec::Stdio { command, args, cwd, .. } = fixture(&["modern"]) else { unreachable!() };
    let env = vec![("API_TOKEN".to_owned(), "s3cr3t/\"quoted\"-é".to_owned())];
    let spec = TargetSpec::Stdio { command, args, env, cwd };
    let mut session = run.dialer.open(&spec, &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", echo()).await;
    let live = reply.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(live.contains("s3cr3t"), "the driver sees what was on the wire: {live}");
    session.close().await;
    run.finish();
    let text = run.memory.text();
    assert!(!text.contains("s3cr3t"), "{text}");
    assert!(text.contains("[redacted:api-token-1]"), "{text}");
}

#[tokio::test]
async fn an_echoed_secret_reaches_the_capture_in_no_spelling() {
    const TOKEN: &str = "tok/\"é+9?secret";
    let run = run(Setup::default());
    let TargetSpec::Stdio { command, mut args, cwd, .. } = fixture(&["modern", "echoes-secret"])
    else {
        unreachable!()
    };
    // The last words of the command are the fixture's; it ignores those that it does not know.
    args.push("--api-key=argument-9f8e7d".to_owned());
    let env = vec![("API_TOKEN".to_owned(), TOKEN.to_owned())];
    let spec = TargetSpec::Stdio { command, args, env, cwd };
    let mut session = run.dialer.open(&spec, &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", echo()).await;
    let echoed = reply.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    let spelled: Vec<String> = serde_json::from_str(&echoed).unwrap();
    assert!(spelled.len() > 10 && spelled[0] == TOKEN, "{spelled:?}");
    session.close().await;
    run.finish();
    let text = run.memory.text();
    for spelling in spelled.iter().map(String::as_str).chain(["argument-9f8e7d"]) {
        let quoted = serde_json::Value::from(spelling).to_string();
        assert!(!text.contains(spelling), "{spelling} in {text}");
        assert!(!text.contains(quoted.trim_matches('"')), "{spelling} in {text}");
    }
    // Base64 digits that the secret shares with its neighbours go as well.
    let events = run.memory.events();
    let shown =
        messages(&events, "server-to-client").pop().unwrap()["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned();
    let shown: Vec<String> = serde_json::from_str(&shown).expect("JSON in a string stays JSON");
    assert_eq!(shown.len(), spelled.len());
    for shown in &shown {
        assert!(shown.contains("[redacted:api-token-1]"), "{shown}");
    }
}

#[tokio::test]
async fn requests_of_the_server_are_answered() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&["asks-back"]), &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", echo()).await;
    let text = reply.result().unwrap()["content"][0]["text"].as_str().unwrap().to_owned();
    let answers: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answers[0], json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(answers[1]["error"]["code"], -32601);
    session.close().await;
    run.finish();
}

#[tokio::test]
async fn a_server_that_ends_at_the_end_of_its_input_costs_no_waiting() {
    // A shell starts and ends at once, so that what is measured is hallmark's own waiting.
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"]}}"#;
    let script = format!("read line; echo '{answer}'; while read line; do :; done; echo goodbye");
    let spec = TargetSpec::Stdio {
        command: "sh".to_owned(),
        args: vec!["-c".to_owned(), script],
        env: vec![],
        cwd: None,
    };
    let run = run(Setup::default());
    let session = run.dialer.open(&spec, &step()).await.unwrap();
    let started = Instant::now();
    session.close().await;
    let took = started.elapsed();
    assert!(took < Duration::from_millis(400), "{took:?}");
    let events = run.finish();
    assert_eq!(messages(&events, "server-to-client").last().unwrap(), &"goodbye");
    assert_eq!(events.last().unwrap()["detail"], Value::Null);
}
