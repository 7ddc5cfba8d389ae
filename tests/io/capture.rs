//! What the recorder writes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use mcp_hallmark::capture::{
    Counts, Direction, End, EndCause, Lifecycle, Place, Recorder, Redactor, Step, Transport,
    read_events,
};
use serde_json::{Value, json};

use crate::common::{Memory, header, step};

fn place(step: &Step) -> Place<'_> {
    Place { session: 0, transport: Transport::Stdio, step: Some(step), exchange: None }
}

fn end() -> End {
    End {
        cause: EndCause::Complete,
        detail: None,
        counts: Counts::default(),
        withheld: Vec::new(),
        stderr: String::new(),
    }
}

/// Records lines of a server and gives the events of the capture.
fn recorded(lines: &[&[u8]]) -> (Vec<Value>, Memory) {
    let memory = Memory::default();
    let recorder = Recorder::new(memory.clone(), header(), Redactor::new());
    let step = step();
    recorder.lifecycle(place(&step), Lifecycle::TransportOpen, None);
    for line in lines {
        recorder.message(place(&step), Direction::ServerToClient, line);
    }
    recorder.lifecycle(place(&step), Lifecycle::TransportClose, None);
    recorder.finish(end()).unwrap();
    (memory.events(), memory)
}

#[test]
fn payloads_are_kept_as_they_were_spelled() {
    let exact = r#"{"a":1,"a":2,"n":1.50e3,"big":123456789012345678901234567890,"s":"\u00e9\/"}"#;
    let (_, memory) = recorded(&[exact.as_bytes()]);
    assert!(memory.text().contains(&format!("\"payload\":{exact},")), "{}", memory.text());
}

#[test]
fn what_is_no_json_becomes_a_string() {
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    let lines: [&[u8]; 5] = [b"hello\tworld", b"{\"a\":", b"", deep.as_bytes(), b"1e999"];
    let (events, _) = recorded(&lines);
    let payloads: Vec<&Value> = events[1..6].iter().map(|event| &event["payload"]).collect();
    let expected =
        [json!("hello\tworld"), json!("{\"a\":"), json!(""), json!(deep), json!("1e999")];
    assert_eq!(payloads, expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_message_over_several_lines_is_put_on_one() {
    let pretty = "{\r\n  \"id\": 1,\n  \"result\": {\"text\": \"a\\nb\"}\n}\n";
    let (events, memory) = recorded(&[pretty.as_bytes()]);
    assert_eq!(events[1]["payload"], json!({"id": 1, "result": {"text": "a\nb"}}));
    assert_eq!(memory.text().lines().count(), 3);
}

#[test]
fn everything_but_the_last_lifecycle_event_is_written_at_once() {
    let memory = Memory::default();
    let recorder = Recorder::new(memory.clone(), header(), Redactor::new());
    let step = step();
    recorder.lifecycle(place(&step), Lifecycle::TransportOpen, None);
    recorder.message(place(&step), Direction::ClientToServer, b"{}");
    assert_eq!(memory.events().len(), 2);
    recorder.lifecycle(place(&step), Lifecycle::TransportClose, None);
    assert_eq!(memory.events().len(), 2, "the end may still have to be added to it");
    recorder.message(place(&step), Direction::ClientToServer, b"{}");
    assert_eq!(memory.events().len(), 4);
    recorder.finish(end()).unwrap();
    let events = memory.events();
    assert_eq!(events.len(), 5);
    assert_eq!(events[4]["event"], "transport-abort");
    assert_eq!(events[4]["end"]["counts"]["events"], 5);
}

#[test]
fn the_reader_reads_what_the_recorder_wrote_and_the_observer_saw() {
    let memory = Memory::default();
    let mut redactor = Redactor::new();
    redactor.add_literal("hunter2");
    let mut facts = header();
    facts.target.name = "server --key hunter2".to_owned();
    let recorder = Recorder::new(memory.clone(), facts, redactor);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    recorder.observe(Box::new(move |event| {
        sink.lock().unwrap().push(serde_json::to_string(event).unwrap());
    }));
    let step = step();
    recorder.lifecycle(place(&step), Lifecycle::TransportOpen, Some("with hunter2"));
    recorder.message(place(&step), Direction::ServerToClient, b"{\"k\":\"hunter2\"} ");
    recorder.message(place(&step), Direction::ServerToClient, b"say hunter2 \xff");
    recorder.lifecycle(place(&step), Lifecycle::TransportAbort, None);
    let stderr = "hunter2 is my key".to_owned();
    recorder.finish(End { stderr, ..end() }).unwrap();
    let text = memory.text();
    assert!(!text.contains("hunter2"), "{text}");
    let mut lines = Vec::new();
    read_events(text.as_bytes(), |event| {
        lines.push(serde_json::to_string(event).unwrap());
    })
    .unwrap();
    assert_eq!(lines, *seen.lock().unwrap());
    assert_eq!(lines, text.lines().collect::<Vec<_>>());
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let recorder = Recorder::new(Full, header(), Redactor::new());
    recorder.message(place(&step()), Direction::ClientToServer, b"{}");
    let error = recorder.finish(end()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
