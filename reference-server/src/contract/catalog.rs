//! The error catalog: twelve symbolic codes, and the envelope that carries them.

use serde_json::{Map, Value, json};

use super::shapes::closed;

/// One entry of the catalog.
pub struct CodeEntry {
    /// The symbolic code that a caller branches on.
    pub code: &'static str,
    /// Whether the same call, unchanged, can succeed later.
    pub temporary: bool,
    /// What happened.
    pub meaning: &'static str,
    /// The surfaces on which it occurs: tool names, or `resources/read`.
    pub occurs_on: &'static [&'static str],
    /// The way on.
    pub repair: &'static str,
}

const MUTATIONS: &[&str] =
    &["github_add_comment", "github_create_issue", "github_set_issue_lock", "github_update_issue"];
const BY_NUMBER: &[&str] = &[
    "github_add_comment",
    "github_get_issue",
    "github_list_comments",
    "github_set_issue_lock",
    "github_update_issue",
    "resources/read",
];
const UPSTREAM: &[&str] = &[
    "github_add_comment",
    "github_create_issue",
    "github_find_issues",
    "github_get_issue",
    "github_list_comments",
    "github_set_issue_lock",
    "github_update_issue",
    "resources/read",
];
const ANY: &[&str] = &[
    "github_add_comment",
    "github_create_issue",
    "github_find_issues",
    "github_get_capabilities",
    "github_get_issue",
    "github_list_comments",
    "github_set_issue_lock",
    "github_update_issue",
    "completion/complete",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "tools/list",
];

/// The whole catalog, in the order in which it is published.
pub const CODES: &[CodeEntry] = &[
    CodeEntry {
        code: "invalid_field",
        temporary: false,
        meaning: "An argument breaks the published schema or a rule between arguments.",
        occurs_on: ANY,
        repair: "details names the argument and what is accepted; repair holds the corrected call where one can be derived.",
    },
    CodeEntry {
        code: "issue_not_found",
        temporary: false,
        meaning: "The repository has no issue with that number.",
        occurs_on: BY_NUMBER,
        repair: "Look the issue up with github_find_issues.",
    },
    CodeEntry {
        code: "repo_not_found",
        temporary: false,
        meaning: "No such repository is visible to the configured token.",
        occurs_on: UPSTREAM,
        repair: "Check owner and repo; details.allowed lists visible repositories, and the resource templates complete both.",
    },
    CodeEntry {
        code: "label_not_found",
        temporary: false,
        meaning: "A label does not exist in the repository; nothing was applied.",
        occurs_on: &["github_create_issue", "github_update_issue"],
        repair: "Call again with existing labels; details.allowed lists them.",
    },
    CodeEntry {
        code: "issue_locked",
        temporary: false,
        meaning: "The conversation of the issue is locked.",
        occurs_on: &["github_add_comment"],
        repair: "Unlock with github_set_issue_lock, then comment again.",
    },
    CodeEntry {
        code: "version_conflict",
        temporary: false,
        meaning: "The issue changed since expected_version was read; nothing was applied.",
        occurs_on: &["github_update_issue"],
        repair: "Read again with github_get_issue, then apply the change with the fresh version.",
    },
    CodeEntry {
        code: "cursor_expired",
        temporary: false,
        meaning: "The cursor is older than 15 minutes.",
        occurs_on: &["github_find_issues", "github_list_comments"],
        repair: "Start again without cursor.",
    },
    CodeEntry {
        code: "rate_limited",
        temporary: true,
        meaning: "The GitHub rate limit is used up.",
        occurs_on: UPSTREAM,
        repair: "Send the same call again after retry_after_ms.",
    },
    CodeEntry {
        code: "missing_credential",
        temporary: false,
        meaning: "No GitHub token is configured.",
        occurs_on: UPSTREAM,
        repair: "None by call: the operator configures a token.",
    },
    CodeEntry {
        code: "invalid_credential",
        temporary: false,
        meaning: "GitHub rejected the configured token.",
        occurs_on: UPSTREAM,
        repair: "None by call: the operator replaces the token.",
    },
    CodeEntry {
        code: "insufficient_scope",
        temporary: false,
        meaning: "The configured token may read but not write.",
        occurs_on: MUTATIONS,
        repair: "None by call: details.required_scopes names what the token lacks.",
    },
    CodeEntry {
        code: "upstream_unavailable",
        temporary: true,
        meaning: "GitHub did not answer.",
        occurs_on: UPSTREAM,
        repair: "Send the same call again after retry_after_ms.",
    },
];

