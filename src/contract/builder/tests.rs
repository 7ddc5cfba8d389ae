//! The builder over small hand-written captures.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::capture::read_events;
use crate::contract::{Answer, Builder, Contract, FrameFaultKind, RpcError, StrayKind};
use crate::wire::Revision;

/// One event line. `dir` is `c` or `s`; a payload that starts with an event member is lifecycle.
fn line(seq: usize, text: &str) -> String {
    let (dir, rest) = text.split_once(' ').unwrap();
    let direction = if dir.starts_with('c') { "client-to-server" } else { "server-to-client" };
    let session = dir[1..].parse::<u32>().unwrap_or(0);
    let (kind, member) = match rest {
        "close" => ("lifecycle", "\"event\":\"transport-close\"".to_owned()),
        "abort" => ("lifecycle", "\"event\":\"transport-abort\",\"detail\":\"exit 1\"".to_owned()),
        payload => ("message", format!("\"payload\":{payload}")),
    };
    format!(
        "{{\"seq\":{seq},\"direction\":\"{direction}\",\"transport\":\"stdio\",\"kind\":\"{kind}\",\
         \"session\":{session},\"t_us\":{},{member}}}\n",
        seq * 10
    )
}

fn contract(lines: &[&str]) -> Contract {
    let text: String = lines.iter().enumerate().map(|(seq, text)| line(seq, text)).collect();
    let mut builder = Builder::new();
    read_events(text.as_bytes(), |event| builder.see(event)).unwrap();
    builder.finish()
}

const INIT: &str =
    r#"c {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
const INIT_OK: &str = r#"s {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"2"},"instructions":"hi"}}"#;

#[test]
fn a_handshake_gives_identity_and_revision() {
    let contract = contract(&[INIT, INIT_OK]);
    assert_eq!(contract.revision, Some(Revision::V2025_06_18));
    assert_eq!(contract.identity.name.as_deref(), Some("demo"));
    assert_eq!(contract.identity.seq, [0, 1]);
    assert_eq!(contract.exchanges[0].waited_us, 10);
    assert_eq!(contract.revision_of(&contract.exchanges[0]), Some(Revision::V2025_06_18));
}

