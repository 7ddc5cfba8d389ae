use serde_json::{Value, json};

use super::support::{Caller, NOW, domain, numbers, told, widgets};
use crate::domain::Code;

#[test]
fn a_created_issue_is_there_whole() {
    let domain = domain();
    let arguments =
        widgets(json!({"title": "New", "body": "Text", "labels": ["größe", "bug", "bug"],
        "assignees": ["reviewer"]}));
    let created = domain.create(arguments).expect("created");
    assert_eq!(created.issue_number, 1481, "the next number");
    assert_eq!(created.labels, ["bug", "größe"]);
    let read = domain.get(widgets(json!({"issue_number": 1481, "detail": "full"}))).expect("read");
    assert_eq!(read.issue.version, created.version);
    assert_eq!(read.issue.url, created.url);
    assert_eq!((read.issue.created_at.as_str(), read.issue.updated_at.as_str()), (NOW, NOW));
    assert_eq!(
        (read.issue.body.as_str(), read.issue.assignees),
        ("Text", vec!["reviewer".to_owned()])
    );
    assert_eq!(read.comments.expect("comments"), []);
    let newest = domain.find(widgets(json!({}))).expect("a page").issues[0].issue_number;
    assert_eq!(newest, 1481);
}

#[test]
fn the_first_issue_of_an_empty_repository_is_number_one() {
    let domain = domain();
    let at = json!({"owner": "initech", "repo": "printer_firmware"});
    let empty = domain.find(at.clone()).expect("a page");
    assert_eq!((empty.issues.len(), empty.estimated_total, empty.has_more), (0, 0, false));
    let created = domain
        .create(json!({"owner": "initech", "repo": "printer_firmware", "title": "Jam"}))
        .expect("created");
    assert_eq!(created.issue_number, 1);
    assert_eq!(created.labels, Vec::<String>::new());
    assert_eq!(numbers(&[domain.find(at).expect("a page")]), [1]);
}

#[test]
fn a_failed_create_leaves_no_trace() {
    let domain = domain();
    let total = || domain.find(widgets(json!({"state": "all"}))).expect("a page").estimated_total;
    let before = total();
    let unknown_label = json!({"title": "T", "body": "canary-body", "labels": ["bug", "regresion", "zzz"],
        "idempotency_key": "k"});
    let failure = domain.create(widgets(unknown_label)).expect_err("unknown label");
    assert_eq!((failure.code, failure.field.as_deref()), (Code::LabelNotFound, Some("labels")));
    assert!(failure.allowed.is_sorted() && failure.allowed.len() == 12);
    assert!(!told(&failure).contains("zzz") && !told(&failure).contains("canary"));
    let unknown_login = json!({"title": "T", "assignees": ["reviwer"]});
    let other = domain.create(widgets(unknown_login)).expect_err("unknown login");
    assert_eq!((other.code, other.field.as_deref()), (Code::InvalidField, Some("assignees")));
    assert_eq!(other.allowed, ["maintainer", "release-manager", "reviewer", "triage-bot"]);
    assert_eq!(total(), before);

    let repair = failure.repair.expect("a repair");
    assert_eq!(
        json!(repair.arguments),
        widgets(json!({"title": "T", "body": "canary-body", "labels": ["bug", "regression"],
            "idempotency_key": "k"}))
    );
    domain.repair(&repair).expect("the key of a failed call is free");
    let repair = other.repair.expect("a repair");
    assert_eq!(json!(repair.arguments), widgets(json!({"title": "T", "assignees": ["reviewer"]})));
    domain.repair(&repair).expect("the repair works");
    assert_eq!(total(), before + 2);
}

#[test]
fn stored_text_is_free_of_control_characters() {
    let domain = domain();
    let arguments =
        widgets(json!({"title": "A\u{1b}[2J\n title", "body": "\u{202e}b\0ody\n\tend"}));
    let number = domain.create(arguments).expect("created").issue_number;
    let issue = domain.get(widgets(json!({"issue_number": number}))).expect("read").issue;
    assert_eq!((issue.title.as_str(), issue.body.as_str()), ("A[2J title", "body\n\tend"));
    let blank = domain.create(widgets(json!({"title": " \u{1b} "}))).expect_err("blank");
    assert_eq!((blank.code, blank.field.as_deref()), (Code::InvalidField, Some("title")));
    let blank = domain.comment(widgets(json!({"issue_number": number, "body": "\u{1b}"})));
    assert_eq!(blank.expect_err("blank").field.as_deref(), Some("body"));
}

