//! A5 and A10: carriers and envelopes of failures.

use serde_json::{Value, json};

use super::sample::{Sample, envelope, failed, ok, prose, rpc_error, sample, tool};

fn on(sample: Sample, more: Value) -> Sample {
    sample.tools(json!([tool(
        "acme_get_issue",
        json!({ "issue_number": { "type": "integer" } }),
        &["issue_number"],
        more
    )]))
}

fn get(answer: Value) -> Sample {
    on(sample(), json!({})).call("acme_get_issue", json!({ "issue_number": 9 }), answer)
}

#[test]
fn failures_of_a_tool_are_results() {
    let id = "failures-are-results";
    assert_eq!(get(prose("no")).says(id), "fine");
    assert_eq!(get(rpc_error(-32602, "Issue not found", Value::Null)).says(id), "faulty");
    assert_eq!(get(rpc_error(0, "no", Value::Null)).says(id), "faulty");
    for error in [
        rpc_error(-32603, "boom", Value::Null),
        rpc_error(-32022, "version", json!({ "supported": [] })),
        rpc_error(-32602, "missing _meta", Value::Null),
        rpc_error(-32602, "Unknown tool: acme_get_issue", Value::Null),
        rpc_error(-32600, "bad", Value::Null),
    ] {
        assert_eq!(get(error.clone()).says(id), "skip", "{error}");
    }
    assert_eq!(get(ok(json!({}))).says(id), "skip");
    let array = on(sample(), json!({})).call(
        "acme_get_issue",
        json!([1]),
        rpc_error(-32602, "no", Value::Null),
    );
    assert_eq!(array.says(id), "skip");
}

#[test]
fn before_2025_11_25_invalid_arguments_were_protocol_errors() {
    let id = "failures-are-results";
    let old = |arguments: Value, code: i64, message: &str| {
        on(Sample::of("2025-06-18"), json!({}))
            .call("acme_get_issue", arguments, rpc_error(code, message, Value::Null))
            .says(id)
    };
    let valid = || json!({ "issue_number": 9 });
    assert_eq!(old(json!({}), -32602, "no"), "skip");
    assert_eq!(old(valid(), -32602, "Issue not found"), "faulty");
    assert_eq!(old(valid(), -32000, "no"), "faulty");
    // The schema does not say everything that a server may ask of a value.
    assert_eq!(old(valid(), -32602, "invalid start datetime"), "skip");
    let new = on(sample(), json!({})).call(
        "acme_get_issue",
        json!({}),
        rpc_error(-32602, "no", Value::Null),
    );
    assert_eq!(new.says(id), "faulty");
    // With several faults, which one was refused is not guessed.
    let extra = json!({ "additionalProperties": false });
    let schema = json!({
        "type": "object",
        "properties": { "a": { "type": "string" }, "b": { "type": "string" } },
        "required": ["a"],
    });
    let several = sample().tools(json!([{ "name": "acme_x", "inputSchema": schema }])).call(
        "acme_x",
        json!({ "b": 1 }),
        rpc_error(-32602, "a is missing", extra),
    );
    let complaint = several.complaint(id);
    assert!(complaint.contains("required of a") && complaint.contains("type of b"), "{complaint}");
}

