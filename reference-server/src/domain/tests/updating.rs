use serde_json::{Value, json};

use super::support::{Caller, NOW, domain, told, widgets};
use crate::domain::{Code, Domain};

fn issue(domain: &Domain, number: u64) -> Value {
    let read = domain.get(widgets(json!({"issue_number": number, "include_comments": false})));
    json!(read.expect("read").issue)
}

fn update(domain: &Domain, more: Value) -> Value {
    let mut arguments = widgets(more);
    arguments["issue_number"] = json!(1434);
    json!(domain.update(arguments).expect("updated"))
}

#[test]
fn what_is_absent_stays_and_what_is_empty_clears() {
    let domain = domain();
    let before = issue(&domain, 1434);
    update(&domain, json!({"title": "New title"}));
    let after = issue(&domain, 1434);
    for (name, value) in before.as_object().expect("an object") {
        if !["title", "updated_at", "version"].contains(&name.as_str()) {
            assert_eq!(&after[name], value, "{name}");
        }
    }
    assert_eq!(after["title"], json!("New title"));
    assert_eq!(after["updated_at"], json!(NOW));
    assert_ne!(after["version"], before["version"]);

    update(&domain, json!({"assignees": ["reviewer", "maintainer", "reviewer"]}));
    assert_eq!(issue(&domain, 1434)["assignees"], json!(["maintainer", "reviewer"]));
    update(&domain, json!({"body": "", "labels": [], "assignees": []}));
    let cleared = issue(&domain, 1434);
    assert_eq!(
        (&cleared["body"], &cleared["labels"], &cleared["assignees"]),
        (&json!(""), &json!([]), &json!([]))
    );
    assert_eq!(cleared["title"], json!("New title"));
}

#[test]
fn labels_are_replaced_added_and_removed() {
    let domain = domain();
    let labels = |more: Value| update(&domain, more)["labels"].clone();
    assert_eq!(labels(json!({"labels": ["question", "bug"]})), json!(["bug", "question"]));
    assert_eq!(
        labels(
            json!({"add_labels": ["größe", "bug"], "remove_labels": ["question", "not carried"]})
        ),
        json!(["bug", "größe"])
    );
    assert_eq!(labels(json!({})), json!(["bug", "größe"]));
}

#[test]
fn a_repeated_update_changes_nothing_not_even_the_time() {
    let domain = domain();
    let edit = json!({"issue_number": 1434, "state": "closed", "labels": ["bug"]});
    domain.update(widgets(edit.clone())).expect("updated");
    let once = issue(&domain, 1434);
    domain.clock().advance(super::support::minutes(5));
    domain.update(widgets(edit)).expect("updated");
    assert_eq!(issue(&domain, 1434), once);
}

#[test]
fn state_transitions_have_their_reasons() {
    let domain = domain();
    let reason = |more: Value| {
        update(&domain, more);
        issue(&domain, 1434).get("state_reason").cloned().unwrap_or_default()
    };
    assert_eq!(reason(json!({"state": "open"})), Value::Null);
    assert_eq!(reason(json!({"state": "open", "state_reason": "reopened"})), Value::Null);
    assert_eq!(reason(json!({"state": "closed"})), json!("completed"));
    assert_eq!(
        reason(json!({"state": "closed", "state_reason": "not_planned"})),
        json!("not_planned")
    );
    assert_eq!(reason(json!({"state": "closed"})), json!("not_planned"));
    assert_eq!(reason(json!({"state": "open"})), json!("reopened"));
    assert_eq!(reason(json!({"state": "open"})), json!("reopened"));
}

#[test]
fn contradictions_are_refused_with_a_repair_that_works() {
    let with_repair = |more: Value, field: &str, expected: Value| {
        let domain = domain();
        let mut arguments = widgets(more);
        arguments["issue_number"] = json!(1434);
        arguments["title"] = json!("Kept by the repair");
        let before = issue(&domain, 1434);
        let failure = domain.update(arguments.clone()).expect_err("a contradiction");
        assert_eq!((failure.code, failure.field.as_deref()), (Code::InvalidField, Some(field)));
        assert!(failure.reason.is_some());
        assert_eq!(issue(&domain, 1434), before, "nothing was written");
        let repair = failure.repair.clone().expect("a repair");
        let mut wanted = widgets(expected);
        wanted["issue_number"] = json!(1434);
        wanted["title"] = json!("Kept by the repair");
        assert_eq!(Value::Object(repair.arguments.clone()), wanted);
        domain.repair(&repair).expect("the repair works");
        assert_eq!(issue(&domain, 1434)["title"], json!("Kept by the repair"));
        failure
    };
    with_repair(
        json!({"labels": ["bug", "question"], "add_labels": ["größe"], "remove_labels": ["question"]}),
        "labels",
        json!({"labels": ["bug", "größe"]}),
    );
    with_repair(
        json!({"add_labels": ["bug"], "remove_labels": ["bug", "question"]}),
        "remove_labels",
        json!({"add_labels": ["bug"], "remove_labels": ["question"]}),
    );
    with_repair(
        json!({"add_labels": ["bug"], "remove_labels": ["bug"]}),
        "remove_labels",
        json!({"add_labels": ["bug"]}),
    );
    with_repair(
        json!({"state_reason": "not_planned"}),
        "state_reason",
        json!({"state": "closed", "state_reason": "not_planned"}),
    );
    with_repair(
        json!({"state_reason": "reopened"}),
        "state_reason",
        json!({"state": "open", "state_reason": "reopened"}),
    );
    let failure = with_repair(
        json!({"state": "open", "state_reason": "completed"}),
        "state_reason",
        json!({"state": "open", "state_reason": "reopened"}),
    );
    assert_eq!(failure.value, Some(json!("completed")));
    assert_eq!(failure.allowed, ["reopened"]);
    let failure = with_repair(
        json!({"state": "closed", "state_reason": "reopened"}),
        "state_reason",
        json!({"state": "closed"}),
    );
    assert_eq!(failure.allowed, ["completed", "not_planned"]);
}

