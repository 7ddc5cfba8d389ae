//! Servers that misbehave: each ends in a named outcome within bounded time.

use std::time::{Duration, Instant};

use mcp_hallmark::contract::Answer;
use mcp_hallmark::target::{Ending, Limits};
use mcp_hallmark::wire::Revision;
use serde_json::{Value, json};

use crate::common::{Run, Setup, echo, fixture, messages, run, step};

fn quick(limits: Limits) -> Run {
    run(Setup { limits: Limits { request: Duration::from_secs(10), ..limits }, ..Setup::default() })
}

#[tokio::test]
async fn a_server_that_dies_of_discover_is_started_afresh() {
    let run = run(Setup::default());
    let mut session =
        run.dialer.open(&fixture(&["legacy", "dies-at-discover"]), &step()).await.unwrap();
    assert_eq!((session.number(), session.revision()), (1, Revision::V2025_11_25));
    assert!(session.request(&step(), "tools/call", echo()).await.is_answered());
    session.close().await;
    let events = run.finish();
    let abort = events.iter().find(|event| event["event"] == "transport-abort").unwrap();
    assert_eq!(
        abort["detail"],
        "the process exited with status 0; the last frame sent was server/discover (seq 1)"
    );
}

#[tokio::test]
async fn a_server_that_is_silent_at_discover_is_started_afresh() {
    for word in ["silent-at-discover", "nameless-error"] {
        let limits = Limits { probe: Duration::from_millis(600), ..Limits::default() };
        let run = run(Setup { limits, ..Setup::default() });
        let session = run.dialer.open(&fixture(&["legacy", word]), &step()).await.unwrap();
        assert_eq!((session.number(), session.revision()), (1, Revision::V2025_11_25), "{word}");
        session.close().await;
        run.finish();
    }
}

#[tokio::test]
async fn text_before_frames_is_kept_and_survived() {
    let run = run(Setup::default());
    let session = run.dialer.open(&fixture(&["text-first", "noisy"]), &step()).await.unwrap();
    session.close().await;
    let events = run.finish();
    let received = messages(&events, "server-to-client");
    assert_eq!(received[0], "Server ready on stdio");
    assert_eq!(received[1], "");
    let stderr = events.last().unwrap()["end"]["stderr"].as_str().unwrap().len();
    assert!((8000..=8192).contains(&stderr), "{stderr}");
}

#[tokio::test]
async fn a_death_names_the_frame_and_what_the_server_said() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&["dies-on-call"]), &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", echo()).await;
    assert!(reply.is_dead());
    let death = session.death().unwrap();
    assert_eq!((death.seq, &*death.frame), (reply.seq, "tools/call"));
    assert_eq!(death.ending, Ending::Exited { code: 7 });
    assert!(run.dialer.stderr().contains("cannot go on"));
    let again = session.request(&step(), "tools/list", Value::Null).await;
    assert!(again.is_dead());
    assert_eq!(again.seq, reply.seq, "nothing is sent on a session that is over");
    session.reopen(&step()).await.unwrap();
    assert!(session.request(&step(), "tools/list", Value::Null).await.is_answered());
    session.close().await;
    run.finish();
}

#[tokio::test]
async fn garbage_is_answered_or_kills() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&[]), &step()).await.unwrap();
    let reply = session.raw(&step(), "this is not JSON", Duration::from_secs(5)).await;
    assert_eq!(reply.arrived.len(), 1);
    assert_eq!(reply.arrived[0].1["error"]["code"], -32700);
    assert!(!reply.died);
    session.close().await;
    let mut session = run.dialer.open(&fixture(&["dies-on-garbage"]), &step()).await.unwrap();
    let reply = session.raw(&step(), "this is not JSON", Duration::from_secs(5)).await;
    assert!(reply.died);
    assert_eq!(session.death().unwrap().ending, Ending::Exited { code: 3 });
    let events = run.finish();
    assert!(messages(&events, "client-to-server").contains(&&json!("this is not JSON")));
}

