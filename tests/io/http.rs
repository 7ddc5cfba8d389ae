//! Streamable HTTP against a loopback server.

use std::time::{Duration, Instant};

use mcp_hallmark::contract::Answer;
use mcp_hallmark::drive::OpenError;
use mcp_hallmark::target::{Ending, Limits, TargetSpec};
use mcp_hallmark::wire::Revision;
use serde_json::{Value, json};

use crate::common::{Setup, messages, run, step};
use crate::endpoint::Server;

#[tokio::test]
async fn a_modern_endpoint_gets_routing_headers() {
    let server = Server::start(&["modern"]);
    let run = run(Setup::default());
    let mut session = run.dialer.open(&server.spec(), &step()).await.unwrap();
    assert_eq!(session.revision(), Revision::V2026_07_28);
    session.request(&step(), "tools/list", Value::Null).await;
    let call = json!({"name": "écho", "arguments": {"region": "west"}});
    let reply = session.request(&step(), "tools/call", call).await;
    assert_eq!(reply.status, Some(200));
    let seen = session.request(&step(), "test/seen", Value::Null).await;
    let headers = &seen.result().unwrap()["seen"][2]["headers"];
    let header = |name: &str| {
        let found = headers.as_object().unwrap().iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert_eq!(header("MCP-Protocol-Version"), "2026-07-28");
    assert_eq!(header("Mcp-Method"), "tools/call");
    assert_eq!(header("Mcp-Name"), "=?base64?w6ljaG8=?=");
    assert_eq!(header("Mcp-Param-Region"), "west");
    assert_eq!(header("Accept"), "application/json, text/event-stream");
    session.close().await;
    let events = run.finish();
    let post = events.iter().find(|event| event["method"] == "POST").unwrap();
    assert_eq!(post["headers"]["mcp-method"], "server/discover");
    assert_eq!(post["exchange"], 0);
    let answer = events.iter().find(|event| event["payload"]["result"].is_object()).unwrap();
    assert_eq!((&answer["exchange"], &answer["transport"]), (&json!(0), &json!("streamable-http")));
    assert!(!events.iter().any(|event| event["method"] == "DELETE"));
}

#[tokio::test]
async fn answers_come_as_streams_in_pieces() {
    for words in [&["modern", "sse"][..], &["modern", "sse", "split"]] {
        let server = Server::start(words);
        let run = run(Setup::default());
        let mut session = run.dialer.open(&server.spec(), &step()).await.unwrap();
        let reply = session.request(&step(), "tools/list", Value::Null).await;
        assert_eq!(reply.result().unwrap()["tools"][0]["name"], "écho");
        let methods: Vec<String> =
            session.take_notifications().into_iter().map(|note| note.method).collect();
        assert_eq!(methods, ["notifications/message"; 2]);
        session.close().await;
        run.finish();
    }
}

#[tokio::test]
async fn a_handshake_endpoint_gets_its_session_header_and_a_delete() {
    let server = Server::start(&["legacy", "greets"]);
    let run = run(Setup::default());
    let mut session = run.dialer.open(&server.spec(), &step()).await.unwrap();
    assert_eq!((session.number(), session.revision()), (0, Revision::V2025_11_25));
    assert!(session.request(&step(), "tools/list", Value::Null).await.is_answered());
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(session.request(&step(), "tools/list", Value::Null).await.is_answered());
    assert_eq!(session.take_notifications()[0].method, "notifications/tools/list_changed");
    let started = Instant::now();
    session.close().await;
    assert!(started.elapsed() < Duration::from_millis(500));
    let events = run.finish();
    let text = run.memory.text();
    assert!(!text.contains("session-0123456789"), "{text}");
    let list = events.iter().find(|event| event["headers"]["mcp-session-id"].is_string()).unwrap();
    assert_eq!(list["headers"]["mcp-session-id"], "[redacted:mcp-session-id-1]");
    assert!(events.iter().any(|event| event["method"] == "GET"));
    let delete = events.iter().position(|event| event["method"] == "DELETE").unwrap();
    assert_eq!(events[delete + 1]["status"], 204);
}

#[tokio::test]
async fn credentials_are_sent_and_never_recorded() {
    let server = Server::start(&["modern", "forbidden"]);
    let without = run(Setup::default());
    let error = without.dialer.open(&server.spec(), &step()).await.err().unwrap();
    assert!(matches!(error, OpenError::Refused { status: Some(401), .. }), "{error}");
    assert!(error.advice().contains("--header"));
    without.finish();

    let headers = [("Authorization", "Bearer open-sesame")];
    let with = run(Setup::default());
    let mut session = with.dialer.open(&server.spec_with(&headers), &step()).await.unwrap();
    let echoed = session.request(&step(), "test/seen", Value::Null).await;
    assert!(echoed.result().unwrap().to_string().contains("open-sesame"));
    session.close().await;
    let events = with.finish();
    assert!(!with.memory.text().contains("open-sesame"));
    assert_eq!(events[1]["headers"]["authorization"], "[redacted:authorization-1]");
}

#[tokio::test]
async fn redirects_stay_at_home() {
    let away = Server::start(&["redirect-away"]);
    let first = run(Setup::default());
    let error = first.dialer.open(&away.spec(), &step()).await.err().unwrap();
    assert!(error.to_string().contains("redirected to another origin"), "{error}");
    first.finish();
    let near = Server::start(&["modern", "redirect-near"]);
    let second = run(Setup::default());
    let session = second.dialer.open(&near.spec(), &step()).await.unwrap();
    session.close().await;
    second.finish();
}

#[tokio::test]
async fn broken_and_foreign_responses_are_named() {
    let broken = Server::start(&["modern", "sse", "breaks"]);
    let first = run(Setup::default());
    let error = first.dialer.open(&broken.spec(), &step()).await.err().unwrap();
    assert!(matches!(error, OpenError::Refused { status: Some(200), .. }), "{error}");
    first.finish();
    let html = Server::start(&["html"]);
    let second = run(Setup::default());
    let error = second.dialer.open(&html.spec(), &step()).await.err().unwrap();
    assert!(error.to_string().contains("HTTP 404"), "{error}");
    assert!(error.to_string().contains("nothing here"), "{error}");
    let events = second.finish();
    assert!(messages(&events, "server-to-client").is_empty(), "a page is no message");
}

#[tokio::test]
async fn nothing_listens() {
    let run = run(Setup::default());
    let spec = TargetSpec::Http { url: "http://127.0.0.1:9/mcp".to_owned(), headers: vec![] };
    let error = run.dialer.open(&spec, &step()).await.err().unwrap();
    assert!(error.to_string().contains("cannot connect"), "{error}");
    assert!(error.advice().contains("certificate"), "{}", error.advice());
    let events = run.finish();
    assert_eq!(events.last().unwrap()["event"], "transport-abort");
    for url in ["not a url", "ftp://127.0.0.1/"] {
        let spec = TargetSpec::Http { url: url.to_owned(), headers: vec![] };
        let error = run.dialer.open(&spec, &step()).await.err().unwrap();
        assert!(error.to_string().starts_with("use the URL: "), "{error}");
    }
}

#[tokio::test]
async fn limits_hold_over_http() {
    let server = Server::start(&["modern", "huge", "sse"]);
    let limits = Limits { frame_bytes: 1 << 20, ..Limits::default() };
    let first = run(Setup { limits, ..Setup::default() });
    let mut session = first.dialer.open(&server.spec(), &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", json!({"name": "a"})).await;
    assert!(reply.is_dead());
    assert_eq!(session.death().unwrap().ending, Ending::FrameTooLong { limit: 1 << 20 });
    first.finish();

    let silent = Server::start(&["modern", "never"]);
    let limits = Limits { request: Duration::from_millis(300), ..Limits::default() };
    let second = run(Setup { limits, ..Setup::default() });
    let mut session = second.dialer.open(&silent.spec(), &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", json!({"name": "a"})).await;
    assert!(matches!(reply.answer, Answer::Unanswered));
    assert!(session.request(&step(), "tools/list", Value::Null).await.is_answered());
    session.close().await;
    second.finish();
}
