use serde_json::{Value, json};

use super::support::{Caller, domain, told, widgets};
use crate::domain::Code;

#[test]
fn an_issue_comes_with_the_start_of_its_thread() {
    let domain = domain();
    let read = domain.get(widgets(json!({"issue_number": 1423}))).expect("read");
    assert_eq!(read.issue.title, "Crash on save with an empty filename");
    assert_eq!(json!(read.issue)["lock_reason"], json!("resolved"));
    assert_eq!(read.issue.updated_at, "2026-07-12T09:30:00Z");
    assert_eq!(read.comments.expect("comments").len(), 3);
    assert_eq!(read.comments_has_more, Some(false));
    assert_eq!(read.comments_cursor, None);
    let bare = domain.get(widgets(json!({"issue_number": 1423, "include_comments": false})));
    let bare = json!(bare.expect("read"));
    assert_eq!(bare.as_object().expect("an object").keys().collect::<Vec<_>>(), ["issue"]);
}

#[test]
fn a_long_thread_is_read_to_its_end_without_gaps() {
    let domain = domain();
    let read = domain.get(widgets(json!({"issue_number": 1400}))).expect("read");
    let mut ids: Vec<u64> =
        read.comments.expect("comments").iter().map(|comment| comment.comment_id).collect();
    assert_eq!(ids.len(), 20);
    assert_eq!(read.comments_has_more, Some(true));
    let mut cursor = read.comments_cursor;
    let mut sizes = Vec::new();
    while let Some(token) = cursor {
        let page =
            domain.thread(widgets(json!({"issue_number": 1400, "cursor": token}))).expect("a page");
        assert_eq!(page.has_more, page.next_cursor.is_some());
        sizes.push(page.comments.len());
        ids.extend(page.comments.iter().map(|comment| comment.comment_id));
        cursor = page.next_cursor;
    }
    assert_eq!(sizes, [50, 50, 10]);
    assert!(ids.is_sorted_by(|left, right| left < right), "oldest first, each once");
    let fresh = domain.thread(widgets(json!({"issue_number": 1400}))).expect("a page");
    assert_eq!(fresh.comments.len(), 50);
    assert_eq!(fresh.comments[0].comment_id, ids[0]);
}

#[test]
fn a_thread_can_be_read_from_an_instant_on() {
    let domain = domain();
    let whole = domain.thread(widgets(json!({"issue_number": 1367}))).expect("a page").comments;
    let since = whole[5].updated_at.clone();
    let part = domain
        .thread(widgets(json!({"issue_number": 1367, "updated_after": since})))
        .expect("a page");
    assert_eq!(part.comments, whole[5..]);
    let bad = domain.thread(widgets(json!({"issue_number": 1367, "updated_after": "soon"})));
    let failure = bad.expect_err("no instant");
    assert_eq!(failure.field.as_deref(), Some("updated_after"));
    assert!(!told(&failure).contains("soon"));
    domain.repair(&failure.repair.expect("a repair")).expect("the repair works");
}

#[test]
fn a_summary_cuts_at_2000_characters_and_says_so() {
    let domain = domain();
    let at = |detail: &str| {
        domain.get(widgets(json!({"issue_number": 1389, "detail": detail}))).expect("read").issue
    };
    let (summary, full) = (at("summary"), at("full"));
    assert_eq!(summary.body.chars().count(), 2000);
    assert_eq!(summary.body_truncated, Some(true));
    assert!(full.body.starts_with(&summary.body) && full.body.chars().count() > 10_000);
    assert_eq!(full.body_truncated, None);
    assert_eq!(summary.version, full.version);
    let short = domain.get(widgets(json!({"issue_number": 1423}))).expect("read").issue;
    assert_eq!(short.body_truncated, None);
    let default = domain.get(widgets(json!({"issue_number": 1389}))).expect("read").issue;
    assert_eq!(default, summary);
}

#[test]
fn long_comments_are_cut_in_both_tools() {
    let domain = domain();
    let at = |detail: &str| {
        let page = domain.thread(widgets(json!({"issue_number": 1400, "detail": detail})));
        page.expect("a page").comments
    };
    let (summary, full) = (at("summary"), at("full"));
    let cut: Vec<usize> = (0..50).filter(|at| summary[*at].body_truncated.is_some()).collect();
    assert_eq!(cut, [2]);
    assert!(full[2].body.starts_with(&summary[2].body) && full[2].body.len() > 2000);
    for (brief, dense) in summary.iter().zip(&full) {
        assert_eq!(brief.comment_id, dense.comment_id);
        assert!(brief.url.is_none() && dense.url.is_some());
    }
    let read = domain.get(widgets(json!({"issue_number": 1400}))).expect("read");
    assert_eq!(read.comments.expect("comments")[..], summary[..20]);
}

