//! A4: repairs, as they are written and as they work.

use serde_json::{Value, json};

use super::sample::{Sample, envelope, failed, ok, prose, sample, tool};
use crate::assertion::Look;
use crate::capture::{Flow, Role};

fn issues() -> Sample {
    sample().tools(json!([
        tool(
            "acme_list_issues",
            json!({
                "repo": { "type": "string" },
                "state": { "type": "string", "enum": ["open", "closed"] },
                "label": { "type": "string" },
            }),
            &["repo"],
            json!({ "annotations": { "readOnlyHint": true } }),
        ),
        tool(
            "acme_get_issue",
            json!({ "issue_number": { "type": "integer" } }),
            &["issue_number"],
            json!({})
        ),
    ]))
}

fn repair(tool: &str, arguments: Value) -> Value {
    json!({ "next_step": "try_this", "tool": tool, "arguments": arguments })
}

/// A call with a bad state and the given repair.
fn bad_state(repair: Value) -> Sample {
    let details = json!({ "field": "state", "reason": "no" });
    let more = json!({ "details": details, "repair": repair });
    issues().call(
        "acme_list_issues",
        json!({ "repo": "w", "state": "x", "label": "bug" }),
        failed(envelope("invalid_field", more)),
    )
}

#[test]
fn a_repair_is_one_object() {
    let id = "repair-well-formed";
    let good = repair("acme_list_issues", json!({ "repo": "w" }));
    assert_eq!(bad_state(good.clone()).says(id), "fine");
    for bad in [
        json!([good]),
        json!({ "next_step": "Try this", "tool": "t", "arguments": {} }),
        json!({ "next_step": "try", "tool": "", "arguments": {} }),
        json!({ "next_step": "try", "tool": "t" }),
        json!({ "next_step": "try", "tool": "t", "arguments": {}, "alternative": ["x"] }),
    ] {
        assert_eq!(bad_state(bad.clone()).says(id), "faulty", "{bad}");
    }
    let alias = failed(envelope("x", json!({ "suggestions": ["y"] })));
    assert_eq!(issues().call("acme_get_issue", json!({}), alias).says(id), "faulty");
    let none = failed(envelope("x", json!({})));
    assert_eq!(issues().call("acme_get_issue", json!({}), none).says(id), "inapplicable");
}

#[test]
fn a_repair_can_be_called_as_it_stands() {
    let id = "repair-callable";
    assert_eq!(
        bad_state(repair("acme_list_issues", json!({ "repo": "w", "state": "open" }))).says(id),
        "fine"
    );
    for (tool, arguments, said) in [
        ("acme_nothing", json!({}), "not listed"),
        ("acme_list_issues", json!({ "repo": "w", "label": "<label>" }), "placeholder"),
        ("acme_list_issues", json!({ "repo": "your_repo" }), "placeholder"),
        ("acme_list_issues", json!({}), "required of repo"),
        ("acme_list_issues", json!({ "repo": "w", "state": "y" }), "enum of state"),
    ] {
        let complaint = bad_state(repair(tool, arguments)).complaint(id);
        assert!(complaint.contains(said), "{complaint}");
    }
    // What the caller sent itself is a value, whatever it looks like.
    let own = issues().call(
        "acme_list_issues",
        json!({ "repo": "w", "label": "<b>", "state": "x" }),
        failed(envelope(
            "invalid_field",
            json!({ "repair": repair("acme_list_issues", json!({ "repo": "w", "label": "<b>" })) }),
        )),
    );
    assert_eq!(own.says(id), "fine");
    let none = issues().call("acme_get_issue", json!({}), failed(envelope("x", json!({}))));
    assert_eq!(none.says(id), "inapplicable");
}

#[test]
fn a_repair_keeps_what_was_valid() {
    let id = "repair-keeps-arguments";
    let with = |arguments: Value| bad_state(repair("acme_list_issues", arguments));
    assert_eq!(with(json!({ "repo": "w", "label": "bug", "state": "open" })).says(id), "fine");
    assert_eq!(with(json!({ "repo": "w", "label": "bug" })).says(id), "fine");
    assert!(with(json!({ "repo": "w", "state": "open" })).complaint(id).contains("drops label"));
    assert!(with(json!({ "repo": "v", "label": "bug" })).complaint(id).contains("changes repo"));
    assert_eq!(bad_state(repair("acme_get_issue", json!({}))).says(id), "skip");
}

#[test]
fn a_repair_of_a_missing_argument_may_add_it() {
    let more = json!({
        "details": { "field": "repo" }, "repair": repair("acme_list_issues", json!({ "repo": "w", "state": "open" })),
    });
    let sample = issues().call(
        "acme_list_issues",
        json!({ "state": "open" }),
        failed(envelope("invalid_field", more)),
    );
    assert_eq!(sample.says("repair-keeps-arguments"), "fine");
}

