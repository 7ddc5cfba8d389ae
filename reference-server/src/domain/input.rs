//! What operations are asked. Owns the parameters under their published names, so that arguments
//! that passed the published schema deserialize as they are and serialize back for a repair; refuses
//! to own the schema. Invariant: a member is `Some` exactly when the caller sent it, and an empty
//! string or array is not the same as an absent one. Defaults are applied by the operations.

use serde::{Deserialize, Deserializer, Serialize};

/// Which issues a search returns by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateFilter {
    /// Open ones.
    Open,
    /// Closed ones.
    Closed,
    /// Both.
    All,
}

/// Whether an issue is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Work is left.
    Open,
    /// Work is over.
    Closed,
}

/// Why an issue is in its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateReason {
    /// Closed: done.
    Completed,
    /// Closed: will not be done.
    NotPlanned,
    /// Open: it was closed before.
    Reopened,
}

/// Why a conversation is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockReason {
    /// The thread left its subject.
    #[serde(rename = "off-topic")]
    OffTopic,
    /// The tone.
    #[serde(rename = "too heated")]
    TooHeated,
    /// The matter is settled.
    #[serde(rename = "resolved")]
    Resolved,
    /// Spam.
    #[serde(rename = "spam")]
    Spam,
}

/// How dense a result is; never changes which rows come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// The members needed to choose, long bodies cut short.
    Summary,
    /// Every member, complete bodies.
    Full,
}

/// Arguments of `github_find_issues`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindIssues {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Words to search for in titles, bodies and comments; all must occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Absent: open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateFilter>,
    /// All must be carried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Login that must be assigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// Login of the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// RFC 3339 instant; updated at it or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<String>,
    /// Absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_pull_requests: Option<bool>,
    /// Absent: summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
    /// Continues the walk that issued it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Arguments of `github_get_issue`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GetIssue {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Number in the repository, from 1.
    #[serde(deserialize_with = "integral")]
    pub issue_number: u64,
    /// Absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_comments: Option<bool>,
    /// Absent: summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// Arguments of `github_list_comments`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListComments {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Number in the repository, from 1.
    #[serde(deserialize_with = "integral")]
    pub issue_number: u64,
    /// Continues the thread after a page of this tool or of `github_get_issue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// RFC 3339 instant; written or edited at it or later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_after: Option<String>,
    /// Absent: summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// Arguments of `github_create_issue`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateIssue {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Title, 1 to 256 characters.
    pub title: String,
    /// Absent: empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Absent: nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignees: Option<Vec<String>>,
    /// Repeats within 24 hours in this repository return the first result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Arguments of `github_update_issue`; what is absent stays as it is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateIssue {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Number in the repository, from 1.
    #[serde(deserialize_with = "integral")]
    pub issue_number: u64,
    /// New title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// New body; the empty string clears it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// New state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// Only with `state`; `reopened` only with `open`, the others only with `closed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<StateReason>,
    /// New set of assignees; the empty array unassigns everyone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignees: Option<Vec<String>>,
    /// New set of labels; the empty array removes all. Excludes the two below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// Labels to add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add_labels: Option<Vec<String>>,
    /// Labels to remove; one that is not carried is no error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove_labels: Option<Vec<String>>,
    /// The version that the edit is based on; absent: unguarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<String>,
}

/// Arguments of `github_add_comment`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddComment {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Number in the repository, from 1.
    #[serde(deserialize_with = "integral")]
    pub issue_number: u64,
    /// Text, 1 to 65536 characters.
    pub body: String,
    /// Repeats within 24 hours on this issue return the first result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Arguments of `github_set_issue_lock`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetIssueLock {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Number in the repository, from 1.
    #[serde(deserialize_with = "integral")]
    pub issue_number: u64,
    /// True locks, false unlocks.
    pub locked: bool,
    /// Only with `locked: true`; absent: no reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_reason: Option<LockReason>,
}

/// What an issue index (a resource, not a tool) is asked.
#[derive(Debug, Clone)]
pub struct IssueIndexQuery {
    /// Repository owner.
    pub owner: String,
    /// Repository name.
    pub repo: String,
    /// Absent: open.
    pub state: Option<StateFilter>,
    /// All must be carried.
    pub labels: Option<Vec<String>>,
    /// RFC 3339 instant; updated at it or later.
    pub updated_after: Option<String>,
}

/// JSON Schema counts `7.0` as an integer, and so must we. Numbers beyond 64 bits saturate: no
/// issue has such a number either.
fn integral<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    match (number.as_u64(), number.as_f64()) {
        (Some(whole), _) => Ok(whole),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the guard leaves non-negative whole numbers, and saturating is intended"
        )]
        (None, Some(float)) if float >= 0.0 && float.fract() == 0.0 => Ok(float as u64),
        _ => Err(serde::de::Error::custom("a whole number of at least 0 is needed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn arguments_survive_the_round_trip() {
        let arguments = json!({"owner": "acme", "repo": "widgets", "issue_number": 7, "body": "", "labels": [],
            "state": "open", "state_reason": "reopened"});
        let input: UpdateIssue =
            serde_json::from_value(arguments.clone()).expect("valid arguments");
        assert_eq!(input.body.as_deref(), Some(""));
        assert_eq!(input.labels.as_deref(), Some(&[][..]));
        assert!(input.title.is_none());
        let back: Value = serde_json::to_value(&input).expect("serializes");
        assert_eq!(back, arguments);
    }

    #[test]
    fn whole_floats_are_issue_numbers() {
        let read = |number: Value| {
            serde_json::from_value::<GetIssue>(
                json!({"owner": "a", "repo": "b", "issue_number": number}),
            )
            .map(|input| input.issue_number)
        };
        assert_eq!(read(json!(1423.0)).expect("whole"), 1423);
        assert_eq!(read(json!(1e30)).expect("whole"), u64::MAX);
        assert!(read(json!(1.5)).is_err());
        assert!(read(json!(-1)).is_err());
    }

    #[test]
    fn lock_reasons_have_their_published_spelling() {
        let spelled = serde_json::to_value([
            LockReason::OffTopic,
            LockReason::TooHeated,
            LockReason::Resolved,
            LockReason::Spam,
        ])
        .expect("serializes");
        assert_eq!(spelled, json!(["off-topic", "too heated", "resolved", "spam"]));
    }
}