#[tokio::test]
async fn a_flood_ends_the_session() {
    let run = quick(Limits { frames_per_request: 500, ..Limits::default() });
    let mut session = run.dialer.open(&fixture(&["flood"]), &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", echo()).await;
    assert!(reply.is_dead());
    assert_eq!(session.death().unwrap().ending, Ending::Flood { limit: 500 });
    assert!(run.finish().len() < 600);
}

#[tokio::test]
async fn an_endless_line_ends_the_session() {
    let run = quick(Limits { frame_bytes: 1 << 20, ..Limits::default() });
    let mut session = run.dialer.open(&fixture(&["endless-line"]), &step()).await.unwrap();
    let reply = session.request(&step(), "tools/call", echo()).await;
    assert!(reply.is_dead());
    assert_eq!(session.death().unwrap().ending, Ending::FrameTooLong { limit: 1 << 20 });
    run.finish();
}

#[tokio::test]
async fn silence_and_lateness_end_a_request_but_not_the_session() {
    let run = run(Setup {
        limits: Limits { request: Duration::from_millis(800), ..Limits::default() },
        ..Setup::default()
    });
    let mut session = run.dialer.open(&fixture(&["late"]), &step()).await.unwrap();
    let late = session.request(&step(), "tools/call", echo()).await;
    assert!(matches!(late.answer, Answer::Unanswered));
    tokio::time::sleep(Duration::from_millis(800)).await;
    assert!(session.request(&step(), "tools/list", Value::Null).await.is_answered());
    session.close().await;
    let events = run.finish();
    let sent = messages(&events, "client-to-server");
    let cancelled = sent.iter().find(|m| m["method"] == "notifications/cancelled").unwrap();
    assert_eq!(cancelled["params"]["requestId"], 2);
    assert!(messages(&events, "server-to-client").iter().any(|m| m["id"] == 2), "the late answer");
}

#[tokio::test]
async fn an_id_of_another_type_is_taken_for_what_it_was_meant_as() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&["string-ids"]), &step()).await.unwrap();
    let started = Instant::now();
    let reply = session.request(&step(), "tools/call", echo()).await;
    assert!(reply.is_answered());
    assert!(started.elapsed() < Duration::from_secs(2));
    session.close().await;
    // The capture keeps what the judge has to see.
    assert!(messages(&run.finish(), "server-to-client").iter().any(|m| m["id"].is_string()));
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_waited_out_but_not_long() {
    for (word, why) in [("unreadable", "cannot be read"), ("foreign-ids", "not sent")] {
        let run = run(Setup::default());
        let mut session = run.dialer.open(&fixture(&[word]), &step()).await.unwrap();
        let started = Instant::now();
        let reply = session.request(&step(), "tools/call", echo()).await;
        let took = started.elapsed();
        assert!(matches!(reply.answer, Answer::Unanswered), "{word}");
        assert!(reply.detail.is_some_and(|detail| detail.contains(why)), "{word}");
        let about_two = Duration::from_millis(1900)..Duration::from_secs(5);
        assert!(about_two.contains(&took), "{word}: {took:?}");
        session.close().await;
        run.finish();
    }
}

#[tokio::test]
async fn bad_utf8_is_kept() {
    let run = run(Setup::default());
    let mut session = run.dialer.open(&fixture(&["bad-utf8"]), &step()).await.unwrap();
    assert!(session.request(&step(), "tools/call", echo()).await.is_answered());
    session.close().await;
    let events = run.finish();
    let broken = events.iter().find(|event| event.get("raw").is_some()).unwrap();
    assert!(broken["raw"].as_str().unwrap().contains("\\xff\\xfe"));
    assert_eq!(broken["payload"]["result"]["content"][0]["text"], "\u{fffd}\u{fffd}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stubborn_server_and_its_descendants_are_gone_in_time() {
    for words in [&["ignore-term", "grandchild"][..], &["ignore-term", "escape"], &["grandchild"]] {
        let run = run(Setup::default());
        let session = run.dialer.open(&fixture(words), &step()).await.unwrap();
        let started = Instant::now();
        session.close().await;
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1500), "{words:?}: {took:?}");
        let stderr = run.dialer.stderr();
        let pid = stderr.trim().rsplit(' ').next().unwrap().to_owned();
        let running = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            // A zombie that its new parent has not yet collected is as good as gone.
            !status.is_empty() && !status.contains("State:\tZ")
        };
        let deadline = Instant::now() + Duration::from_secs(1);
        while running() && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(!running(), "{words:?}: grandchild {pid} survived");
        run.finish();
    }
}
