//! The three reading tools: find, get, list.

use serde_json::{Value, json};

use super::parameters::{cursor, detail, input, issue_number, names, owner, repo, updated_after};
use super::shapes::{comment, has_more, issue, issue_row, next_cursor, output};
use super::tools::{READS, tool};

pub fn find_issues() -> Value {
    tool(
        "github_find_issues",
        "Find issues",
        "Find the issues of one repository by structured filters, free text, or both.\n\n\
         When to use: any question of the form \"which issues ...\". It covers listing and searching alike.\n\
         Pull requests are left out unless include_pull_requests is true.\n\
         A page holds at most 50 issues; continue with cursor. A result set is capped at 500 matches; when truncated is \
         true, narrow it with state, labels, updated_after or query.\n\
         Free text draws on a smaller search budget than filters; rate_limited errors carry retry_after_ms and \
         rate_limit_remaining.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"state\": \"open\", \"labels\": [\"bug\"], \"query\": \"crash on save\"}",
        READS,
        &[
            ("cursor_expired", Some("github_find_issues")),
            ("repo_not_found", Some("github_find_issues")),
        ],
        input(
            &["owner", "repo"],
            vec![
                owner(),
                repo(),
                (
                    "query",
                    json!({
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 256,
                        "description": "Free text to look for in titles, bodies and comments. Omitted means filters only."
                    }),
                ),
                (
                    "state",
                    json!({
                        "type": "string",
                        "enum": ["open", "closed", "all"],
                        "default": "open",
                        "description": "State of the issues to return. Omitted means \"open\"; the server applies this default."
                    }),
                ),
                names(
                    "labels",
                    Some(1),
                    "Label names that an issue must carry, every one of them. Omitted means no label filter.",
                ),
                (
                    "assignee",
                    json!({"type": "string", "description": "Login of an assignee. Omitted means any or none."}),
                ),
                (
                    "creator",
                    json!({"type": "string", "description": "Login of the author. Omitted means any author."}),
                ),
                updated_after(
                    "RFC 3339 UTC instant; only issues changed at or after it are returned. Omitted means no time bound.",
                ),
                (
                    "include_pull_requests",
                    json!({
                        "type": "boolean",
                        "default": false,
                        "description": "Return pull requests too. Omitted means false; the server applies this default."
                    }),
                ),
                detail(
                    "\"summary\" gives issue_number, title, state, labels, assignees and updated_at; \"full\" adds body_preview, author, \
                     comment_count, created_at, url and version to the same rows in the same order. Omitted means \"summary\"; the server applies this default.",
                ),
                cursor("the next_cursor of an earlier page", "the first page"),
            ],
        ),
        output(
            &["issues", "has_more", "estimated_total", "truncated"],
            json!({
                "issues": {"type": "array", "items": issue_row(), "description": "Highest number first."},
                "has_more": has_more(),
                "next_cursor": next_cursor(),
                "estimated_total": {"type": "integer", "description": "Matches in the whole result set, before the cap of 500."},
                "truncated": {
                    "type": "boolean",
                    "description": "True when more than 500 issues match: those beyond the cap cannot be paged to."
                },
                "truncation_hint": {
                    "type": "string",
                    "description": "Present only when truncated is true: which parameters narrow the request."
                }
            }),
        ),
    )
}

pub fn get_issue() -> Value {
    tool(
        "github_get_issue",
        "Read an issue",
        "Read one issue and the first page of its comments in a single call.\n\n\
         When to use: the issue number is known, from github_find_issues, a URL or the user.\n\
         Up to 20 comments come along; when comments_has_more is true, continue with github_list_comments and comments_cursor.\n\
         The version token is what github_update_issue takes as expected_version.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"issue_number\": 1423}",
        READS,
        &[("issue_not_found", Some("github_find_issues"))],
        input(
            &["owner", "repo", "issue_number"],
            vec![
                owner(),
                repo(),
                issue_number(),
                (
                    "include_comments",
                    json!({
                        "type": "boolean",
                        "default": true,
                        "description": "Include the first 20 comments; false makes a cheaper read. Omitted means true; the server applies this default."
                    }),
                ),
                detail(
                    "\"summary\" cuts the body and each comment at 2000 characters and says so with body_truncated; \"full\" gives complete text and counts. \
                     Omitted means \"summary\"; the server applies this default.",
                ),
            ],
        ),
        output(
            &["issue"],
            json!({
                "issue": issue(),
                "comments": {"type": "array", "items": comment(), "description": "Oldest first. Present only when include_comments is true."},
                "comments_has_more": {
                    "type": "boolean",
                    "description": "House pagination convention, not protocol. Present only when include_comments is true."
                },
                "comments_cursor": {
                    "type": "string",
                    "description": "Present only when comments_has_more is true. Pass it to github_list_comments as cursor within 15 minutes."
                }
            }),
        ),
    )
}

pub fn list_comments() -> Value {
    tool(
        "github_list_comments",
        "List comments",
        "Read further pages of an issue's comments, or only those newer than an instant.\n\n\
         When to use: github_get_issue answered comments_has_more true, or recent activity is wanted without the issue itself. \
         It is apart from github_get_issue so that a long thread can be streamed.\n\
         A page holds at most 50 comments, oldest first.\n\n\
         Example: {\"owner\": \"acme\", \"repo\": \"widgets\", \"issue_number\": 1423, \"updated_after\": \"2026-07-01T00:00:00Z\"}",
        READS,
        &[
            ("issue_not_found", Some("github_find_issues")),
            ("cursor_expired", Some("github_list_comments")),
        ],
        input(
            &["owner", "repo", "issue_number"],
            vec![
                owner(),
                repo(),
                issue_number(),
                cursor("comments_cursor or next_cursor", "the oldest comment"),
                updated_after(
                    "RFC 3339 UTC instant; only comments written or edited at or after it are returned. Omitted means the whole thread.",
                ),
                detail(
                    "\"summary\" cuts each comment at 2000 characters; \"full\" gives complete text. \
                     Omitted means \"summary\"; the server applies this default.",
                ),
            ],
        ),
        output(
            &["comments", "has_more"],
            json!({
                "comments": {"type": "array", "items": comment(), "description": "Oldest first."},
                "has_more": has_more(),
                "next_cursor": next_cursor()
            }),
        ),
    )
}
