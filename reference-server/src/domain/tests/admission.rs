use serde_json::{Value, json};

use super::support::{Caller, domain, open, options, told, widgets};
use crate::domain::{Code, Credential, Domain, Failure, Options};

/// Every operation once, with arguments that succeed under a valid credential.
fn everything(domain: &Domain) -> Vec<(&'static str, Option<Failure>)> {
    let at = |more: Value| {
        let mut arguments = widgets(more);
        arguments["issue_number"] = json!(1434);
        arguments
    };
    vec![
        ("find", domain.find(widgets(json!({}))).err()),
        ("get", domain.get(at(json!({}))).err()),
        ("thread", domain.thread(at(json!({}))).err()),
        ("create", domain.create(widgets(json!({"title": "T"}))).err()),
        ("update", domain.update(at(json!({"title": "T"}))).err()),
        ("comment", domain.comment(at(json!({"body": "B"}))).err()),
        ("lock", domain.set_lock(at(json!({"locked": true}))).err()),
    ]
}

fn codes(options: Options) -> Vec<Option<Code>> {
    everything(&open(options)).into_iter().map(|(_, failure)| failure.map(|it| it.code)).collect()
}

#[test]
fn credentials_differ_in_their_codes() {
    let with = |credential| codes(Options { credential, ..options() });
    assert_eq!(with(Credential::Valid), vec![None; 7]);
    assert_eq!(with(Credential::Missing), vec![Some(Code::MissingCredential); 7]);
    assert_eq!(with(Credential::Invalid), vec![Some(Code::InvalidCredential); 7]);
    let mut read_only = vec![None; 3];
    read_only.extend(vec![Some(Code::InsufficientScope); 4]);
    assert_eq!(with(Credential::ReadOnly), read_only);
}

#[test]
fn a_weak_credential_learns_the_scope_and_writes_nothing() {
    let domain = open(Options { credential: Credential::ReadOnly, ..options() });
    let failure =
        domain.create(widgets(json!({"title": "T", "labels": ["zzz"]}))).expect_err("scope");
    assert_eq!(failure.required_scopes, ["issues:write"]);
    assert_eq!(failure.repair, None);
    assert_eq!(domain.find(widgets(json!({}))).expect("a page").issues[0].issue_number, 1480);
}

#[test]
fn throttle_and_outage_hit_everything() {
    let throttled = open(Options { throttle: true, ..options() });
    for (operation, failure) in everything(&throttled) {
        let failure = failure.expect(operation);
        assert_eq!(failure.code, Code::RateLimited);
        assert_eq!((failure.retry_after_ms, failure.rate_limit_remaining), (Some(32_000), Some(0)));
        assert_eq!((failure.repair, failure.field), (None, None));
    }
    let down = open(Options { outage: true, ..options() });
    for (operation, failure) in everything(&down) {
        let failure = failure.expect(operation);
        assert_eq!(failure.code, Code::UpstreamUnavailable);
        assert!(failure.retry_after_ms.is_some() && failure.rate_limit_remaining.is_none());
    }
}

#[test]
fn the_failing_repositories_fail_everything() {
    let domain = domain();
    for (repo, code) in
        [("throttled", Code::RateLimited), ("unavailable", Code::UpstreamUnavailable)]
    {
        let at = json!({"owner": "acme", "repo": repo});
        assert_eq!(domain.find(at.clone()).expect_err("fails").code, code);
        let mut write = at;
        write["title"] = json!("T");
        assert_eq!(domain.create(write).expect_err("fails").code, code);
    }
}

#[test]
fn a_misspelt_repository_is_corrected_in_place_for_reads() {
    let domain = domain();
    let arguments = json!({"owner": "acme", "repo": "wigdets", "labels": ["bug"], "state": "all"});
    let failure = domain.find(arguments).expect_err("unknown");
    assert_eq!((failure.code, failure.field.as_deref()), (Code::RepoNotFound, Some("repo")));
    assert_eq!(failure.allowed, ["gadgets", "throttled", "unavailable", "widgets"]);
    let repair = failure.repair.expect("a repair");
    assert_eq!(json!(repair.arguments), widgets(json!({"labels": ["bug"], "state": "all"})));
    domain.repair(&repair).expect("the repair works");
    let failure = domain
        .get(json!({"owner": "Acme", "repo": "Widgets", "issue_number": 1423, "detail": "full"}))
        .expect_err("unknown");
    assert_eq!(failure.field.as_deref(), Some("owner"));
    assert_eq!(failure.allowed, ["acme", "globex", "initech"]);
    let repair = failure.repair.expect("a repair");
    assert_eq!(json!(repair.arguments), widgets(json!({"issue_number": 1423, "detail": "full"})));
    domain.repair(&repair).expect("the repair works");
}

#[test]
fn a_write_never_moves_to_a_guessed_repository() {
    let domain = domain();
    let failure = domain
        .create(json!({"owner": "acme", "repo": "widget", "title": "canary"}))
        .expect_err("unknown");
    let repair = failure.repair.clone().expect("a repair");
    assert_eq!(repair.tool, "github_find_issues");
    assert_eq!(json!(repair.arguments), widgets(json!({})));
    domain.repair(&repair).expect("the repair works");
}

#[test]
fn an_unlike_name_is_not_repeated_and_still_leads_somewhere() {
    let domain = domain();
    let failure = domain
        .find(json!({"owner": "canary-4711", "repo": "canary-4712", "query": "x"}))
        .expect_err("unknown");
    assert!(!told(&failure).contains("canary"));
    let repair = failure.repair.expect("a repair");
    assert!(!json!(repair.arguments).to_string().contains("canary"));
    domain.repair(&repair).expect("the repair works");
}

#[test]
fn completion_offers_what_is_visible() {
    let domain = domain();
    assert_eq!(domain.complete_owner(""), ["acme", "globex", "initech"]);
    assert_eq!(domain.complete_owner("GL"), ["globex"]);
    assert_eq!(domain.complete_owner("x"), Vec::<String>::new());
    assert_eq!(domain.complete_repo(Some("acme"), "wi"), ["widgets"]);
    assert_eq!(domain.complete_repo(Some("initech"), "w"), Vec::<String>::new());
    assert_eq!(domain.complete_repo(None, "").len(), 8);
    let blind = open(Options { credential: Credential::Missing, ..options() });
    assert_eq!(blind.complete_owner(""), Vec::<String>::new());
}

#[test]
fn calls_from_many_threads_take_turns() {
    let domain = domain();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    domain.create(widgets(json!({"title": "Parallel"}))).expect("created");
                }
            });
        }
    });
    assert_eq!(domain.find(widgets(json!({}))).expect("a page").issues[0].issue_number, 1500);
}
