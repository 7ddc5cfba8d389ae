use std::collections::HashSet;

use serde_json::{Value, json};

use super::support::{Caller, domain, numbers, walk, widgets};
use crate::domain::Code;
use crate::domain::input::{IssueIndexQuery, State, StateFilter};

fn find_numbers(more: Value) -> Vec<u64> {
    numbers(&walk(&domain(), &widgets(more)))
}

#[test]
fn pages_hold_fifty_and_cover_everything_once() {
    let domain = domain();
    let pages = walk(&domain, &widgets(json!({})));
    let (last, full) = pages.split_last().expect("pages");
    assert!(full.len() >= 5 && full.iter().all(|page| page.issues.len() == 50 && page.has_more));
    assert!(!last.has_more && last.next_cursor.is_none() && !last.issues.is_empty());
    let numbers = numbers(&pages);
    assert!(numbers.is_sorted_by(|left, right| left > right), "newest first, each once");
    assert!(pages.iter().all(|page| page.estimated_total == numbers.len() as u64));
    assert!(pages.iter().all(|page| !page.truncated && page.truncation_hint.is_none()));
    assert!(pages.iter().flat_map(|page| &page.issues).all(|issue| issue.state == State::Open));
}

#[test]
fn five_hundred_are_shown_and_the_rest_is_announced() {
    let domain = domain();
    let pages = walk(&domain, &widgets(json!({"state": "all"})));
    assert_eq!(numbers(&pages).len(), 500);
    assert_eq!(pages.len(), 10);
    for page in &pages {
        assert!(page.estimated_total > 600 && page.truncated, "{}", page.estimated_total);
        let hint = page.truncation_hint.as_deref().expect("a hint");
        assert!(hint.contains("updated_after") && hint.len() < 80, "{hint}");
    }
}

#[test]
fn states_split_the_whole() {
    let total = |state: &str| {
        domain().find(widgets(json!({"state": state}))).expect("a page").estimated_total
    };
    assert_eq!(total("open") + total("closed"), total("all"));
    assert!(total("closed") > 100);
    let default = domain().find(widgets(json!({}))).expect("a page");
    assert_eq!(default, domain().find(widgets(json!({"state": "open"}))).expect("a page"));
}

#[test]
fn pull_requests_come_only_when_asked_for() {
    let domain = domain();
    let without = walk(&domain, &widgets(json!({})));
    assert!(without.iter().flat_map(|page| &page.issues).all(|row| row.pull_request.is_none()));
    let with = walk(&domain, &widgets(json!({"include_pull_requests": true})));
    let issues: HashSet<u64> = numbers(&without).into_iter().collect();
    let mut marked = 0;
    for row in with.iter().flat_map(|page| &page.issues) {
        assert_eq!(row.pull_request == Some(true), !issues.contains(&row.issue_number));
        marked += usize::from(row.pull_request.is_some());
    }
    assert!(marked > 20, "{marked}");
    let explicit = domain.find(widgets(json!({"include_pull_requests": false}))).expect("a page");
    assert_eq!(explicit, without[0]);
}

#[test]
fn labels_are_anded_whatever_their_order() {
    let domain = domain();
    let both =
        walk(&domain, &widgets(json!({"state": "all", "labels": ["good first issue", "bug"]})));
    let rows: Vec<_> = both.iter().flat_map(|page| &page.issues).collect();
    assert!(rows.len() > 3);
    assert!(rows.iter().all(|row| {
        row.labels.contains(&"bug".to_owned())
            && row.labels.contains(&"good first issue".to_owned())
    }));
    let one = domain.find(widgets(json!({"state": "all", "labels": ["bug"]}))).expect("a page");
    assert!(one.estimated_total > rows.len() as u64);
    let swapped = json!({"state": "all", "labels": ["bug", "good first issue", "bug"]});
    assert_eq!(walk(&domain, &widgets(swapped)), both);
}

#[test]
fn names_outside_ascii_are_labels_like_any() {
    assert!(find_numbers(json!({"labels": ["größe"]})).contains(&1312));
    assert!(find_numbers(json!({"labels": ["バグ"]})).contains(&1323));
    assert_eq!(find_numbers(json!({"labels": ["no such label"]})), Vec::<u64>::new());
}

#[test]
fn people_and_time_narrow() {
    let domain = domain();
    let by = |more: Value| domain.find(widgets(more)).expect("a page");
    let assigned = by(json!({"assignee": "reviewer"}));
    assert!(assigned.issues.iter().all(|row| row.assignees.contains(&"reviewer".to_owned())));
    let created = by(json!({"creator": "reporter-1", "detail": "full"}));
    assert!(created.issues.iter().all(|row| row.author.as_deref() == Some("reporter-1")));
    let recent = by(json!({"updated_after": "2026-07-01T00:00:00Z"}));
    assert!(recent.issues.iter().all(|row| row.updated_at.as_str() >= "2026-07-01T00:00:00Z"));
    let all = by(json!({})).estimated_total;
    for page in [&assigned, &created, &recent] {
        assert!((1..all).contains(&page.estimated_total), "{}", page.estimated_total);
    }
    assert_eq!(by(json!({"assignee": "nobody"})).estimated_total, 0);
    assert_eq!(by(json!({"creator": "nobody"})).estimated_total, 0);
    assert_eq!(by(json!({"updated_after": "2099-01-01T00:00:00Z"})).estimated_total, 0);
    let shifted = by(json!({"updated_after": "2026-07-01T02:00:00+02:00"}));
    assert_eq!(shifted.issues, recent.issues);
}