#[test]
fn a_comment_lands_at_the_end_of_the_thread() {
    let domain = domain();
    domain.clock().advance(super::support::minutes(3));
    let written = domain
        .comment(widgets(json!({"issue_number": 1434, "body": "Seen again."})))
        .expect("commented");
    assert_eq!(written.created_at, "2026-07-29T12:03:00Z");
    let read = domain.get(widgets(json!({"issue_number": 1434, "detail": "full"}))).expect("read");
    let comments = read.comments.expect("comments");
    let last = comments.last().expect("a comment");
    assert_eq!((last.comment_id, last.body.as_str()), (written.comment_id, "Seen again."));
    assert_eq!(last.url.as_ref(), Some(&written.url));
    assert_eq!(read.issue.updated_at, written.created_at);
    assert_eq!(read.issue.comment_count, Some(comments.len() as u64));
}

#[test]
fn a_locked_thread_is_unlocked_by_the_repair() {
    let domain = domain();
    let arguments = widgets(json!({"issue_number": 1423, "body": "canary-hello"}));
    let failure = domain.comment(arguments.clone()).expect_err("locked");
    assert_eq!(failure.code, Code::IssueLocked);
    assert_eq!(failure.value, Some(json!(1423)));
    let reason = failure.reason.clone().expect("a reason");
    assert!(reason.contains("2026-07-12T09:30:00Z") && reason.contains("resolved"), "{reason}");
    assert!(!told(&failure).contains("canary") && !told(&failure).contains("Crash on save"));
    let repair = failure.repair.expect("a repair");
    assert_eq!(repair.tool, "github_set_issue_lock");
    let expected = widgets(json!({"issue_number": 1423, "locked": false}));
    assert_eq!(Value::Object(repair.arguments.clone()), expected);
    domain.repair(&repair).expect("unlocked");
    domain.comment(arguments).expect("commented");
    let unreasoned = domain.comment(widgets(json!({"issue_number": 1378, "body": "x"})));
    assert!(unreasoned.expect_err("locked").reason.expect("a reason").contains("no stated reason"));
}

#[test]
fn locks_are_absolute() {
    let domain = domain();
    let lock = |more: Value| {
        let mut arguments = widgets(more);
        arguments["issue_number"] = json!(1434);
        json!(domain.set_lock(arguments).expect("set"))
    };
    let updated =
        || domain.get(widgets(json!({"issue_number": 1434}))).expect("read").issue.updated_at;
    let original = updated();
    assert_eq!(lock(json!({"locked": false})), json!({"issue_number": 1434, "locked": false}));
    assert_eq!(updated(), original, "already unlocked");
    let resolved = json!({"issue_number": 1434, "locked": true, "lock_reason": "resolved"});
    assert_eq!(lock(json!({"locked": true, "lock_reason": "resolved"})), resolved);
    assert_eq!(updated(), NOW);
    domain.clock().advance(super::support::minutes(1));
    assert_eq!(lock(json!({"locked": true, "lock_reason": "resolved"})), resolved);
    assert_eq!(updated(), NOW, "already so");
    assert_eq!(lock(json!({"locked": true})), json!({"issue_number": 1434, "locked": true}));
    assert_ne!(updated(), NOW);
}

#[test]
fn an_unlocked_thread_has_no_reason() {
    let domain = domain();
    let arguments = widgets(json!({"issue_number": 1423, "locked": false, "lock_reason": "spam"}));
    let failure = domain.set_lock(arguments).expect_err("a contradiction");
    assert_eq!((failure.code, failure.field.as_deref()), (Code::InvalidField, Some("lock_reason")));
    assert_eq!(failure.value, Some(json!("spam")));
    let read = domain.get(widgets(json!({"issue_number": 1423}))).expect("read");
    assert!(read.issue.locked, "nothing was written");
    let repair = failure.repair.expect("a repair");
    assert_eq!(json!(repair.arguments), widgets(json!({"issue_number": 1423, "locked": false})));
    domain.repair(&repair).expect("the repair works");
}
