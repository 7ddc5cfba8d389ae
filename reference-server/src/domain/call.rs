//! The call that is being answered, kept so that a failure can offer it again, corrected. Owns the
//! tool names that repairs use and the corrections; refuses to decide that something failed.
//! Invariant: a correction keeps every argument of the caller that it does not name
//! (rule `6.repair-intent`).

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::failure::Repair;

/// Finds issues.
pub const FIND_ISSUES: &str = "github_find_issues";
/// Reads an issue.
pub const GET_ISSUE: &str = "github_get_issue";
/// Reads a thread.
pub const LIST_COMMENTS: &str = "github_list_comments";
/// Creates an issue.
pub const CREATE_ISSUE: &str = "github_create_issue";
/// Edits an issue.
pub const UPDATE_ISSUE: &str = "github_update_issue";
/// Comments on an issue.
pub const ADD_COMMENT: &str = "github_add_comment";
/// Locks and unlocks a conversation.
pub const SET_ISSUE_LOCK: &str = "github_set_issue_lock";

/// A tool call as the caller sent it.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub tool: &'static str,
    arguments: Map<String, Value>,
}

impl Call {
    pub(super) fn new(tool: &'static str, input: &impl Serialize) -> Call {
        match serde_json::to_value(input) {
            Ok(Value::Object(arguments)) => Call { tool, arguments },
            _ => unreachable!("inputs are structs of strings, numbers and flags"),
        }
    }

    /// Whether the call only reads.
    pub(super) fn reads(&self) -> bool {
        matches!(self.tool, FIND_ISSUES | GET_ISSUE | LIST_COMMENTS)
    }

    /// The call with one argument set.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Call {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// The call with one argument left out.
    pub(super) fn without(mut self, name: &str) -> Call {
        self.arguments.shift_remove(name);
        self
    }

    /// The call with a list argument replaced; an emptied list is left out, because an empty list
    /// says something else than an absent one.
    pub(super) fn with_list(self, name: &str, list: &[String]) -> Call {
        if list.is_empty() { self.without(name) } else { self.with(name, json!(list)) }
    }

    /// The arguments as compact JSON, for digests.
    pub(super) fn to_json(&self) -> String {
        Value::Object(self.arguments.clone()).to_string()
    }

    /// This call as a repair.
    pub(super) fn repair(self, next_step: &'static str) -> Repair {
        Repair { next_step, tool: self.tool, arguments: self.arguments, alternative: None }
    }
}

impl Repair {
    pub(super) fn or(mut self, alternative: &str) -> Repair {
        self.alternative = Some(alternative.to_owned());
        self
    }
}