#[test]
fn a_refused_discover_does_not_fix_the_revision() {
    let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
    let discover =
        format!(r#"c {{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{meta}}}"#);
    let refused = r#"s {"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}"#;
    let refusal = contract(&[&discover, refused, INIT, INIT_OK]);
    assert_eq!(refusal.revision, Some(Revision::V2025_06_18));
    let accepted = r#"s {"jsonrpc":"2.0","id":0,"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new"}}}}"#;
    let contract = contract(&[&discover, accepted]);
    assert_eq!(contract.revision, Some(Revision::V2026_07_28));
    assert_eq!(contract.identity.name.as_deref(), Some("new"));
    assert_eq!(contract.identity.supported, ["2026-07-28"]);
}

#[test]
fn pages_join_into_one_walk_and_a_bogus_cursor_is_no_walk() {
    let contract = contract(&[
        r#"c {"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"s {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"x":1}}],"nextCursor":"p2"}}"#,
        r#"c {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"bogus"}}"#,
        r#"s {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#,
        r#"c {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"p2"}}"#,
        r#"s {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b","outputSchema":{}}]}}"#,
        r#"c {"jsonrpc":"2.0","id":4,"method":"tools/list"}"#,
        r#"s {"jsonrpc":"2.0","id":4,"result":{"tools":[{"name":"b"}]}}"#,
    ]);
    let walks: Vec<_> =
        contract.lists.iter().map(|walk| (walk.pages.len(), walk.complete)).collect();
    assert_eq!(walks, [(2, true), (1, true)]);
    let names: Vec<_> = contract.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(contract.tools[1].seq, 5);
    assert_eq!(contract.tools[1].pointer, "/result/tools/0");
    assert!(contract.tools[1].output.is_some() && contract.tools[0].output.is_none());
}

#[test]
fn an_incomplete_walk_is_used_when_there_is_no_other() {
    let contract = contract(&[
        r#"c {"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"s {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"p2"}}"#,
    ]);
    assert!(!contract.lists[0].complete);
    assert_eq!(contract.tools.len(), 1);
}

#[test]
fn what_answers_nothing_is_a_stray() {
    let contract = contract(&[
        r#"s "starting up""#,
        r#"s "  ""#,
        r#"s {"jsonrpc":"2.0","method":"notifications/message"}"#,
        r#"s {"jsonrpc":"2.0","id":1,"method":"roots/list"}"#,
        r#"c {"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"s {"jsonrpc":"2.0","id":"1","result":{}}"#,
        r#"s {"jsonrpc":"2.0","method":"notifications/progress"}"#,
        r#"s {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"s {"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"s {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        r#"s {"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"s 17"#,
        r#"c "{oops""#,
    ]);
    let null = Arc::<Value>::default;
    let error = json!({ "code": -32700, "message": "x" });
    let kinds: Vec<_> = contract.strays.iter().map(|stray| stray.kind.clone()).collect();
    assert_eq!(
        kinds,
        [
            StrayKind::NotJson,
            StrayKind::Blank,
            StrayKind::Notification { method: "notifications/message".into(), params: null() },
            StrayKind::Request { method: "roots/list".into(), params: null() },
            StrayKind::UnknownId { near: Some(4) },
            StrayKind::Notification { method: "notifications/progress".into(), params: null() },
            StrayKind::Repeated { request: 4 },
            StrayKind::Repeated { request: 4 },
            StrayKind::NoId { error: Some(Arc::new(RpcError::from_value(error))) },
            StrayKind::UnknownId { near: None },
            StrayKind::NotMessage,
        ]
    );
    assert_eq!(&*contract.strays[0].excerpt, "starting up");
    // Under another type the id still tells which request is answered.
    assert_eq!(contract.exchanges[0].answer_seq, Some(5));
    assert_eq!(contract.garbage.len(), 1);
}

#[test]
fn every_way_of_getting_no_answer_is_told_apart() {
    let ask =
        |id: u32, dir: &str| format!(r#"{dir} {{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let contract = contract(&[
        &ask(1, "c0"),
        "s0 abort",
        &ask(2, "c1"),
        "c1 close",
        r#"s1 {"jsonrpc":"2.0","id":2,"result":{"late":true}}"#,
        &ask(3, "c1"),
        "c1 close",
        &ask(4, "c2"),
    ]);
    let [died, late, unanswered, truncated] = &contract.exchanges[..] else { panic!() };
    assert!(matches!(died.answer, Answer::Died));
    assert_eq!(died.waited_us, 10);
    assert!(late.result().is_some(), "a late answer still counts");
    assert!(matches!(unanswered.answer, Answer::Unanswered));
    assert!(matches!(truncated.answer, Answer::Truncated));
    assert_eq!(contract.sessions[0].died, Some((1, "exit 1".into())));
    assert!(contract.sessions[1].closed);
}

