//! Who the server says it is.

use serde_json::{Value, json};

/// Name of the server in `serverInfo` and in the fingerprint.
pub const NAME: &str = "github-issues-mcp";
/// Title of the server for people.
pub const TITLE: &str = "GitHub issues";
/// Version of the contract.
pub const VERSION: &str = "1.0.0";
/// Namespace of this contract's `_meta` keys.
pub const NAMESPACE: &str = "io.github.mcp-hallmark.github-issues";
/// Protocol revisions that the server speaks, oldest first.
pub const REVISIONS: &[&str] = &["2025-11-25", "2026-07-28"];

/// The server's identity, the same in every place that carries it.
pub fn server_info() -> Value {
    json!({"name": NAME, "title": TITLE, "version": VERSION})
}
