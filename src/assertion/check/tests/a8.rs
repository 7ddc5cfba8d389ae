//! A8: annotations, as they are stated and as calls behave.

use serde_json::{Value, json};

use super::sample::{Sample, failed, ok, sample, tool};
use crate::capture::{Flow, Role};

fn hinted(name: &str, hints: Value) -> Value {
    tool(name, json!({}), &[], json!({ "annotations": hints }))
}

fn one(name: &str, hints: Value) -> Sample {
    sample().tools(json!([hinted(name, hints)]))
}

#[test]
fn effects_are_stated() {
    let id = "annotations-present";
    assert_eq!(one("acme_get_x", json!({ "readOnlyHint": true })).says(id), "fine");
    let all = json!({ "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false });
    assert_eq!(one("acme_set_x", all).says(id), "fine");
    for hints in [
        json!({}),
        json!({ "readOnlyHint": "yes" }),
        json!({ "readOnlyHint": false, "destructiveHint": true }),
    ] {
        assert_eq!(one("acme_set_x", hints.clone()).says(id), "faulty", "{hints}");
    }
    assert_eq!(sample().named(&["acme_get_x"]).says(id), "faulty");
}

#[test]
fn read_only_tools_carry_no_mutation_hint() {
    let id = "read-only-without-mutation-hints";
    assert_eq!(
        one("acme_get_x", json!({ "readOnlyHint": true, "openWorldHint": true })).says(id),
        "fine"
    );
    assert_eq!(
        one("acme_get_x", json!({ "readOnlyHint": true, "destructiveHint": false })).says(id),
        "faulty"
    );
    assert_eq!(
        one("acme_set_x", json!({ "readOnlyHint": false, "destructiveHint": false })).says(id),
        "inapplicable"
    );
}

#[test]
fn verbs_and_hints_agree() {
    let id = "verbs-agree-with-hints";
    assert_eq!(
        one("acme_create_issue", json!({ "readOnlyHint": false, "idempotentHint": false }))
            .says(id),
        "fine"
    );
    assert_eq!(one("acme_delete_issue", json!({ "readOnlyHint": true })).says(id), "faulty");
    assert_eq!(one("acme_create_chart", json!({ "readOnlyHint": true })).says(id), "ask");
    assert_eq!(
        one("acme_create_issue", json!({ "readOnlyHint": false, "idempotentHint": true })).says(id),
        "faulty"
    );
    let keyed = tool(
        "acme_create_issue",
        json!({ "idempotency_key": { "type": "string" } }),
        &["idempotency_key"],
        json!({ "annotations": { "readOnlyHint": false, "idempotentHint": true } }),
    );
    assert_eq!(sample().tools(json!([keyed])).says(id), "fine");
    assert_eq!(one("acme_get_issue", json!({ "readOnlyHint": true })).says(id), "skip");
    let upsert = json!({ "readOnlyHint": false, "idempotentHint": true });
    assert_eq!(one("acme_create_or_update_x", upsert).says(id), "skip");
    let sum = tool(
        "acme_add_numbers",
        json!({ "a": { "type": "number" }, "b": { "type": "number" } }),
        &[],
        json!({ "annotations": { "readOnlyHint": true } }),
    );
    assert_eq!(sample().tools(json!([sum])).says(id), "skip");
    assert_eq!(sample().named(&["acme_create_issue"]).says(id), "skip");
}

#[test]
fn siblings_state_the_same_hints() {
    let id = "sibling-hints-stated";
    let two = |one: Value, two: Value| {
        sample().tools(json!([hinted("acme_get_x", one), hinted("acme_get_y", two)]))
    };
    let both = json!({ "readOnlyHint": true, "openWorldHint": true });
    assert_eq!(
        two(both.clone(), json!({ "readOnlyHint": true, "openWorldHint": false })).says(id),
        "fine"
    );
    assert_eq!(two(both.clone(), json!({ "readOnlyHint": true })).says(id), "faulty");
    assert_eq!(two(both, json!({ "readOnlyHint": false })).says(id), "skip");
}

#[test]
fn siblings_with_other_hints_are_a_question() {
    let id = "sibling-hints-equal";
    let two = |a: bool, b: bool| {
        let hints = |value| json!({ "readOnlyHint": false, "idempotentHint": value });
        sample().tools(json!([hinted("acme_set_x", hints(a)), hinted("acme_set_y", hints(b))]))
    };
    assert_eq!(two(true, true).says(id), "fine");
    assert_eq!(two(true, false).says(id), "ask");
    assert_eq!(one("acme_set_x", json!({ "readOnlyHint": false })).says(id), "skip");
}

#[test]
fn claims_in_prose_have_hints() {
    let id = "prose-claims-have-hints";
    let says = |description: &str, hints: Value| {
        let tool = tool(
            "acme_set_x",
            json!({}),
            &[],
            json!({ "description": description, "annotations": hints }),
        );
        sample().tools(json!([tool])).says(id)
    };
    let changing =
        json!({ "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false });
    assert_eq!(says("The call is idempotent.", changing.clone()), "faulty");
    assert_eq!(says("The call is idempotent with the same key.", changing.clone()), "inapplicable");
    assert_eq!(says("This tool does not modify anything.", changing.clone()), "faulty");
    assert_eq!(says("Permanently deletes it.", changing.clone()), "faulty");
    assert_eq!(says("At most 30 requests per minute.", changing.clone()), "faulty");
    assert_eq!(says("The call is idempotent.", json!({ "idempotentHint": true })), "fine");
    assert_eq!(says("It does not modify the schedule itself.", changing.clone()), "inapplicable");
    assert_eq!(says("It does not delete anything.", changing), "inapplicable");
}

#[test]
fn mixed_modes_are_annotated_for_the_worst() {
    let id = "modes-annotated-for-the-worst";
    let of = |values: Value, hints: Value, description: &str| {
        sample()
            .tools(json!([tool(
                "acme_do_lock",
                json!({ "action": { "enum": values } }),
                &[],
                json!({ "annotations": hints, "description": description })
            )]))
            .says(id)
    };
    let modes = json!(["get_status", "lock"]);
    assert_eq!(of(modes.clone(), json!({ "readOnlyHint": true }), ""), "faulty");
    assert_eq!(of(modes.clone(), json!({ "readOnlyHint": false }), "Locks."), "faulty");
    assert_eq!(
        of(modes, json!({ "readOnlyHint": false }), "The annotations hold for the whole tool."),
        "fine"
    );
    let deletes = json!(["list", "delete"]);
    assert_eq!(
        of(deletes, json!({ "readOnlyHint": false, "destructiveHint": false }), "whole tool"),
        "faulty"
    );
    let may = "Ask whether the action is allowed.";
    assert_eq!(of(json!(["get", "create"]), json!({ "readOnlyHint": true }), may), "ask");
    assert_eq!(of(json!(["open", "closed"]), json!({ "readOnlyHint": true }), ""), "inapplicable");
}

fn store(hints: Value) -> Sample {
    sample().tools(json!([
        hinted("acme_read_x", json!({ "readOnlyHint": true })),
        hinted("acme_do_x", hints),
    ]))
}

fn states(flow: Flow, hints: Value, done: Value, reads: &[(Role, Value)]) -> Sample {
    let mut sample = store(hints);
    let mut called = false;
    for (role, state) in reads {
        if matches!(role, Role::After) && !called {
            sample = sample.step((flow, "case", Role::Call), "acme_do_x", json!({}), done.clone());
            called = true;
        }
        if matches!(role, Role::AfterRepeat) {
            sample =
                sample.step((flow, "case", Role::Repeat), "acme_do_x", json!({}), done.clone());
        }
        sample = sample.step((flow, "case", *role), "acme_read_x", json!({}), ok(state.clone()));
    }
    sample
}

#[test]
fn a_read_only_call_changes_nothing() {
    let id = "read-only-calls-change-nothing";
    let hints = json!({ "readOnlyHint": true });
    let run = |after: Value, done: Value, hints: Value| {
        states(
            Flow::ReadOnly,
            hints,
            done,
            &[
                (Role::Before, json!({ "x": 1, "now": 1 })),
                (Role::Control, json!({ "x": 1, "now": 2 })),
                (Role::After, after),
            ],
        )
        .says(id)
    };
    let done = ok(json!({}));
    assert_eq!(run(json!({ "x": 1, "now": 3 }), done.clone(), hints.clone()), "fine");
    assert_eq!(run(json!({ "x": 2, "now": 3 }), done.clone(), hints.clone()), "faulty");
    assert_eq!(run(json!({ "x": 2, "now": 3 }), failed(json!({})), hints), "skip");
    assert_eq!(run(json!({ "x": 2, "now": 3 }), done, json!({ "readOnlyHint": false })), "skip");
}

#[test]
fn a_repeat_of_an_idempotent_call_changes_nothing_more() {
    let id = "idempotent-repeats-change-nothing";
    let run = |last: Value, hints: Value| {
        states(
            Flow::Idempotency,
            hints,
            ok(json!({})),
            &[
                (Role::Before, json!({ "x": 0 })),
                (Role::Control, json!({ "x": 0 })),
                (Role::After, json!({ "x": 1 })),
                (Role::AfterRepeat, last),
            ],
        )
        .says(id)
    };
    let hints = json!({ "readOnlyHint": false, "idempotentHint": true });
    assert_eq!(run(json!({ "x": 1 }), hints.clone()), "fine");
    assert_eq!(run(json!({ "x": 2 }), hints), "faulty");
    assert_eq!(
        run(json!({ "x": 2 }), json!({ "readOnlyHint": false, "idempotentHint": false })),
        "skip"
    );
}

#[test]
fn a_call_that_is_not_destructive_only_adds() {
    let id = "non-destructive-calls-only-add";
    let run = |after: Value, hints: Value| {
        states(Flow::Idempotency, hints, ok(json!({})), &[
            (Role::Before, json!({ "title": "Crash on save", "count": 1, "rows": [{ "id": 1, "text": "a b" }] })),
            (Role::After, after),
        ]).says(id)
    };
    let hints = json!({ "readOnlyHint": false, "destructiveHint": false });
    let added = json!({ "title": "Crash on save", "count": 2, "rows": [{ "id": 1, "text": "a b" }, { "id": 2, "text": "c d" }] });
    assert_eq!(run(added, hints.clone()), "fine");
    let replaced =
        json!({ "title": "Another title", "count": 1, "rows": [{ "id": 1, "text": "a b" }] });
    assert_eq!(run(replaced.clone(), hints.clone()), "faulty");
    assert_eq!(run(json!({ "title": "Crash on save", "rows": [] }), hints), "faulty");
    assert_eq!(run(replaced, json!({ "readOnlyHint": false, "destructiveHint": true })), "skip");
}

#[test]
fn artifacts_of_read_only_calls_expire() {
    let id = "artifacts-expire";
    let get = |structured: Value| {
        one("acme_get_x", json!({ "readOnlyHint": true })).call(
            "acme_get_x",
            json!({}),
            ok(structured),
        )
    };
    assert_eq!(get(json!({ "artifact": { "path": "a.csv", "ttl_ms": 5 } })).says(id), "fine");
    assert_eq!(get(json!({ "artifacts": [{ "uri": "a:b" }] })).says(id), "faulty");
    assert_eq!(get(json!({ "path": "a.csv" })).says(id), "inapplicable");
    let changing = one("acme_set_x", json!({ "readOnlyHint": false })).call(
        "acme_set_x",
        json!({}),
        ok(json!({ "artifact": { "path": "a" } })),
    );
    assert_eq!(changing.says(id), "skip");
}
