//! A4: codes and fields.

use serde_json::{Value, json};

use super::sample::{Sample, envelope, failed, ok, prose, rpc_error, sample, tool};
use crate::assertion::Look;
use crate::capture::{Flow, Role};

fn issues() -> Sample {
    sample().tools(json!([
        tool(
            "acme_get_issue",
            json!({
                "issue_number": { "type": "integer" },
                "state": { "type": "string", "enum": ["open", "closed"] },
            }),
            &["issue_number"],
            json!({ "description": "Read one. After issue_locked, call acme_unlock_issue." }),
        ),
        tool("acme_unlock_issue", json!({}), &[], json!({})),
    ]))
}

fn get(arguments: Value, answer: Value) -> Sample {
    issues().call("acme_get_issue", arguments, answer)
}

fn bad_state(details: Value) -> Sample {
    get(
        json!({ "issue_number": 1, "state": "x" }),
        failed(envelope("invalid_field", json!({ "details": details }))),
    )
}

#[test]
fn prose_alone_is_no_failure_contract() {
    let id = "errors-are-structured";
    assert_eq!(get(json!({}), failed(envelope("x", json!({})))).says(id), "fine");
    assert_eq!(get(json!({}), prose("Invalid arguments")).says(id), "faulty");
    assert_eq!(get(json!({}), prose(r#"{"code":"x","message":"y"}"#)).says(id), "fine");
    assert_eq!(get(json!({}), prose("Error: API key is missing")).says(id), "skip");
    let old = tool("acme_get_issue", json!({ "a": {} }), &[], json!({}));
    let old = Sample::of("2025-03-26").tools(json!([old]));
    let old = old.call("acme_get_issue", json!({}), prose("Invalid arguments"));
    assert_eq!(old.says(id), "faulty");
    // What is no prose is not called so.
    let complaint = |answer: Value| get(json!({}), answer).complaint(id);
    assert!(complaint(prose(r#"{"error":"no"}"#)).contains("JSON text"));
    assert!(complaint(failed(json!({ "reason": "no" }))).contains("structured content"));
    assert!(complaint(prose("no")).contains("prose"));
    assert_eq!(get(json!({}), ok(json!({}))).says(id), "skip");
}

#[test]
fn codes_are_symbols() {
    let id = "errors-carry-symbolic-code";
    let with = |code: Value| {
        get(json!({}), failed(json!({ "code": code, "message": "m", "temporary": false })))
    };
    assert_eq!(with(json!("issue_not_found")).says(id), "fine");
    assert_eq!(with(json!("ISSUE-1.x")).says(id), "fine");
    assert_eq!(with(json!("Issue 42 not found")).says(id), "faulty");
    assert_eq!(with(json!(404)).says(id), "faulty");
    let dialect = failed(json!({ "error": { "code": -32001, "message": "m" } }));
    assert_eq!(get(json!({}), dialect).says(id), "faulty");
    let reason = failed(
        json!({ "error": { "code": -32001, "message": "m", "data": { "reason": "gone" } } }),
    );
    assert_eq!(get(json!({}), reason).says(id), "fine");
    assert_eq!(get(json!({}), prose("Error")).says(id), "skip");
    let unknown =
        issues().call("acme_nothing", json!({}), failed(json!({ "code": 1, "message": "m" })));
    assert_eq!(unknown.says(id), "skip");
}

#[test]
fn two_failure_modes_have_two_codes() {
    let id = "two-failure-modes";
    let both = |one: &str, two: &str| {
        get(json!({}), failed(envelope(one, json!({})))).call(
            "acme_get_issue",
            json!({ "issue_number": 9 }),
            failed(envelope(two, json!({}))),
        )
    };
    assert_eq!(both("invalid_field", "issue_not_found").says(id), "fine");
    assert_eq!(both("error", "error").says(id), "faulty");
    assert_eq!(both("bad_thing", "bad_thing").says(id), "skip");
    assert_eq!(get(json!({}), failed(envelope("error", json!({})))).says(id), "skip");
    assert_eq!(get(json!({}), prose("Error")).says(id), "skip");
}

#[test]
fn one_cause_has_one_code() {
    let id = "same-cause-same-code";
    let twice = |one: Value, two: Value| {
        let call = |sample: Sample, state: &str, answer| {
            sample.call(
                "acme_get_issue",
                json!({ "issue_number": 1, "state": state }),
                failed(answer),
            )
        };
        call(call(issues(), "x", one), "y", two)
    };
    let code = |code: &str| envelope(code, json!({}));
    assert_eq!(twice(code("invalid_field"), code("invalid_field")).says(id), "fine");
    assert_eq!(twice(code("invalid_x"), code("invalid_y")).says(id), "faulty");
    let busy = envelope("rate_limited", json!({ "temporary": true }));
    assert_eq!(twice(code("invalid_field"), busy).says(id), "skip");
}

#[test]
fn recovery_that_the_description_tells_is_in_the_error() {
    let id = "described-recovery-in-error";
    let locked =
        |more: Value| get(json!({ "issue_number": 1 }), failed(envelope("issue_locked", more)));
    assert_eq!(locked(json!({})).says(id), "faulty");
    let repair = json!({ "repair": { "next_step": "unlock", "tool": "acme_unlock_issue", "arguments": {} } });
    assert_eq!(locked(repair).says(id), "fine");
    assert_eq!(locked(json!({ "details": { "field": "issue_number" } })).says(id), "fine");
    let other = get(json!({ "issue_number": 1 }), failed(envelope("issue_gone", json!({}))));
    assert_eq!(other.says(id), "skip");
}

#[test]
fn written_cases_end_as_expected() {
    let id = "expected-codes-seen";
    let case = |expected: Value, answer: Value| {
        let at = (Flow::ForcedError, "comment on a locked issue", Role::Call);
        issues().scenario(json!({}), json!({ "comment on a locked issue": expected })).step(
            at,
            "acme_get_issue",
            json!({ "issue_number": 1 }),
            answer,
        )
    };
    let locked = failed(envelope("issue_locked", json!({})));
    assert_eq!(case(json!({ "error": "issue_locked" }), locked.clone()).says(id), "fine");
    assert_eq!(case(json!({ "error": "issue_gone" }), locked.clone()).says(id), "faulty");
    assert_eq!(case(json!({}), locked).says(id), "faulty");
    assert_eq!(case(json!({}), ok(json!({}))).says(id), "fine");
    assert_eq!(case(json!({ "error": "issue_locked" }), Value::Null).says(id), "skip");
}

#[test]
fn a_written_case_of_no_listed_tool_says_nothing_of_the_server() {
    let id = "expected-codes-seen";
    let case = |name: &str| {
        let at = (Flow::ForcedError, "typo", Role::Call);
        let unknown = rpc_error(-32602, "unknown tool", Value::Null);
        let sample = issues().scenario(json!({}), json!({ "typo": { "error": "issue_gone" } }));
        sample.step(at, name, json!({}), unknown).looks(id)
    };
    let said = "the scenario calls `acme_get_isue`, which the target does not list; \
                did you mean `acme_get_issue`?";
    assert_eq!(case("acme_get_isue"), [Look::Skip(said.into())]);
    let said = "the scenario calls `zzz`, which the target does not list";
    assert_eq!(case("zzz"), [Look::Skip(said.into())]);
}

#[test]
fn a_refused_argument_is_named_with_a_reason() {
    let id = "field-and-reason-given";
    assert_eq!(bad_state(json!({ "field": "state", "reason": "Not allowed." })).says(id), "fine");
    assert_eq!(bad_state(json!({ "field": "state", "reason": " " })).says(id), "faulty");
    assert_eq!(bad_state(json!({ "reason": "Something is wrong." })).says(id), "faulty");
    let arguments = json!({ "issue_number": 1, "more": true });
    let unknown = get(
        arguments,
        failed(envelope("invalid_field", json!({ "details": { "field": "more" } }))),
    );
    assert_eq!(unknown.says(id), "fine");
    assert_eq!(get(json!({}), rpc_error(-32602, "no", Value::Null)).says(id), "skip");
    assert_eq!(get(json!({}), prose("no")).says(id), "skip");
    assert_eq!(get(json!({}), failed(envelope("missing_credential", json!({})))).says(id), "skip");
    assert_eq!(get(json!({}), ok(json!({}))).says(id), "skip");
}

#[test]
fn the_allowed_values_are_told() {
    let id = "allowed-values-named";
    let all = json!({ "field": "state", "reason": "no", "allowed": ["open", "closed"] });
    assert_eq!(bad_state(all).says(id), "fine");
    assert_eq!(
        bad_state(json!({ "field": "state", "reason": "one of open, closed" })).says(id),
        "fine"
    );
    assert!(
        bad_state(json!({ "field": "state", "allowed": ["open"] }))
            .complaint(id)
            .contains("closed")
    );
    let missing = get(
        json!({}),
        failed(envelope("invalid_field", json!({ "details": { "field": "issue_number" } }))),
    );
    assert_eq!(missing.says(id), "skip");
}

#[test]
fn fields_are_published_paths() {
    let id = "field-is-published";
    assert_eq!(bad_state(json!({ "field": "state" })).says(id), "fine");
    assert_eq!(bad_state(json!({ "fields": ["state", "issue_number"] })).says(id), "fine");
    for details in [
        json!({ "field": "issueId" }),
        json!({ "field": 7 }),
        json!({ "fields": [] }),
        json!({ "fields": ["state", "state"] }),
        json!({ "field": "state", "fields": ["state"] }),
    ] {
        assert_eq!(bad_state(details.clone()).says(id), "faulty", "{details}");
    }
    assert_eq!(bad_state(json!({ "reason": "no" })).says(id), "skip");
    let resource = issues().request(
        "resources/read",
        json!({ "uri": "acme://x" }),
        rpc_error(
            -32602,
            "no",
            json!({ "machine_code": "gone", "human_message": "m", "details": { "field": "uri" } }),
        ),
        None,
    );
    assert_eq!(resource.says(id), "fine");
}

#[test]
fn the_named_field_is_the_broken_one() {
    let id = "field-is-the-broken-one";
    assert_eq!(bad_state(json!({ "field": "/state" })).says(id), "fine");
    assert_eq!(bad_state(json!({ "field": "issue_number" })).says(id), "faulty");
    assert_eq!(bad_state(json!({})).says(id), "skip");
}