/// The catalog as it is published: an object keyed by code.
pub fn published() -> Value {
    let entries: Map<String, Value> = CODES
        .iter()
        .map(|entry| {
            let value = json!({
                "code": entry.code, "temporary": entry.temporary, "meaning": entry.meaning,
                "occurs_on": entry.occurs_on, "repair": entry.repair,
            });
            (entry.code.to_owned(), value)
        })
        .collect();
    entries.into()
}

/// JSON Schema of the published catalog.
pub fn published_schema() -> Value {
    let entry = closed(
        &["code", "temporary", "meaning", "occurs_on", "repair"],
        json!({
            "code": {"type": "string"},
            "temporary": {"type": "boolean"},
            "meaning": {"type": "string"},
            "occurs_on": {"type": "array", "items": {"type": "string"}},
            "repair": {"type": "string"}
        }),
    );
    json!({
        "type": "object",
        "description": "Map from each symbolic code to its entry.",
        "additionalProperties": entry
    })
}

/// JSON Schema of the error envelope as a tool result carries it, with every member that `details` can hold.
///
/// On the JSON-RPC carrier the same object stands in `error.data`, with `code` and `message` renamed to
/// `machine_code` and `human_message` (rule `6.rename`).
pub fn envelope_schema() -> Value {
    let details = closed(
        &[],
        json!({
            "field": {"type": "string", "description": "The offending parameter. Present when there is exactly one."},
            "fields": {"type": "array", "items": {"type": "string"}, "description": "The offending parameters. Present when there are several."},
            "value": {
                "type": ["string", "integer"],
                "description": "The offending value. Present only for server-minted tokens, published enum members and numeric ids."
            },
            "reason": {"type": "string", "description": "Why it was refused."},
            "allowed": {"type": "array", "items": {"type": "string"}, "description": "What would be accepted, where that is a list of names."},
            "required_scopes": {"type": "array", "items": {"type": "string"}, "description": "Permissions that the token lacks."}
        }),
    );
    let repair = closed(
        &["next_step", "tool", "arguments"],
        json!({
            "next_step": {"type": "string"},
            "tool": {"type": "string"},
            "arguments": {"type": "object", "additionalProperties": true, "description": "Free-form here: the arguments of the named tool, ready to send."},
            "alternative": {"type": "string"}
        }),
    );
    closed(
        &["code", "message", "temporary", "retry_after_ms", "request_id", "fingerprint"],
        json!({
            "code": {"type": "string", "enum": CODES.iter().map(|entry| entry.code).collect::<Vec<_>>()},
            "message": {"type": "string"},
            "details": details,
            "temporary": {"type": "boolean", "description": "Whether the same call, unchanged, can succeed later."},
            "retry_after_ms": {"type": ["integer", "null"], "description": "Delay before a retry; null when unknown, and always when temporary is false."},
            "rate_limit_remaining": {"type": "integer", "description": "Calls left. Present with rate_limited."},
            "repair": repair,
            "resource_uri": {"type": "string", "description": "The requested resource. Present when a resource failed."},
            "uri": {"type": "string", "description": "The same, under the name that the protocol gives it."},
            "request_id": {"type": "string"},
            "fingerprint": {"type": "string"}
        }),
    )
}