#[test]
fn a_stale_version_writes_nothing_and_leads_to_a_read() {
    let domain = domain();
    let stale = issue(&domain, 1434)["version"].clone();
    update(&domain, json!({"title": "Someone else was here"}));
    let before = issue(&domain, 1434);
    let edit =
        json!({"issue_number": 1434, "labels": ["no such label"], "expected_version": stale});
    let failure = domain.update(widgets(edit)).expect_err("stale");
    assert_eq!(failure.code, Code::VersionConflict);
    assert_eq!(failure.field.as_deref(), Some("expected_version"));
    assert_eq!(failure.value, Some(stale));
    assert_eq!(issue(&domain, 1434), before);
    let repair = failure.repair.expect("a repair");
    assert_eq!(repair.tool, "github_get_issue");
    let expected = widgets(json!({"issue_number": 1434, "include_comments": false}));
    assert_eq!(Value::Object(repair.arguments.clone()), expected);
    let fresh = domain.repair(&repair).expect("the repair works")["issue"]["version"].clone();
    assert!(failure.reason.expect("a reason").contains(fresh.as_str().expect("a token")));
    update(&domain, json!({"body": "Applied again", "expected_version": fresh}));
}

#[test]
fn a_foreign_version_text_is_not_repeated() {
    let edit = json!({"issue_number": 1434, "expected_version": "hunter2-token"});
    let failure = domain().update(widgets(edit)).expect_err("never minted");
    assert_eq!((failure.code, failure.value.clone()), (Code::VersionConflict, None));
    assert!(!told(&failure).contains("hunter2"));
}

#[test]
fn versions_follow_content_and_only_content() {
    let domain = domain();
    let version = || issue(&domain, 1434)["version"].clone();
    let first = version();
    domain.comment(widgets(json!({"issue_number": 1434, "body": "Hello"}))).expect("commented");
    assert_eq!(version(), first, "comments are not content");
    let mut seen = vec![first.clone()];
    for more in [
        json!({"title": "Another"}),
        json!({"body": "Another"}),
        json!({"state": "closed"}),
        json!({"state": "closed", "state_reason": "not_planned"}),
        json!({"labels": ["question"]}),
        json!({"assignees": ["reviewer"]}),
    ] {
        update(&domain, more);
        assert!(!seen.contains(&version()), "{seen:?}");
        seen.push(version());
    }
    domain.set_lock(widgets(json!({"issue_number": 1434, "locked": true}))).expect("locked");
    assert!(!seen.contains(&version()));
}

#[test]
fn the_canonical_form_of_a_version_is_the_documented_one() {
    use sha2::{Digest, Sha256};
    let canonical = "[\"issue/1\",\"acme\",\"widgets\",1423,\"Crash on save with an empty filename\",\
        \"Leave the filename empty and press save: the application crashes.\",\"open\",null,true,\
        \"resolved\",[\"bug\"],ASSIGNEES]";
    let read = issue(&domain(), 1423);
    let canonical = canonical.replace("ASSIGNEES", &read["assignees"].to_string());
    let digest: String =
        Sha256::digest(canonical)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(read["version"], json!(format!("v:{digest}")));
}

#[test]
fn an_unknown_label_applies_nothing() {
    let domain = domain();
    let before = issue(&domain, 1434);
    let edit = json!({"issue_number": 1434, "title": "X", "state": "closed",
        "add_labels": ["Bug", "canary-4711", "größe"]});
    let failure = domain.update(widgets(edit)).expect_err("unknown labels");
    assert_eq!((failure.code, failure.field.as_deref()), (Code::LabelNotFound, Some("add_labels")));
    assert!(failure.reason.as_deref().expect("a reason").contains("items 1 and 2 of 3"));
    assert!(failure.allowed.contains(&"バグ".to_owned()));
    assert!(!told(&failure).contains("canary"));
    assert_eq!(issue(&domain, 1434), before, "nothing was written");
    let repair = failure.repair.expect("a repair");
    let expected = widgets(json!({"issue_number": 1434, "title": "X", "state": "closed",
        "add_labels": ["bug", "größe"]}));
    assert_eq!(json!(repair.arguments), expected);
    domain.repair(&repair).expect("the repair works");
}

#[test]
fn a_repair_never_turns_unknown_labels_into_a_cleared_set() {
    let domain = domain();
    let edit = json!({"issue_number": 1434, "title": "X", "labels": ["zzz"]});
    let repair = domain.update(widgets(edit)).expect_err("unknown").repair.expect("a repair");
    assert_eq!(repair.arguments.get("labels"), None);
    let carried = issue(&domain, 1434)["labels"].clone();
    domain.repair(&repair).expect("the repair works");
    assert_eq!(issue(&domain, 1434)["labels"], carried);
}
