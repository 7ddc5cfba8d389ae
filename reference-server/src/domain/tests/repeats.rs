use serde_json::{Value, json};

use super::support::{Caller, clock, domain, minutes, open, options, widgets};
use crate::domain::{Code, Domain, Options};

fn total(domain: &Domain) -> u64 {
    domain.find(widgets(json!({"state": "all"}))).expect("a page").estimated_total
}

fn keyed(key: &str) -> Value {
    widgets(json!({"title": "Once", "labels": ["bug"], "idempotency_key": key}))
}

#[test]
fn a_repeated_create_returns_the_first_result() {
    let domain = domain();
    let before = total(&domain);
    let first = domain.create(keyed("k1")).expect("created");
    domain
        .update(widgets(json!({"issue_number": first.issue_number, "title": "Edited since"})))
        .expect("updated");
    assert_eq!(domain.create(keyed("k1")).expect("repeated"), first);
    assert_eq!(total(&domain), before + 1);
    let second = domain.create(keyed("k2")).expect("created");
    assert_ne!(second.issue_number, first.issue_number);
    let bare = widgets(json!({"title": "Once"}));
    domain.create(bare.clone()).expect("created");
    domain.create(bare).expect("created");
    assert_eq!(total(&domain), before + 4);
}

#[test]
fn keys_live_for_a_day_in_their_repository() {
    let clock = clock();
    let domain = open(Options { clock: clock.clone(), ..options() });
    let first = domain.create(keyed("k")).expect("created");
    let mut elsewhere = keyed("k");
    elsewhere["repo"] = json!("gadgets");
    assert_eq!(domain.create(elsewhere).expect("created").issue_number, 61);
    clock.advance(minutes(24 * 60) - std::time::Duration::from_millis(1));
    assert_eq!(domain.create(keyed("k")).expect("repeated"), first);
    clock.advance(std::time::Duration::from_millis(1));
    let later = domain.create(keyed("k")).expect("created");
    assert_ne!(later.issue_number, first.issue_number);
    assert_eq!(domain.create(keyed("k")).expect("repeated"), later);
}

#[test]
fn comment_keys_belong_to_their_issue() {
    let domain = domain();
    let comment = |number: u64| {
        let arguments = json!({"issue_number": number, "body": "Once", "idempotency_key": "k"});
        domain.comment(widgets(arguments)).expect("commented")
    };
    let first = comment(1434);
    assert_eq!(comment(1434), first);
    assert_ne!(comment(1301).comment_id, first.comment_id);
    let thread = domain.thread(widgets(json!({"issue_number": 1434}))).expect("a page").comments;
    assert_eq!(thread.iter().filter(|comment| comment.body == "Once").count(), 1);
    domain.set_lock(widgets(json!({"issue_number": 1434, "locked": true}))).expect("locked");
    assert_eq!(comment(1434), first, "the repeat of a success stays a success");
}

#[test]
fn a_key_with_other_arguments_is_no_repeat() {
    let domain = domain();
    domain.create(keyed("k")).expect("created");
    let before = total(&domain);
    let other = widgets(json!({"title": "Something else", "idempotency_key": "k"}));
    let failure = domain.create(other).expect_err("reused");
    assert_eq!(failure.code, Code::InvalidField);
    assert_eq!((failure.field.as_deref(), &failure.value), (Some("idempotency_key"), &None));
    assert_eq!(total(&domain), before);
    let repair = failure.repair.expect("a repair");
    assert_eq!(repair.arguments["title"], json!("Something else"));
    let first = domain.repair(&repair).expect("the repair works");
    assert_eq!(domain.repair(&repair).expect("repeats"), first);
    assert_eq!(total(&domain), before + 1);
}
