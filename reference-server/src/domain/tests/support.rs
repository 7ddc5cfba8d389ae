//! What the tests share: a domain at a known time, and arguments as callers write them.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::domain::input::{
    AddComment, CreateIssue, FindIssues, GetIssue, ListComments, SetIssueLock, UpdateIssue,
};
use crate::domain::output::{
    CommentPage, CommentWritten, IssueCreated, IssuePage, IssueRead, IssueUpdated, LockState,
};
use crate::domain::{Clock, Domain, Failure, Options, Repair};

pub(super) const NOW: &str = "2026-07-29T12:00:00Z";

pub(super) fn clock() -> Clock {
    Clock::fixed_at(NOW).expect("a valid instant")
}

pub(super) fn options() -> Options {
    Options { clock: clock(), ..Options::default() }
}

pub(super) fn domain() -> Domain {
    open(options())
}

pub(super) fn open(options: Options) -> Domain {
    Domain::open(options).expect("the store opens")
}

pub(super) fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

/// Arguments on `acme/widgets` with more members.
pub(super) fn widgets(more: Value) -> Value {
    let mut arguments = json!({"owner": "acme", "repo": "widgets"});
    let more = more.as_object().expect("members").clone();
    arguments.as_object_mut().expect("an object").extend(more);
    arguments
}

/// A caller: operations by JSON arguments, as the server around the domain makes them.
pub(super) trait Caller {
    fn find(&self, arguments: Value) -> Result<IssuePage, Failure>;
    fn get(&self, arguments: Value) -> Result<IssueRead, Failure>;
    fn thread(&self, arguments: Value) -> Result<CommentPage, Failure>;
    fn create(&self, arguments: Value) -> Result<IssueCreated, Failure>;
    fn update(&self, arguments: Value) -> Result<IssueUpdated, Failure>;
    fn comment(&self, arguments: Value) -> Result<CommentWritten, Failure>;
    fn set_lock(&self, arguments: Value) -> Result<LockState, Failure>;
    /// Carries out a repair to the letter.
    fn repair(&self, repair: &Repair) -> Result<Value, Failure>;
}

impl Caller for Domain {
    fn find(&self, arguments: Value) -> Result<IssuePage, Failure> {
        self.find_issues(&read::<FindIssues>(arguments))
    }
    fn get(&self, arguments: Value) -> Result<IssueRead, Failure> {
        self.get_issue(&read::<GetIssue>(arguments))
    }
    fn thread(&self, arguments: Value) -> Result<CommentPage, Failure> {
        self.list_comments(&read::<ListComments>(arguments))
    }
    fn create(&self, arguments: Value) -> Result<IssueCreated, Failure> {
        self.create_issue(&read::<CreateIssue>(arguments))
    }
    fn update(&self, arguments: Value) -> Result<IssueUpdated, Failure> {
        self.update_issue(&read::<UpdateIssue>(arguments))
    }
    fn comment(&self, arguments: Value) -> Result<CommentWritten, Failure> {
        self.add_comment(&read::<AddComment>(arguments))
    }
    fn set_lock(&self, arguments: Value) -> Result<LockState, Failure> {
        self.set_issue_lock(&read::<SetIssueLock>(arguments))
    }
    fn repair(&self, repair: &Repair) -> Result<Value, Failure> {
        let arguments = Value::Object(repair.arguments.clone());
        match repair.tool {
            "github_find_issues" => self.find(arguments).map(|result| json!(result)),
            "github_get_issue" => self.get(arguments).map(|result| json!(result)),
            "github_list_comments" => self.thread(arguments).map(|result| json!(result)),
            "github_create_issue" => self.create(arguments).map(|result| json!(result)),
            "github_update_issue" => self.update(arguments).map(|result| json!(result)),
            "github_add_comment" => self.comment(arguments).map(|result| json!(result)),
            "github_set_issue_lock" => self.set_lock(arguments).map(|result| json!(result)),
            other => panic!("repair names {other}"),
        }
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> T {
    serde_json::from_value(arguments.clone())
        .unwrap_or_else(|error| panic!("{arguments} are no arguments: {error}"))
}

/// Everything a failure tells outside its repair, for searches.
pub(super) fn told(failure: &Failure) -> String {
    let Failure { message, field, value, reason, allowed, .. } = failure;
    format!("{message} {field:?} {value:?} {reason:?} {allowed:?}")
}

/// All pages of a query.
pub(super) fn walk(domain: &Domain, arguments: &Value) -> Vec<IssuePage> {
    let mut pages: Vec<IssuePage> = Vec::new();
    loop {
        let mut arguments = arguments.clone();
        if let Some(cursor) = pages.last().and_then(|page| page.next_cursor.clone()) {
            arguments["cursor"] = json!(cursor);
        }
        pages.push(domain.find(arguments).expect("a page"));
        if !pages.last().expect("just pushed").has_more {
            return pages;
        }
    }
}

/// The numbers on pages.
pub(super) fn numbers(pages: &[IssuePage]) -> Vec<u64> {
    pages.iter().flat_map(|page| &page.issues).map(|issue| issue.issue_number).collect()
}