#[test]
fn what_can_be_corrected_comes_with_a_repair() {
    let id = "correctable-errors-carry-repair";
    assert_eq!(bad_state(repair("acme_list_issues", json!({ "repo": "w" }))).says(id), "fine");
    assert_eq!(bad_state(Value::Null).says(id), "faulty");
    let unknown = |more: Value| {
        issues().call(
            "acme_get_issue",
            json!({ "issue_number": 9 }),
            failed(envelope("issue_not_found", more)),
        )
    };
    assert!(unknown(json!({})).complaint(id).contains("acme_list_issues would find it"));
    assert_eq!(unknown(json!({ "details": { "allowed": [1, 2] } })).says(id), "skip");
    // Nothing tells which value a missing number has.
    let missing =
        issues().call("acme_get_issue", json!({}), failed(envelope("invalid_field", json!({}))));
    assert_eq!(missing.says(id), "skip");
    let credential = issues().call(
        "acme_get_issue",
        json!({ "issue_number": 1 }),
        failed(envelope("missing_credential", json!({}))),
    );
    assert_eq!(credential.says(id), "skip");
    assert_eq!(issues().call("acme_get_issue", json!({}), prose("no")).says(id), "skip");
}

fn carried_out(recommended: &Value, sent: Value, outcome: Value) -> Sample {
    let at = |role| (Flow::Repair, "get an issue that is gone", role);
    let failure = failed(envelope("issue_not_found", json!({ "repair": recommended })));
    issues().step(at(Role::Call), "acme_get_issue", json!({ "issue_number": 9 }), failure).step(
        at(Role::Repair),
        recommended["tool"].as_str().unwrap(),
        sent,
        outcome,
    )
}

#[test]
fn a_repair_works_when_it_is_carried_out_to_the_letter() {
    let id = "repair-works";
    let list = repair("acme_list_issues", json!({ "repo": "w" }));
    let same = json!({ "repo": "w" });
    assert_eq!(carried_out(&list, same.clone(), ok(json!({}))).says(id), "fine");
    let domain = failed(envelope("repo_not_found", json!({})));
    // Another error is allowed, and is no repair that worked.
    let other = carried_out(&list, same.clone(), domain).looks(id);
    assert_eq!(other, [Look::Skip("the repair ended in another error, repo_not_found".into())]);
    assert_eq!(carried_out(&list, same.clone(), Value::Null).says(id), "skip");
    let refused = super::sample::rpc_error(-32602, "unknown tool", Value::Null);
    assert_eq!(carried_out(&list, same.clone(), refused).says(id), "faulty");
    assert_eq!(carried_out(&list, json!({ "repo": "other" }), ok(json!({}))).says(id), "skip");
    let busy = failed(envelope("rate_limited", json!({ "temporary": true })));
    assert_eq!(carried_out(&list, same, busy).says(id), "skip");
    let again = repair("acme_get_issue", json!({ "issue_number": 9 }));
    let gone = failed(envelope("issue_not_found", json!({})));
    assert!(
        carried_out(&again, json!({ "issue_number": 9 }), gone).complaint(id).contains("again")
    );
}

#[test]
fn a_written_case_is_repaired_as_expected() {
    let id = "expected-repairs-work";
    let list = repair("acme_list_issues", json!({ "repo": "w" }));
    let name = "get an issue that is gone";
    let with = |sample: Sample, hops: u32| {
        sample.scenario(json!({}), json!({ name: { "error": "issue_not_found", "repair_hops": hops, "retry_succeeds": true } }))
    };
    let hop = carried_out(&list, json!({ "repo": "w" }), ok(json!({})));
    let retry = |answer: Value| {
        hop.clone().step(
            (Flow::Repair, name, Role::Retry),
            "acme_get_issue",
            json!({ "issue_number": 1 }),
            answer,
        )
    };
    assert_eq!(with(retry(ok(json!({}))), 1).says(id), "fine");
    assert_eq!(with(retry(failed(envelope("issue_not_found", json!({})))), 1).says(id), "faulty");
    assert_eq!(with(hop.clone(), 1).says(id), "skip");
    assert_eq!(with(hop.clone(), 0).says(id), "skip");
    let unrepaired = issues().step(
        (Flow::Repair, name, Role::Call),
        "acme_get_issue",
        json!({ "issue_number": 9 }),
        failed(envelope("issue_not_found", json!({}))),
    );
    assert_eq!(with(unrepaired, 1).says(id), "faulty");
}