#[test]
fn the_bound_of_time_is_inclusive() {
    let with = |instant: &str| find_numbers(json!({"updated_after": instant})).contains(&1423);
    assert!(with("2026-07-12T09:30:00Z"));
    assert!(!with("2026-07-12T09:30:00.001Z"));
}

#[test]
fn search_covers_titles_bodies_and_comments() {
    assert_eq!(find_numbers(json!({"query": "crash on save empty filename"})), [1423]);
    assert_eq!(find_numbers(json!({"query": "Rahmen"})), [1312]);
    let domain = domain();
    let comment = widgets(json!({"issue_number": 1301, "body": "A zeppelin appeared."}));
    assert_eq!(domain.find(widgets(json!({"query": "zeppelin"}))).expect("a page").issues, []);
    domain.comment(comment).expect("commented");
    let found = domain.find(widgets(json!({"query": "ZEPPELINS"}))).expect("a page");
    assert_eq!(numbers(&[found]), [1301]);
    let narrowed = json!({"query": "zeppelin", "labels": ["bug"]});
    assert_eq!(domain.find(widgets(narrowed)).expect("a page").issues, []);
}

#[test]
fn search_follows_edits() {
    let domain = domain();
    let hits = |word: &str| numbers(&walk(&domain, &widgets(json!({"query": word}))));
    domain
        .update(widgets(json!({"issue_number": 1423, "title": "Dirigible", "body": "gone"})))
        .expect("updated");
    assert_eq!(hits("dirigible"), [1423]);
    assert!(!hits("filename").contains(&1423));
    let created = domain
        .create(widgets(json!({"title": "Airship", "body": "See v2.5-rc1, \"quoted\"."})))
        .expect("created");
    assert_eq!(hits("airship"), [created.issue_number]);
    assert_eq!(hits("v2.5-rc1 \"quoted\""), [created.issue_number]);
}

#[test]
fn a_query_without_a_word_is_refused_with_a_way_on() {
    let domain = domain();
    let arguments = widgets(json!({"query": "*** \" OR", "labels": ["bug"]}));
    assert_eq!(domain.find(arguments).expect("OR is a word").issues, []);
    let arguments = widgets(json!({"query": "***", "labels": ["bug"]}));
    let failure = domain.find(arguments).expect_err("no word");
    assert_eq!((failure.code, failure.field.as_deref()), (Code::InvalidField, Some("query")));
    let repair = failure.repair.expect("a repair");
    assert_eq!(Value::Object(repair.arguments.clone()), widgets(json!({"labels": ["bug"]})));
    domain.repair(&repair).expect("the repair works");
}

#[test]
fn detail_changes_density_only() {
    let domain = domain();
    let summary = walk(&domain, &widgets(json!({"include_pull_requests": true})));
    let full = walk(&domain, &widgets(json!({"include_pull_requests": true, "detail": "full"})));
    assert_eq!(numbers(&summary), numbers(&full));
    assert_eq!(summary.len(), full.len());
    let default = domain.find(widgets(json!({"detail": "summary"}))).expect("a page");
    assert_eq!(default, domain.find(widgets(json!({}))).expect("a page"));
    for (brief, dense) in summary.iter().zip(&full) {
        assert_eq!(brief.next_cursor, dense.next_cursor, "one walk may change its detail");
        for (brief, dense) in brief.issues.iter().zip(&dense.issues) {
            let (Value::Object(brief), Value::Object(dense)) = (json!(brief), json!(dense)) else {
                panic!("rows are objects")
            };
            assert!(brief.iter().all(|(name, value)| dense.get(name) == Some(value)));
            assert!(dense.len() > brief.len());
            assert!(dense.values().all(|value| !value.is_null()));
        }
    }
}

#[test]
fn an_index_lists_what_a_search_finds_and_tells_true_sizes() {
    let domain = domain();
    let index = |state, labels: Option<Vec<String>>| {
        let (owner, repo) = ("acme".to_owned(), "widgets".to_owned());
        let query = IssueIndexQuery { owner, repo, state, labels, updated_after: None };
        let index = domain.issue_index(&query, 1000).expect("an index");
        let numbers: Vec<u64> = index.entries.iter().map(|entry| entry.issue_number).collect();
        assert_eq!(domain.issue_numbers(&query).expect("numbers"), numbers);
        let start = domain.issue_index(&query, 3).expect("an index");
        assert_eq!(start.entries.len(), numbers.len().min(3));
        assert_eq!(start.estimated_total, index.estimated_total);
        index
    };
    let open = index(None, None);
    let listed: Vec<u64> = open.entries.iter().map(|entry| entry.issue_number).collect();
    assert_eq!(listed, numbers(&walk(&domain, &widgets(json!({})))));
    assert_eq!(open.truncation_hint, None);
    let all = index(Some(StateFilter::All), None);
    assert_eq!(all.entries.len(), 500);
    assert!(all.truncation_hint.expect("a hint").contains("labels"));
    let labelled = index(None, Some(vec!["größe".to_owned()]));
    assert!(labelled.entries.iter().any(|entry| entry.issue_number == 1312));
    let design = open.entries.iter().find(|entry| entry.issue_number == 1389).expect("listed");
    let read = domain.get(widgets(json!({"issue_number": 1389, "detail": "full"}))).expect("read");
    let text = serde_json::to_string(&read.issue).expect("serializes");
    assert_eq!(design.size, text.len() as u64);
    assert!(!design.preview.contains('\n') && design.preview.chars().count() <= 200);
}
