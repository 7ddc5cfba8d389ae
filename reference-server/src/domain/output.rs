//! What operations answer. Owns the members that the output schemas publish, in their order; refuses
//! to carry an empty placeholder: what does not apply is left out. Instants are RFC 3339 in UTC.

use serde::{Deserialize, Serialize};

use super::input::{LockReason, State, StateReason};

/// One page of `github_find_issues`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssuePage {
    /// At most 50, newest number first.
    pub issues: Vec<IssueRow>,
    /// Whether `next_cursor` is there.
    pub has_more: bool,
    /// Continues the walk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// All matches, also those beyond the cap.
    pub estimated_total: u64,
    /// Whether matches beyond the cap of 500 exist, which no page will show.
    pub truncated: bool,
    /// How to narrow; only when truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation_hint: Option<String>,
}

/// One issue in a page. The optional members after `updated_at` come with `detail: full` only.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssueRow {
    /// Number in the repository.
    pub issue_number: u64,
    /// Title.
    pub title: String,
    /// Open or closed.
    pub state: State,
    /// `true` on a pull request, absent on an issue; at both levels of detail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<bool>,
    /// Sorted by code point.
    pub labels: Vec<String>,
    /// Sorted by code point.
    pub assignees: Vec<String>,
    /// Last change or comment.
    pub updated_at: String,
    /// The start of the body on one line, at most 200 characters; absent when the body is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_preview: Option<String>,
    /// Login.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Comments in the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_count: Option<u64>,
    /// Creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Page for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Optimistic-concurrency token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Result of `github_get_issue`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssueRead {
    /// The issue.
    pub issue: IssueView,
    /// The first 20 comments; absent when they were not asked for, as are the two below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<Vec<CommentView>>,
    /// Whether the thread goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments_has_more: Option<bool>,
    /// Continues the thread in `github_list_comments`; only when it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments_cursor: Option<String>,
}

/// One issue, whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssueView {
    /// Number in the repository.
    pub issue_number: u64,
    /// Title.
    pub title: String,
    /// Open or closed.
    pub state: State,
    /// Only when closed, or open again after having been closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<StateReason>,
    /// Whether commenting is off.
    pub locked: bool,
    /// Only when locked with a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_reason: Option<LockReason>,
    /// Login.
    pub author: String,
    /// Sorted by code point.
    pub labels: Vec<String>,
    /// Sorted by code point.
    pub assignees: Vec<String>,
    /// Creation.
    pub created_at: String,
    /// Last change or comment.
    pub updated_at: String,
    /// Text; at most its first 2000 characters with `detail: summary`.
    pub body: String,
    /// `true` when `body` was cut short, else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_truncated: Option<bool>,
    /// Optimistic-concurrency token.
    pub version: String,
    /// Page for people.
    pub url: String,
    /// Comments in the thread; with `detail: full` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment_count: Option<u64>,
}

/// One page of `github_list_comments`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommentPage {
    /// At most 50, oldest first.
    pub comments: Vec<CommentView>,
    /// Whether `next_cursor` is there.
    pub has_more: bool,
    /// Continues the walk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One comment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommentView {
    /// Unique over all repositories.
    pub comment_id: u64,
    /// Login.
    pub author: String,
    /// Creation.
    pub created_at: String,
    /// Last edit.
    pub updated_at: String,
    /// Text; at most its first 2000 characters with `detail: summary`.
    pub body: String,
    /// `true` when `body` was cut short, else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_truncated: Option<bool>,
    /// Page for people; with `detail: full` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Result of `github_create_issue`; deserializable because repeats replay it from the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IssueCreated {
    /// Number in the repository.
    pub issue_number: u64,
    /// Page for people.
    pub url: String,
    /// Version as created.
    pub version: String,
    /// Labels as applied.
    pub labels: Vec<String>,
    /// Assignees as applied.
    pub assignees: Vec<String>,
}

/// Result of `github_update_issue`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IssueUpdated {
    /// Number in the repository.
    pub issue_number: u64,
    /// State after the edit.
    pub state: State,
    /// Labels after the edit.
    pub labels: Vec<String>,
    /// Assignees after the edit.
    pub assignees: Vec<String>,
    /// Version after the edit.
    pub version: String,
    /// Page for people.
    pub url: String,
}

/// Result of `github_add_comment`; deserializable because repeats replay it from the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommentWritten {
    /// Unique over all repositories.
    pub comment_id: u64,
    /// Page for people.
    pub url: String,
    /// Creation.
    pub created_at: String,
}

/// Result of `github_set_issue_lock`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LockState {
    /// Number in the repository.
    pub issue_number: u64,
    /// State of the lock after the call.
    pub locked: bool,
    /// Only when locked with a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_reason: Option<LockReason>,
}

/// The issues of a repository as an index: what is needed to choose, no bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct IssueIndex {
    /// At most 500, newest number first.
    pub entries: Vec<IndexEntry>,
    /// All matches, also those beyond the cap.
    pub estimated_total: u64,
    /// How to narrow; only when matches beyond the cap exist.
    pub truncation_hint: Option<String>,
}

/// One entry of an index.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexEntry {
    /// Number in the repository.
    pub issue_number: u64,
    /// Title.
    pub title: String,
    /// The start of the body on one line, at most 200 characters; empty when the body is.
    pub preview: String,
    /// Bytes of the issue's [`IssueView`] with `detail: full` as compact JSON.
    pub size: u64,
    /// Last change or comment.
    pub updated_at: String,
}
