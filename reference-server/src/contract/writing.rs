//! The four mutating tools: create, update, comment, lock.

use serde_json::{Value, json};

use super::parameters::{idempotency_key, input, issue_number, names, owner, repo, title};
use super::shapes::{lock_reason, output};
use super::tools::{Hints, tool};

fn body(min_length: Option<u32>, description: &str) -> (&'static str, Value) {
    let mut schema = json!({"type": "string"});
    if let Some(min_length) = min_length {
        schema["minLength"] = min_length.into();
    }
    schema["maxLength"] = 65536.into();
    schema["description"] = description.into();
    ("body", schema)
}

fn applied(what: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": format!("{what} as they are after the call.")})
}

fn version(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

pub fn create_issue() -> Value {
    tool(
        "github_create_issue",
        "Create an issue",
        "Create a new issue, with labels and assignees, in one call.\n\n\
         When to use: the user wants to file a bug, a request or a task. Not for changing an issue (github_update_issue) \
         and not for a comment (github_add_comment).\n\
         Every label and assignee must already exist; one unknown label fails the whole call with label_not_found and \
         nothing is created.\n\
         After a timeout, send the same idempotency_key again, or look for the title with github_find_issues first.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"title\": \"Crash on save with empty filename\", \
         \"body\": \"Save without a name.\", \"labels\": [\"bug\"], \"idempotency_key\": \"crash-on-save\"}",
        Hints::Writes { destructive: false, idempotent: false },
        &[("label_not_found", Some("github_create_issue")), ("insufficient_scope", None)],
        input(
            &["owner", "repo", "title"],
            vec![
                owner(),
                repo(),
                title("Title of the issue."),
                body(None, "Body in GitHub-flavored Markdown. Omitted means an empty body."),
                names(
                    "labels",
                    None,
                    "Labels to apply; each must exist in the repository. Omitted means no labels.",
                ),
                names(
                    "assignees",
                    None,
                    "Logins to assign; each must have access to the repository. Omitted means unassigned.",
                ),
                idempotency_key("repository", "the issue that was created first"),
            ],
        ),
        output(
            &["issue_number", "url", "version", "labels", "assignees"],
            json!({
                "issue_number": {"type": "integer"},
                "url": {"type": "string", "format": "uri"},
                "version": version("Opaque content token of the new issue; it does not expire."),
                "labels": applied("Labels"),
                "assignees": applied("Assignees")
            }),
        ),
    )
}

pub fn update_issue() -> Value {
    tool(
        "github_update_issue",
        "Change an issue",
        "Change an existing issue: title, body, state, assignees and labels, in one all-or-nothing call.\n\n\
         When to use: any change except commenting (github_add_comment) and locking (github_set_issue_lock). \
         Closing is state \"closed\", with state_reason if wanted.\n\
         title, body, assignees and labels replace what was there; the earlier content is overwritten.\n\
         Pass expected_version whenever the change rests on content read earlier; if the issue changed since, the call \
         fails with version_conflict and nothing is applied. Read again with github_get_issue, then apply the change anew.\n\
         labels replaces the whole set and excludes add_labels and remove_labels.\n\
         Whatever is omitted stays unchanged.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"issue_number\": 1423, \"state\": \"closed\", \
         \"state_reason\": \"completed\", \"add_labels\": [\"bug\"]}",
        Hints::Writes { destructive: true, idempotent: true },
        &[
            ("issue_not_found", Some("github_find_issues")),
            ("label_not_found", Some("github_update_issue")),
            ("version_conflict", Some("github_get_issue")),
            ("insufficient_scope", None),
        ],
        input(
            &["owner", "repo", "issue_number"],
            vec![
                owner(),
                repo(),
                issue_number(),
                title("New title. Omitted means unchanged."),
                body(
                    None,
                    "New body in place of the old one. Omitted means unchanged; \"\" clears the body; null is not accepted.",
                ),
                (
                    "state",
                    json!({"type": "string", "enum": ["open", "closed"], "description": "New state. Omitted means unchanged."}),
                ),
                (
                    "state_reason",
                    json!({
                        "type": "string",
                        "enum": ["completed", "not_planned", "reopened"],
                        "description": "Reason for the state; valid only together with state, and \"reopened\" only with state \"open\". \
                                        Omitted means the usual reason of the transition."
                    }),
                ),
                names(
                    "assignees",
                    None,
                    "Complete new set of assignees. Omitted means unchanged; [] unassigns everyone.",
                ),
                names(
                    "labels",
                    None,
                    "Complete new set of labels; excludes add_labels and remove_labels. Omitted means unchanged; [] removes all.",
                ),
                names(
                    "add_labels",
                    Some(1),
                    "Labels to add to those present; each must exist in the repository. Omitted means add none.",
                ),
                names(
                    "remove_labels",
                    Some(1),
                    "Labels to take off; one that the issue does not carry is ignored. Omitted means remove none.",
                ),
                (
                    "expected_version",
                    json!({
                        "type": "string",
                        "description": "Version token of an earlier read, from github_get_issue or github_find_issues with detail=full; tokens do not expire. \
                                        Omitted means the last writer wins."
                    }),
                ),
            ],
        ),
        output(
            &["issue_number", "state", "labels", "assignees", "version", "url"],
            json!({
                "issue_number": {"type": "integer"},
                "state": {"type": "string", "enum": ["open", "closed"]},
                "labels": applied("Labels"),
                "assignees": applied("Assignees"),
                "version": version("Opaque content token after this change; it does not expire."),
                "url": {"type": "string", "format": "uri"}
            }),
        ),
    )
}

pub fn add_comment() -> Value {
    tool(
        "github_add_comment",
        "Comment on an issue",
        "Post a comment on an existing issue.\n\n\
         When to use: adding discussion, a status or an answer to a thread. Not for changing the issue's body (github_update_issue).\n\
         A locked issue fails with issue_locked, and the error names the unlocking call.\n\
         After a timeout, send the same idempotency_key again, or look at the thread with github_list_comments first.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"issue_number\": 1423, \"body\": \"Fixed in 2.5.0, please verify.\"}",
        Hints::Writes { destructive: false, idempotent: false },
        &[
            ("issue_not_found", Some("github_find_issues")),
            ("issue_locked", Some("github_set_issue_lock")),
            ("insufficient_scope", None),
        ],
        input(
            &["owner", "repo", "issue_number", "body"],
            vec![
                owner(),
                repo(),
                issue_number(),
                body(Some(1), "Comment in GitHub-flavored Markdown."),
                idempotency_key("issue", "the comment that was posted first"),
            ],
        ),
        output(
            &["comment_id", "url", "created_at"],
            json!({
                "comment_id": {"type": "integer"},
                "url": {"type": "string", "format": "uri"},
                "created_at": {"type": "string", "format": "date-time"}
            }),
        ),
    )
}

pub fn set_issue_lock() -> Value {
    tool(
        "github_set_issue_lock",
        "Lock or unlock an issue",
        "Lock or unlock the conversation of an issue.\n\n\
         When to use: the user wants to stop or allow discussion. It does not close the issue; that is github_update_issue \
         with state \"closed\".\n\
         It requires push access to the repository; without it the call fails with insufficient_scope.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"issue_number\": 1423, \"locked\": true, \"lock_reason\": \"resolved\"}",
        Hints::Writes { destructive: false, idempotent: true },
        &[("issue_not_found", Some("github_find_issues")), ("insufficient_scope", None)],
        input(
            &["owner", "repo", "issue_number", "locked"],
            vec![
                owner(),
                repo(),
                issue_number(),
                (
                    "locked",
                    json!({"type": "boolean", "description": "true locks the conversation; false unlocks it."}),
                ),
                (
                    "lock_reason",
                    json!({
                        "type": "string",
                        "enum": ["off-topic", "too heated", "resolved", "spam"],
                        "description": "Reason shown with the lock; valid only when locked is true. Omitted means locked without a stated reason."
                    }),
                ),
            ],
        ),
        output(
            &["issue_number", "locked"],
            json!({
                "issue_number": {"type": "integer"},
                "locked": {"type": "boolean"},
                "lock_reason": lock_reason()
            }),
        ),
    )
}