#[test]
fn levels_of_an_issue_share_their_members() {
    let domain = domain();
    for number in [1301, 1345, 1378, 1411, 1423] {
        let at = |detail: &str| {
            let read = domain.get(widgets(json!({"issue_number": number, "detail": detail})));
            json!(read.expect("read").issue)
        };
        let (summary, full) = (at("summary"), at("full"));
        let (summary, full) =
            (summary.as_object().expect("object"), full.as_object().expect("object"));
        assert!(summary.iter().all(|(name, value)| full.get(name) == Some(value)), "{number}");
        assert!(full.len() > summary.len());
        assert!(full.values().all(|value| !value.is_null()));
    }
}

#[test]
fn conditional_members_appear_under_their_condition_only() {
    let domain = domain();
    let read = |number: u64| {
        json!(domain.get(widgets(json!({"issue_number": number}))).expect("read").issue)
    };
    assert_eq!(read(1411)["state_reason"], json!("not_planned"));
    assert_eq!(read(1345)["state_reason"], json!("reopened"));
    assert_eq!(read(1367)["lock_reason"], json!("too heated"));
    assert_eq!(read(1378)["locked"], json!(true));
    assert!(read(1378).get("lock_reason").is_none());
    assert!(read(1434).get("state_reason").is_none());
    assert_eq!(read(1301)["body"], json!(""));
}

#[test]
fn every_read_gives_the_same_version() {
    let domain = domain();
    let row = &domain
        .find(widgets(json!({"query": "crash on save empty filename", "detail": "full"})))
        .expect("a page")
        .issues[0];
    let read = domain.get(widgets(json!({"issue_number": 1423}))).expect("read");
    assert_eq!(row.version.as_ref(), Some(&read.issue.version));
    assert_eq!(row.url.as_ref(), Some(&read.issue.url));
    let same = domain
        .update(widgets(json!({"issue_number": 1423, "expected_version": read.issue.version})))
        .expect("nothing to do");
    assert_eq!(same.version, read.issue.version);
}

#[test]
fn an_unknown_number_leads_to_a_search() {
    let domain = domain();
    for number in [1u64, 99_999, u64::MAX] {
        for failure in [
            domain.get(widgets(json!({"issue_number": number}))).expect_err("unknown"),
            domain.thread(widgets(json!({"issue_number": number}))).expect_err("unknown"),
            domain.update(widgets(json!({"issue_number": number}))).expect_err("unknown"),
            domain
                .comment(widgets(json!({"issue_number": number, "body": "x"})))
                .expect_err("unknown"),
            domain
                .set_lock(widgets(json!({"issue_number": number, "locked": true})))
                .expect_err("unknown"),
        ] {
            assert_eq!(failure.code, Code::IssueNotFound);
            assert_eq!(failure.field.as_deref(), Some("issue_number"));
            assert_eq!(failure.value, Some(json!(number)));
            let repair = failure.repair.expect("a repair");
            assert_eq!(Value::Object(repair.arguments.clone()), widgets(json!({"state": "all"})));
            domain.repair(&repair).expect("the repair works");
        }
    }
}

#[test]
fn a_pull_request_is_no_issue() {
    let domain = domain();
    let page = domain.find(widgets(json!({"include_pull_requests": true, "state": "all"})));
    let number = page
        .expect("a page")
        .issues
        .iter()
        .find(|row| row.pull_request == Some(true))
        .map(|row| row.issue_number)
        .expect("a pull request");
    let failure = domain.get(widgets(json!({"issue_number": number}))).expect_err("no issue");
    assert_eq!(failure.code, Code::IssueNotFound);
    assert!(failure.reason.expect("a reason").contains("pull request"));
    let repair = failure.repair.expect("a repair");
    let found = domain.repair(&repair).expect("the repair works");
    let rows = found["issues"].as_array().expect("rows");
    assert!(rows.iter().any(|row| row["issue_number"] == json!(number)));
}
