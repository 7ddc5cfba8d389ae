//! Input parameters, defined once so that one name means one thing in every tool.

use serde_json::{Map, Value, json};

/// JSON Schema dialect that every published schema declares (rule `3.dialect`).
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A closed object schema for a tool's arguments: `required` names first, `properties` in order.
pub fn input(required: &[&str], properties: Vec<(&str, Value)>) -> Value {
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    let mut schema = Map::new();
    schema.insert("$schema".into(), DIALECT.into());
    schema.insert("type".into(), "object".into());
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("properties".into(), properties.into());
    schema.insert("additionalProperties".into(), false.into());
    schema.into()
}

pub fn owner() -> (&'static str, Value) {
    (
        "owner",
        json!({
            "type": "string",
            "pattern": "^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$",
            "description": "Login of the user or organization that owns the repository, such as \"acme\". Not the \"owner/repo\" slug."
        }),
    )
}

pub fn repo() -> (&'static str, Value) {
    (
        "repo",
        json!({
            "type": "string",
            "pattern": "^[A-Za-z0-9._-]+$",
            "description": "Repository name without its owner, such as \"widgets\"."
        }),
    )
}

pub fn issue_number() -> (&'static str, Value) {
    (
        "issue_number",
        json!({
            "type": "integer",
            "minimum": 1,
            "description": "Number of the issue within its repository: the N of #N and of /issues/N. Not the global node id."
        }),
    )
}

pub fn idempotency_key(scope: &str, replay: &str) -> (&'static str, Value) {
    (
        "idempotency_key",
        json!({
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "description": format!(
                "Key chosen by the caller. A repeat with the same key within 24 hours, scoped per {scope}, returns {replay}. \
                 Omitted means no deduplication: each call adds one."
            )
        }),
    )
}

pub fn cursor(tokens: &str, start: &str) -> (&'static str, Value) {
    (
        "cursor",
        json!({
            "type": "string",
            "description": format!(
                "Opaque continuation token from {tokens}, valid for 15 minutes and only with the same filters. \
                 Paging is best-effort over live data: an item that changes meanwhile may be skipped. Omitted starts at {start}."
            )
        }),
    )
}

pub fn detail(description: &str) -> (&'static str, Value) {
    (
        "detail",
        json!({"type": "string", "enum": ["summary", "full"], "default": "summary", "description": description}),
    )
}

pub fn title(description: &str) -> (&'static str, Value) {
    (
        "title",
        json!({"type": "string", "minLength": 1, "maxLength": 256, "description": description}),
    )
}

/// A list of names; `min_items` of 1 where an empty list would mean nothing.
pub fn names(
    name: &'static str,
    min_items: Option<u32>,
    description: &str,
) -> (&'static str, Value) {
    let mut schema = json!({"type": "array", "items": {"type": "string"}});
    if let Some(min_items) = min_items {
        schema["minItems"] = min_items.into();
    }
    schema["description"] = description.into();
    (name, schema)
}

pub fn updated_after(description: &str) -> (&'static str, Value) {
    ("updated_after", json!({"type": "string", "format": "date-time", "description": description}))
}
