//! Output shapes that several tools and resources share.

use serde_json::{Map, Value, json};

use super::parameters::DIALECT;

/// The closed root schema of a tool's success result.
pub fn output(required: &[&str], properties: Value) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".into(), DIALECT.into());
    let Value::Object(rest) = closed(required, properties) else {
        unreachable!("closed() builds an object")
    };
    schema.extend(rest);
    schema.into()
}

/// An object schema that declares exactly `properties` (rule `3.closed-schemas`).
pub fn closed(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

fn instant(description: &str) -> Value {
    json!({"type": "string", "format": "date-time", "description": description})
}

fn names(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

fn state_reason() -> Value {
    json!({
        "type": "string",
        "enum": ["completed", "not_planned", "reopened"],
        "description": "Present only when the issue is closed or was reopened."
    })
}

/// The reason of a lock, in results.
pub fn lock_reason() -> Value {
    json!({
        "type": "string",
        "enum": ["off-topic", "too heated", "resolved", "spam"],
        "description": "Present only when locked is true and a reason was given."
    })
}

fn version() -> Value {
    json!({
        "type": "string",
        "description": "Opaque token of the issue's current content; it does not expire. Pass it to github_update_issue as expected_version."
    })
}

/// One row of `github_find_issues`; the fields from `body_preview` on appear with `detail=full`.
pub fn issue_row() -> Value {
    let full = "Present only with detail=full.";
    closed(
        &["issue_number", "title", "state", "labels", "assignees", "updated_at"],
        json!({
            "issue_number": {"type": "integer"},
            "title": {"type": "string"},
            "state": {"type": "string", "enum": ["open", "closed"]},
            "pull_request": {"type": "boolean", "description": "Present, and true, only when the row is a pull request."},
            "labels": names("Label names."),
            "assignees": names("Logins."),
            "updated_at": instant("Last change, comments included, UTC."),
            "body_preview": {
                "type": "string",
                "description": "Start of the body on one line. Present only with detail=full and a body that is not empty."
            },
            "author": {"type": "string", "description": format!("Login. {full}")},
            "comment_count": {"type": "integer", "description": full},
            "created_at": instant(full),
            "url": {"type": "string", "format": "uri", "description": full},
            "version": {"type": "string", "description": format!("Opaque content token, usable as expected_version; it does not expire. {full}")}
        }),
    )
}

/// One issue with its body, as `github_get_issue` and the issue resource give it.
pub fn issue() -> Value {
    closed(
        &[
            "issue_number",
            "title",
            "state",
            "locked",
            "author",
            "labels",
            "assignees",
            "created_at",
            "updated_at",
            "body",
            "version",
            "url",
        ],
        json!({
            "issue_number": {"type": "integer"},
            "title": {"type": "string"},
            "state": {"type": "string", "enum": ["open", "closed"]},
            "state_reason": state_reason(),
            "locked": {"type": "boolean"},
            "lock_reason": lock_reason(),
            "author": {"type": "string"},
            "labels": names("Label names."),
            "assignees": names("Logins."),
            "created_at": instant("Creation, UTC."),
            "updated_at": instant("Last change, comments included, UTC."),
            "body": {"type": "string", "description": "Raw Markdown as stored."},
            "body_truncated": {
                "type": "boolean",
                "description": "Present, and true, only when detail=summary cut the body at 2000 characters. Read again with detail=full for all of it."
            },
            "version": version(),
            "url": {"type": "string", "format": "uri"},
            "comment_count": {"type": "integer", "description": "Present only with detail=full."}
        }),
    )
}

/// One comment of a thread.
pub fn comment() -> Value {
    closed(
        &["comment_id", "author", "created_at", "updated_at", "body"],
        json!({
            "comment_id": {"type": "integer"},
            "author": {"type": "string"},
            "created_at": instant("Creation, UTC."),
            "updated_at": instant("Last edit, UTC; equal to created_at when never edited."),
            "body": {"type": "string", "description": "Raw Markdown as stored."},
            "body_truncated": {
                "type": "boolean",
                "description": "Present, and true, only when detail=summary cut the body at 2000 characters."
            },
            "url": {"type": "string", "format": "uri", "description": "Present only with detail=full."}
        }),
    )
}

/// The house paging members of a tool's own payload (rule `8.house-pagination`).
pub fn has_more() -> Value {
    json!({"type": "boolean", "description": "House pagination convention, not protocol. True exactly when next_cursor is present."})
}

/// The token that goes with [`has_more`].
pub fn next_cursor() -> Value {
    json!({
        "type": "string",
        "description": "House pagination convention, not protocol. Present only when has_more is true. Pass it back as cursor within 15 minutes."
    })
}
