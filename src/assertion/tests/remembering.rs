//! Equal subjects are looked at once, and all of them count; a check that looks further than
//! values is asked every time.

use serde_json::{Value, json};

use super::capture::{Script, check_file, judged};
use crate::assertion::{Catalog, judge};
use crate::capture::read_events;
use crate::contract::Builder;
use crate::score::{CheckScore, Verdict};

fn repeated(times: usize, how: &str) -> CheckScore {
    let mut script = Script::new().tools(&["a"]);
    for _ in 0..times {
        script = script.call("a", json!({}), json!({ "isError": true, "content": [] }));
    }
    let score = judged(&script, &[check_file("on-errors", "error-result", how)]);
    score.assertions[0].checks[0].clone()
}

#[test]
fn every_equal_subject_counts_and_cites_its_own_messages() {
    let fine = repeated(60, "jq: 'true'");
    assert_eq!((fine.subjects, &fine.verdict), (60, &Verdict::Pass));
    assert_eq!(fine.seq, [5, 7, 9, 11, 13]);
    let faulty = repeated(60, "jq: 'false, false'");
    assert_eq!((faulty.subjects, faulty.findings.len(), faulty.left_out), (60, 1, 0));
    assert_eq!((&faulty.findings[0].seq[..], faulty.findings[0].again), (&[4, 5][..], 119));
    let skipped = repeated(60, r#"jq: '{skip: "no rows"}'"#);
    assert_eq!((skipped.subjects, &*skipped.skipped), (0, &[("no rows".to_owned(), 60)][..]));
    let asked = repeated(60, r#"jq: '{ask: "is it right?"}'"#);
    assert_eq!(asked.verdict.reason(), Some("is it right? (+59 more)"));
}

#[test]
fn a_request_of_another_name_is_another_subject() {
    let script = Script::new()
        .tools(&["a", "b"])
        .call("a", json!({}), json!({ "isError": true }))
        .call("b", json!({}), json!({ "isError": true }));
    let by_name = check_file("on-errors", "error-result", r#"jq: '$name == "a"'"#);
    let by_request = check_file("on-calls", "call", r#"jq: '$request.params.name == "a"'"#);
    for check in [by_name, by_request] {
        assert_eq!(judged(&script, &[check]).assertions[0].verdict, Verdict::Fail);
    }
}

/// Two requests that lack their `_meta` members and are refused alike, but for the status that
/// HTTP gives them: the check looks at more than request and answer.
#[test]
fn a_check_that_looks_at_http_is_asked_of_equal_exchanges_too() {
    let version = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let mut all = version.clone();
    all["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let opening = json!({ "result": {
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
    } });
    let refused = json!({ "error": { "code": -32602, "message": "no" } });
    let mut events: Vec<Value> = Vec::new();
    let exchanges = [
        ("server/discover", &all, &opening, 200),
        ("tools/list", &version, &refused, 400),
        ("tools/list", &version, &refused, 200),
    ];
    for (number, (method, meta, answer, status)) in exchanges.into_iter().enumerate() {
        let mut answer = answer.clone();
        (answer["jsonrpc"], answer["id"]) = (json!("2.0"), json!(number));
        let request = json!({
            "jsonrpc": "2.0", "id": number, "method": method, "params": { "_meta": meta },
        });
        for (direction, members) in [
            ("client-to-server", json!({ "kind": "http", "method": "POST", "headers": {} })),
            ("client-to-server", json!({ "kind": "message", "payload": request })),
            ("server-to-client", json!({ "kind": "http", "status": status, "headers": {} })),
            ("server-to-client", json!({ "kind": "message", "payload": answer })),
        ] {
            let mut event = members;
            event["seq"] = json!(events.len());
            event["direction"] = json!(direction);
            event["transport"] = json!("streamable-http");
            event["exchange"] = json!(number);
            events.push(event);
        }
    }
    let text: String = events.iter().map(|event| format!("{event}\n")).collect();
    let mut builder = Builder::new();
    read_events(text.as_bytes(), |event| builder.see(event)).unwrap();
    let contract = builder.finish();
    assert_eq!(contract.alike(), [0, 1, 1]);
    let card = judge(&contract, Catalog::builtin(), &[], &str::len);
    let mut checks = card.wire.assertions.iter().flat_map(|assertion| &assertion.checks);
    let check = checks.find(|check| check.id == "request-meta-required").unwrap();
    assert_eq!((&check.verdict, check.subjects), (&Verdict::Fail, 2));
    assert!(check.findings[0].message.contains("with status 200"), "{check:?}");
}
