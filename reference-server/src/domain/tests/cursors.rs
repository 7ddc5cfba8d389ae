use serde_json::{Value, json};

use super::support::{Caller, clock, domain, minutes, open, options, told, widgets};
use crate::domain::{Code, Credential, Domain, Options};

fn first_cursor(domain: &Domain, more: Value) -> String {
    domain.find(widgets(more)).expect("a page").next_cursor.expect("a second page")
}

#[test]
fn a_cursor_works_for_a_quarter_of_an_hour() {
    let clock = clock();
    let domain = open(Options { clock: clock.clone(), ..options() });
    let filters = json!({"labels": ["bug"], "state": "all", "detail": "full"});
    let cursor = first_cursor(&domain, filters.clone());
    let mut arguments = widgets(filters.clone());
    arguments["cursor"] = json!(cursor);
    clock.advance(minutes(15) - std::time::Duration::from_millis(1));
    domain.find(arguments.clone()).expect("in time");
    clock.advance(std::time::Duration::from_millis(1));
    let failure = domain.find(arguments).expect_err("too late");
    assert_eq!((failure.code, failure.field.as_deref()), (Code::CursorExpired, Some("cursor")));
    assert_eq!(failure.value, Some(json!(cursor)));
    let repair = failure.repair.expect("a repair");
    assert_eq!(repair.tool, "github_find_issues");
    assert_eq!(Value::Object(repair.arguments.clone()), widgets(filters));
    domain.repair(&repair).expect("starts again");
}

#[test]
fn equal_reads_within_a_minute_give_equal_cursors() {
    let clock = clock();
    let domain = open(Options { clock: clock.clone(), ..options() });
    clock.advance(minutes(1) / 6);
    let cursor = first_cursor(&domain, json!({}));
    clock.advance(minutes(1) / 2);
    assert_eq!(first_cursor(&domain, json!({})), cursor);
    clock.advance(minutes(1) / 2);
    assert_ne!(first_cursor(&domain, json!({})), cursor);
    // 12:00:10 counts as 12:01, so the end is at 12:16.
    clock.advance(minutes(15) - minutes(1) / 6 - std::time::Duration::from_millis(1));
    domain.find(widgets(json!({"cursor": cursor}))).expect("in time");
    clock.advance(std::time::Duration::from_millis(1));
    assert!(domain.find(widgets(json!({"cursor": cursor}))).is_err(), "too late");
}

#[test]
fn a_short_life_is_not_stretched_to_a_minute() {
    let clock = clock();
    let cursor_ttl = std::time::Duration::from_secs(1);
    let domain = open(Options { clock: clock.clone(), cursor_ttl, ..options() });
    clock.advance(std::time::Duration::from_millis(1));
    let cursor = first_cursor(&domain, json!({}));
    clock.advance(cursor_ttl);
    domain.find(widgets(json!({"cursor": cursor}))).expect("in time");
    clock.advance(cursor_ttl / 15);
    assert!(domain.find(widgets(json!({"cursor": cursor}))).is_err(), "too late");
}

#[test]
fn a_changed_cursor_is_refused_and_not_repeated() {
    let domain = domain();
    let cursor = first_cursor(&domain, json!({}));
    for index in [0, cursor.len() / 3, cursor.len() / 2, cursor.len() - 1] {
        let mut bytes = cursor.clone().into_bytes();
        bytes[index] = if bytes[index] == b'x' { b'y' } else { b'x' };
        let changed = String::from_utf8(bytes).expect("ASCII");
        let failure = domain.find(widgets(json!({"cursor": changed}))).expect_err("changed");
        assert_eq!((failure.code, failure.field.as_deref()), (Code::InvalidField, Some("cursor")));
        assert_eq!(failure.value, None);
        assert!(!told(&failure).contains(&changed));
        let repair = failure.repair.expect("a repair");
        assert_eq!(Value::Object(repair.arguments), widgets(json!({})));
    }
    assert!(domain.find(widgets(json!({"cursor": ""}))).is_err());
}

#[test]
fn a_cursor_belongs_to_its_filters_and_principal() {
    let domain = domain();
    let cursor = first_cursor(&domain, json!({}));
    for other in [
        json!({"state": "all"}),
        json!({"labels": ["bug"]}),
        json!({"include_pull_requests": true}),
        json!({"query": "import"}),
        json!({"creator": "reviewer"}),
        json!({"repo": "gadgets"}),
    ] {
        let mut arguments = widgets(other);
        arguments["cursor"] = json!(cursor);
        let failure = domain.find(arguments).expect_err("another query");
        assert_eq!(failure.code, Code::InvalidField);
        assert_eq!(failure.value, Some(json!(cursor)), "minted here, so safe to repeat");
    }
    let thread = widgets(json!({"issue_number": 1400, "cursor": cursor}));
    assert_eq!(domain.thread(thread).expect_err("a thread").code, Code::InvalidField);
    let other = open(Options { credential: Credential::ReadOnly, ..options() });
    let failure = other.find(widgets(json!({"cursor": cursor}))).expect_err("another principal");
    assert_eq!(failure.code, Code::InvalidField);
}

#[test]
fn a_cursor_survives_a_restart_and_new_issues() {
    let one = domain();
    let cursor = first_cursor(&one, json!({}));
    let page = one.find(widgets(json!({"cursor": cursor}))).expect("a page");
    let two = domain();
    two.create(widgets(json!({"title": "Meanwhile"}))).expect("created");
    let again = two.find(widgets(json!({"cursor": cursor}))).expect("a page");
    assert_eq!(again.issues, page.issues);
}

#[test]
fn cursors_read_as_noise() {
    use base64::Engine;
    let domain = domain();
    let cursors = [json!({}), json!({"state": "all"}), json!({"state": "closed"})]
        .map(|more| first_cursor(&domain, more));
    for cursor in &cursors {
        let bytes =
            base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(cursor).expect("base64");
        assert!(std::str::from_utf8(&bytes).is_err(), "{cursor}");
        assert!(cursor.len() > 40);
    }
    assert_ne!(cursors[0][..20], cursors[1][..20]);
}
