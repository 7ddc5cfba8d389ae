//! A3: defaults and closed schemas as the server keeps them.

use serde_json::{Value, json};

use super::sample::{Sample, envelope, failed, ok, sample, tool};
use crate::capture::{Flow, Role};

fn finder() -> Sample {
    sample().tools(json!([tool(
        "acme_find_issues",
        json!({ "state": { "enum": ["open", "all"], "default": "open" } }),
        &[],
        json!({ "annotations": { "readOnlyHint": true } }),
    )]))
}

fn case(omitted: Value, control: Option<Value>, explicit: Value) -> Sample {
    let at = |role| (Flow::Defaults, "acme_find_issues.state", role);
    let mut sample = finder().step(at(Role::Omitted), "acme_find_issues", json!({}), omitted);
    if let Some(control) = control {
        sample = sample.step(at(Role::Control), "acme_find_issues", json!({}), control);
    }
    sample.step(at(Role::Explicit), "acme_find_issues", json!({ "state": "open" }), explicit)
}

#[test]
fn a_default_is_what_omission_does() {
    let id = "defaults-applied";
    let open = ok(json!({ "rows": [1], "at": 1 }));
    let later = ok(json!({ "rows": [1], "at": 2 }));
    let all = ok(json!({ "rows": [1, 2], "at": 1 }));
    assert_eq!(case(open.clone(), Some(later.clone()), later.clone()).says(id), "fine");
    let complaint = case(open.clone(), Some(later.clone()), all).complaint(id);
    assert!(complaint.contains("/rows"), "{complaint}");
    assert_eq!(case(open.clone(), None, later.clone()).says(id), "skip");
    let refused = failed(envelope("invalid_field", json!({})));
    assert_eq!(case(open.clone(), Some(open.clone()), refused.clone()).says(id), "faulty");
    assert_eq!(case(refused.clone(), Some(open.clone()), open.clone()).says(id), "skip");
    let busy = failed(envelope("rate_limited", json!({ "temporary": true })));
    assert_eq!(case(open.clone(), Some(open), busy).says(id), "skip");
}

#[test]
fn an_unknown_argument_is_refused_where_the_schema_is_closed() {
    let id = "closed-schemas-enforced";
    let of = |arguments: Value, answer: Value| finder().call("acme_find_issues", arguments, answer);
    let refused = failed(envelope("invalid_field", json!({})));
    assert_eq!(of(json!({ "more": 1 }), refused).says(id), "fine");
    assert_eq!(of(json!({ "more": 1 }), ok(json!({}))).says(id), "faulty");
    assert_eq!(of(json!({ "more": 1, "state": 7 }), ok(json!({}))).says(id), "skip");
    assert_eq!(of(json!({ "state": "open" }), ok(json!({}))).says(id), "none");
}
