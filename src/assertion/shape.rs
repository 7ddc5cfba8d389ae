//! The shapes of tools that decide which subjects they are.

use serde_json::Value;

use crate::contract::{CallView, Contract, Tool};

/// Whether a tool takes a parameter for the level of detail (DETAIL of the rule registry).
pub(super) fn has_detail(tool: &Tool) -> bool {
    let brief = ["summary", "concise", "brief", "compact", "minimal"];
    let full = ["full", "detailed", "complete"];
    properties(tool).any(|(name, schema)| {
        let levels: Vec<&str> = schema
            .get("enum")
            .and_then(Value::as_array)
            .map(|levels| levels.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let pair =
            levels.iter().any(|l| brief.contains(l)) && levels.iter().any(|l| full.contains(l));
        let switch = schema.get("type").is_some_and(|kind| kind == "boolean")
            && (name == "full" || name == "verbose" || name.starts_with("include_"));
        pair || switch
    })
}

/// Whether a parameter of a tool has a default.
pub(super) fn has_default(tool: &Tool) -> bool {
    properties(tool).any(|(_, schema)| schema.get("default").is_some())
}

/// Whether a tool returns an array of objects (LISTY of the rule registry): by its output schema,
/// or by a result that was seen.
pub(super) fn returns_rows(contract: &Contract, tool: &Tool) -> bool {
    let says = tool.output.as_ref().and_then(|schema| schema.get("properties")?.as_object());
    let says = says.is_some_and(|properties| {
        properties.values().any(|schema| {
            schema.get("type").is_some_and(|kind| kind == "array")
                && schema.pointer("/items/properties").is_some()
        })
    });
    says || contract
        .calls()
        .filter(|call| call.name == tool.name && call.is_success())
        .filter_map(|call| call.structured()?.as_object())
        .flat_map(|members| members.values())
        .any(|value| value.as_array().is_some_and(|rows| rows.iter().any(Value::is_object)))
}

/// Whether a call's object arguments break the input schema of its tool, and it was answered.
pub(super) fn breaks_schema(call: &CallView<'_>) -> bool {
    let (Some(tool), Some(_)) = (call.tool, call.arguments) else { return false };
    let answered = call.result().is_some() || call.exchange.error().is_some();
    let Some(arguments) = call.exchange.params.get("arguments") else { return false };
    answered
        && jsonschema::validator_for(&tool.input)
            .is_ok_and(|validator| !validator.is_valid(arguments))
}

/// The parameters of a tool with their schemas.
fn properties(tool: &Tool) -> impl Iterator<Item = (&String, &Value)> {
    tool.input.get("properties").and_then(Value::as_object).into_iter().flatten()
}