#[test]
fn a_failure_carries_the_flag() {
    let id = "failures-are-flagged";
    let text = |text: &str| json!({ "result": { "content": [{ "type": "text", "text": text }] } });
    assert_eq!(get(text("fine")).says(id), "fine");
    assert_eq!(get(text(r#"{"error":"no such issue"}"#)).says(id), "faulty");
    let noted = r#"{"status":"error","error":"no such issue","context":{"issue":1}}"#;
    assert_eq!(get(text(noted)).says(id), "faulty");
    assert_eq!(get(text(r#"{"error":"last run failed","runs":[1]}"#)).says(id), "fine");
    assert_eq!(get(ok(envelope("gone", json!({})))).says(id), "faulty");
    assert_eq!(get(prose(r#"{"error":"no"}"#)).says(id), "none");
}

#[test]
fn error_results_are_complete_results() {
    let id = "error-results-complete";
    let modern =
        |answer| on(Sample::of("2026-07-28"), json!({})).call("acme_get_issue", json!({}), answer);
    assert_eq!(modern(failed(envelope("x", json!({})))).says(id), "fine");
    assert_eq!(modern(prose("no")).says(id), "faulty");
    assert_eq!(modern(ok(json!({}))).says(id), "none");
}

#[test]
fn an_internal_error_is_told_as_advice() {
    let id = "internal-errors";
    assert_eq!(get(rpc_error(-32603, "boom", Value::Null)).says(id), "faulty");
    assert_eq!(get(rpc_error(-32603, "fetch failed", Value::Null)).says(id), "skip");
    assert_eq!(get(ok(json!({}))).says(id), "fine");
    let array = on(sample(), json!({})).call(
        "acme_get_issue",
        json!([1]),
        rpc_error(-32603, "no", Value::Null),
    );
    assert_eq!(array.says(id), "skip");
}

#[test]
fn envelopes_ride_in_structured_content() {
    let id = "errors-carried-structured";
    assert_eq!(get(failed(envelope("x", json!({})))).says(id), "fine");
    assert_eq!(get(prose("no")).says(id), "faulty");
    let in_text = prose(r#"{"code":"x","message":"m","temporary":false,"retry_after_ms":null}"#);
    assert_eq!(get(in_text.clone()).says(id), "faulty");
    let disclosed = Sample::introduced(
        "2025-11-25",
        json!({ "name": "acme" }),
        json!("Error envelopes ride as JSON text in content[0] when the client is old."),
    );
    let disclosed = on(disclosed, json!({})).call("acme_get_issue", json!({}), in_text);
    assert_eq!(disclosed.says(id), "fine");
    let old =
        on(Sample::of("2025-03-26"), json!({})).call("acme_get_issue", json!({}), prose("no"));
    assert_eq!(old.says(id), "inapplicable");
    let unknown = sample().call("acme_nothing", json!({}), prose("no"));
    assert_eq!(unknown.says(id), "skip");
}

#[test]
fn an_error_has_a_text_to_read() {
    let id = "error-text-readable";
    assert_eq!(get(prose("no")).says(id), "fine");
    for content in
        [json!([]), json!([{ "type": "text", "text": " " }]), json!([{ "type": "image" }])]
    {
        let answer = json!({ "result": { "isError": true, "content": content } });
        assert_eq!(get(answer).says(id), "faulty", "{content}");
    }
    assert_eq!(get(ok(json!({}))).says(id), "none");
}

#[test]
fn required_members_are_on_every_envelope() {
    let id = "envelope-members-present";
    assert_eq!(get(failed(envelope("x", json!({})))).says(id), "fine");
    let complaint = get(failed(json!({ "code": "x", "message": "m" }))).complaint(id);
    assert!(complaint.contains("temporary, retry_after_ms"), "{complaint}");
    assert_eq!(get(prose("no")).says(id), "skip");
    let dialect = failed(json!({ "error": { "code": -32000, "message": "m", "data": {} } }));
    let complaint = get(dialect).complaint(id);
    assert!(complaint.contains("ts-core") && !complaint.contains("code ("), "{complaint}");
}

#[test]
fn nothing_is_sent_empty() {
    let id = "nothing-sent-empty";
    assert_eq!(get(failed(envelope("x", json!({})))).says(id), "fine");
    for more in [json!({ "repair": null }), json!({ "details": {} }), json!({ "request_id": "" })] {
        assert_eq!(get(failed(envelope("x", more.clone()))).says(id), "faulty", "{more}");
    }
    let dialect = failed(json!({ "error": { "code": 1, "message": "m", "data": {} } }));
    assert_eq!(get(dialect).says(id), "skip");
}

#[test]
fn retry_signals_agree() {
    let id = "retry-signals-consistent";
    let with = |more: Value| get(failed(envelope("x", more)));
    assert_eq!(with(json!({})).says(id), "fine");
    assert_eq!(with(json!({ "temporary": true, "retry_after_ms": 5 })).says(id), "fine");
    for more in [
        json!({ "retry_after_ms": 5000 }),
        json!({ "temporary": "no" }),
        json!({ "temporary": true, "retry_after_ms": "soon" }),
        json!({ "temporary": true, "retry_after_ms": -1 }),
    ] {
        assert_eq!(with(more.clone()).says(id), "faulty", "{more}");
    }
    assert_eq!(get(failed(json!({ "code": "x", "message": "m" }))).says(id), "skip");
}

#[test]
fn each_carrier_keeps_its_spelling() {
    let id = "renames-kept";
    let read = |data: Value| {
        on(sample(), json!({})).request(
            "resources/read",
            json!({ "uri": "a:b" }),
            rpc_error(-32602, "no", data),
            None,
        )
    };
    assert_eq!(read(json!({ "machine_code": "x", "human_message": "m" })).says(id), "fine");
    assert_eq!(read(json!({ "code": "x", "human_message": "m" })).says(id), "faulty");
    assert_eq!(read(json!({ "uri": "a:b" })).says(id), "none");
    assert_eq!(get(failed(json!({ "machine_code": "x", "message": "m" }))).says(id), "faulty");
    assert_eq!(get(failed(envelope("x", json!({})))).says(id), "fine");
}

#[test]
fn the_shape_of_errors_is_documented() {
    let id = "error-shape-documented";
    let of = |more: Value| {
        on(sample(), more).call("acme_get_issue", json!({}), failed(envelope("x", json!({}))))
    };
    assert_eq!(of(json!({})).says(id), "faulty");
    assert_eq!(
        of(json!({ "description": "Errors carry code, message and repair." })).says(id),
        "fine"
    );
    assert_eq!(of(json!({ "_meta": { "acme/errors": [{ "code": "x" }] } })).says(id), "fine");
    let union = json!({ "outputSchema": { "type": "object", "oneOf": [
        { "required": ["issue"] }, { "required": ["code", "temporary"] },
    ] } });
    assert_eq!(of(union).says(id), "fine");
    assert_eq!(get(prose("no")).says(id), "skip");
}

#[test]
fn json_rpc_codes_come_from_the_allowed_bands() {
    let id = "error-codes-in-allowed-bands";
    let read = |error| {
        Sample::of("2026-07-28").request("resources/read", json!({ "uri": "a:b" }), error, None)
    };
    for fine in [
        rpc_error(-32602, "no", Value::Null),
        rpc_error(404, "no", Value::Null),
        rpc_error(-32022, "v", json!({ "supported": [], "requested": "x" })),
    ] {
        assert_eq!(read(fine.clone()).says(id), "fine", "{fine}");
    }
    for bad in [
        rpc_error(-32002, "no", Value::Null),
        rpc_error(-32042, "no", Value::Null),
        rpc_error(-32050, "no", Value::Null),
        rpc_error(-32500, "no", Value::Null),
        rpc_error(-32021, "no", Value::Null),
        json!({ "error": { "code": "x", "message": "m" } }),
    ] {
        assert_eq!(read(bad.clone()).says(id), "faulty", "{bad}");
    }
    assert_eq!(Sample::of("2026-07-28").says(id), "none");
}

#[test]
fn errors_leak_nothing() {
    let id = "errors-leak-nothing";
    assert_eq!(get(failed(envelope("x", json!({})))).says(id), "fine");
    assert_eq!(get(prose("boom\n    at run (/srv/app/index.js:1:2)")).says(id), "faulty");
    let unknown =
        sample().call("acme_nothing", json!({}), prose("boom\n    at run (/srv/app/index.js:1:2)"));
    assert_eq!(unknown.says(id), "skip");
}

#[test]
fn a_rate_limit_says_for_how_long() {
    let id = "rate-limits-structured";
    let with = |more: Value| get(failed(envelope("rate_limited", more)));
    assert_eq!(with(json!({ "temporary": true, "retry_after_ms": 5 })).says(id), "fine");
    assert_eq!(with(json!({ "temporary": true, "rate_limit_remaining": 0 })).says(id), "fine");
    assert_eq!(with(json!({ "temporary": true })).says(id), "faulty");
    assert_eq!(get(failed(envelope("gone", json!({})))).says(id), "skip");
}