#[test]
fn frames_are_looked_at_apart_from_their_content() {
    let deep = format!(
        r#"s {{"jsonrpc":"2.0","id":2,"result":{}{}}}"#,
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let contract = contract(&[
        r#"c {"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        r#"s {"id":1,"result":{"a":{"b":1,"b":2}},"error":{"code":0,"message":"m"},"more":1}"#,
        r#"c {"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        &deep,
        r#"s [{"jsonrpc":"2.0","method":"notifications/message"}]"#,
        r#"c {"jsonrpc":"2.0","id":5,"method":"ping"}"#,
        r#"s {"jsonrpc":"2.0","id":5,"result":{"a":{"b":1,"b":2}}}"#,
    ]);
    let kinds: Vec<_> = contract.frame_faults.iter().map(|fault| fault.kind.clone()).collect();
    assert_eq!(
        kinds[..3],
        [
            FrameFaultKind::Version(None),
            FrameFaultKind::UnknownMember("more".into()),
            FrameFaultKind::ResultAndError,
        ]
    );
    assert!(
        matches!(&kinds[3], FrameFaultKind::Unreadable(reason) if reason.contains("recursion"))
    );
    assert_eq!(
        kinds[4..],
        [FrameFaultKind::Batch, FrameFaultKind::RepeatedKey("/result/a/b".into()),]
    );
    assert_eq!(contract.exchanges[0].error().unwrap().code, Some(0));
    assert!(matches!(contract.exchanges[1].answer, Answer::Unanswered));
}

#[test]
fn what_was_kept_as_text_is_still_an_answer() {
    let deep =
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    let contract = contract(&[
        r#"c {"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        &format!("s {}", serde_json::Value::from(deep)),
        r#"c {"jsonrpc":"2.0","id":2,"method":"ping"}"#,
        "s \"\u{feff}{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":2,\\\"result\\\":{}}\"",
        r#"s "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}""#,
        r#"s "{oops""#,
    ]);
    assert!(matches!(&contract.frame_faults[0].kind, FrameFaultKind::Unreadable(_)));
    assert_eq!(contract.exchanges[0].answer_seq, Some(1));
    assert!(contract.exchanges[1].result().is_some());
    let kinds: Vec<_> = contract.strays.iter().map(|stray| stray.kind.clone()).collect();
    assert_eq!(kinds, [StrayKind::Blank, StrayKind::NotJson, StrayKind::NotJson]);
}

#[test]
fn equal_payloads_are_held_once() {
    let ask = |id: u32| {
        format!(r#"c {{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#)
    };
    let contract = contract(&[
        &ask(1),
        r#"s {"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
        &ask(2),
        r#"s {"jsonrpc":"2.0","id":2,"result":{"content":[]}}"#,
    ]);
    let [first, second] = &contract.exchanges[..] else { panic!() };
    assert!(std::sync::Arc::ptr_eq(&first.params, &second.params));
    assert!(std::ptr::eq(first.result().unwrap(), second.result().unwrap()));
}

#[test]
fn the_summary_is_found_wherever_it_is() {
    let contract = contract(&[
        INIT,
        INIT_OK,
        r#"c {"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
        r#"s {"jsonrpc":"2.0","id":2,"result":{"tools":[
            {"name":"get_capabilities","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},
            {"name":"about_you","annotations":{"readOnlyHint":true},"inputSchema":{"required":["id"]}},
            {"name":"help","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},
            {"name":"server_info","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}
        ]}}"#,
        r#"c {"jsonrpc":"2.0","id":3,"method":"resources/list"}"#,
        r#"s {"jsonrpc":"2.0","id":3,"result":{"resources":[{"uri":"x://1","title":"About"},{"uri":"x://2"},{"uri":"x://3"}]}}"#,
        r#"c {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"get_capabilities"}}"#,
        r#"s {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{}"}],"structuredContent":{"does":["a"]}}}"#,
        r#"c {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"x://1"}}"#,
        r#"s {"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"x://1","text":"Reads issues."}]}}"#,
        r#"c {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"x://2"}}"#,
        r#"s {"jsonrpc":"2.0","id":6,"result":{"contents":[{"uri":"x://2","text":"{\"does_not\":[\"x\"]}"}]}}"#,
        r#"c {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"server_info","arguments":{}}}"#,
        r#"s {"jsonrpc":"2.0","id":7,"result":{"isError":true,"content":[]}}"#,
    ].map(|line| line.replace('\n', " ")).each_ref().map(String::as_str));
    let summary = &contract.summary;
    let found: Vec<_> = summary
        .carriers
        .iter()
        .map(|c| (c.name.as_str(), c.pointer.as_str(), &c.seq[..]))
        .collect();
    assert_eq!(
        found,
        [
            ("instructions", "/result/instructions", &[0, 1][..]),
            ("get_capabilities", "/result/structuredContent", &[6, 7]),
            ("x://1", "/result/contents/0/text", &[8, 9]),
            ("x://2", "/result/contents/0/text", &[10, 11]),
        ]
    );
    assert!(summary.unread.is_empty(), "{:?}", summary.unread);
    assert_eq!(summary.untried, ["x://3", "help"]);
}

#[test]
fn a_flood_is_counted_and_not_kept() {
    let mut builder = Builder::new();
    let text: String = (0..25_000)
        .map(|seq| line(seq, &format!(r#"s {{"jsonrpc":"2.0","method":"n/{seq}"}}"#)))
        .collect();
    read_events(text.as_bytes(), |event| builder.see(event)).unwrap();
    let contract = builder.finish();
    assert_eq!(contract.strays.len() as u64 + contract.left_out, 25_000);
    assert!(contract.left_out > 0);
}

#[test]
fn a_snapshot_is_the_contract_so_far() {
    let mut builder = Builder::new();
    let text = line(0, INIT) + &line(1, INIT_OK);
    read_events(text.as_bytes(), |event| builder.see(event)).unwrap();
    assert_eq!(builder.snapshot().identity.name, builder.finish().identity.name);
}
