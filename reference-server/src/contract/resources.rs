//! Resources and resource templates, and how a URI of theirs is read.

use serde_json::{Value, json};

/// URI of the capability summary.
pub const CAPABILITIES_URI: &str = "github://capabilities";
/// Template of an issue index.
pub const INDEX_TEMPLATE: &str =
    "github://repos/{owner}/{repo}/issues{?state,labels,updated_after}";
/// Template of one issue.
pub const ISSUE_TEMPLATE: &str = "github://repos/{owner}/{repo}/issues/{issue_number}";
/// Type of every resource of this contract.
pub const MIME_TYPE: &str = "application/json";
/// Date of the capability summary's last change; moves with `VERSION`.
const SUMMARY_MODIFIED: &str = "2026-11-30T00:00:00Z";

/// Every listed resource, by URI. `size` is that of the capability summary's text in bytes.
pub fn resources(size: usize) -> Vec<Value> {
    vec![json!({
        "uri": CAPABILITIES_URI,
        "name": "capabilities",
        "title": "Capability summary",
        "description": "What this server does and does not do, its prerequisites, error catalog and fingerprint.",
        "mimeType": MIME_TYPE,
        "size": size,
        "annotations": {"lastModified": SUMMARY_MODIFIED}
    })]
}

/// Every resource template, by template.
pub fn templates() -> Vec<Value> {
    vec![
        json!({
            "uriTemplate": ISSUE_TEMPLATE,
            "name": "issue",
            "title": "One issue",
            "description": "An issue with its whole body, shaped like the issue member of github_get_issue with detail=full.",
            "mimeType": MIME_TYPE
        }),
        json!({
            "uriTemplate": INDEX_TEMPLATE,
            "name": "issue_index",
            "title": "Issue index of a repository",
            "description": "Up to 100 issues as uri, name, title, description, size and annotations, without bodies. \
                            state is open, closed or all; labels is a comma-separated list. Without state the open issues are listed.",
            "mimeType": MIME_TYPE
        }),
    ]
}
