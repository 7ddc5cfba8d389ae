//! What of a tool's published schema the arguments of a call break: read from the bytes that were
//! sent, never from what a generator meant.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use crate::contract::{CallView, Contract};

/// One broken constraint.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The schema keyword, such as `required` or `enum`.
    pub keyword: String,
    /// The property, as dotted path with array indexes left out, such as `filter.labels`.
    pub path: String,
    /// The values that an `enum` or `const` allows.
    pub allowed: Vec<Value>,
}

impl Violation {
    /// Whether it is about a property that the schema does not declare.
    pub fn is_unknown_property(&self) -> bool {
        matches!(self.keyword.as_str(), "additionalProperties" | "unevaluatedProperties")
    }

    /// The property at the top of the arguments.
    pub fn top(&self) -> &str {
        self.path.split('.').next().unwrap_or_default()
    }
}

/// Every constraint that a call's object arguments break; empty when they are valid, or when the
/// schema cannot be compiled.
pub fn violations(contract: &Contract, call: &CallView<'_>) -> Vec<Violation> {
    static NONE: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));
    let (Some(tool), Some(_)) = (call.tool, call.arguments) else { return Vec::new() };
    let arguments = call.exchange.params.get("arguments").unwrap_or(&NONE);
    violations_of(contract, &tool.input, arguments)
}

/// Every constraint of a schema that a value breaks. A required name that the schema does not
/// declare is the schema's fault (`required-names-are-properties`), not the value's.
pub fn violations_of(contract: &Contract, schema: &Arc<Value>, value: &Value) -> Vec<Violation> {
    let Ok(validator) = contract.schemas.of(schema) else { return Vec::new() };
    validator
        .violations(value)
        .into_iter()
        .map(|found| {
            let mut path = dotted(&found.pointer);
            if let Some(property) = &found.property {
                path =
                    if path.is_empty() { property.clone() } else { format!("{path}.{property}") };
            }
            let constraint = schema.pointer(&found.schema_pointer);
            let allowed = match (found.keyword.as_str(), constraint) {
                ("enum", Some(Value::Array(values))) => values.clone(),
                ("const", Some(only)) => vec![only.clone()],
                _ => Vec::new(),
            };
            Violation { keyword: found.keyword, path, allowed }
        })
        .filter(|one| {
            one.keyword != "required" || is_published(schema, &one.path) || !is_plain(schema)
        })
        .collect()
}

/// Whether a schema declares its properties in one place, so that what is not there is nowhere.
fn is_plain(schema: &Value) -> bool {
    let elsewhere =
        ["allOf", "anyOf", "oneOf", "$ref", "if", "patternProperties", "dependentSchemas"];
    schema.get("properties").is_some() && elsewhere.iter().all(|key| schema.get(*key).is_none())
}

/// A JSON pointer as a dotted path without array indexes.
fn dotted(pointer: &str) -> String {
    let steps = pointer.split('/').skip(1).filter(|step| step.parse::<usize>().is_err());
    steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect::<Vec<_>>().join(".")
}

/// A reported field as dotted path with array indexes left out: `labels[0]`, `labels.0`,
/// `/labels/0` and `labels` are one path.
pub fn normal_path(field: &str) -> String {
    let spread = field.replace(['[', '/'], ".").replace([']', '$'], "");
    let steps = spread.split('.').filter(|step| !step.is_empty() && step.parse::<usize>().is_err());
    steps.collect::<Vec<_>>().join(".")
}

/// Whether a dotted path names a property that a schema declares, through `properties`, `items`,
/// combinators and references within the document.
pub fn is_published(root: &Value, path: &str) -> bool {
    let steps: Vec<&str> = path.split('.').filter(|step| !step.is_empty()).collect();
    !steps.is_empty() && resolves(root, root, &steps, &mut BTreeSet::new())
}

fn resolves<'a>(
    root: &'a Value,
    node: &'a Value,
    steps: &[&str],
    seen: &mut BTreeSet<(&'a str, usize)>,
) -> bool {
    let Some((first, rest)) = steps.split_first() else { return true };
    if let Some(target) = node.get("$ref").and_then(Value::as_str)
        && seen.insert((target, steps.len()))
        && let Some(node) = root.pointer(target.trim_start_matches('#'))
        && resolves(root, node, steps, seen)
    {
        return true;
    }
    if let Some(child) = node.get("properties").and_then(|properties| properties.get(*first))
        && resolves(root, child, rest, seen)
    {
        return true;
    }
    let branches = ["allOf", "anyOf", "oneOf", "prefixItems"]
        .iter()
        .filter_map(|key| node.get(*key)?.as_array());
    let below = ["items", "additionalProperties"].iter().filter_map(|key| node.get(*key));
    branches.flatten().chain(below.clone()).any(|child| resolves(root, child, steps, seen))
        // A typed map takes any name.
        || (below.clone().count() > 0
            && node.get("additionalProperties").is_some_and(|child| child.is_object() && resolves(root, child, rest, seen)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "required": ["owner"],
            "properties": {
                "owner": { "type": "string" },
                "state": { "enum": ["open", "closed"] },
                "filter": { "$ref": "#/$defs/filter" },
                "rows": { "type": "array", "items": { "type": "object", "properties": { "id": { "type": "integer" } } } },
            },
            "additionalProperties": false,
            "$defs": { "filter": { "type": "object", "properties": { "labels": { "type": "array", "items": { "type": "string" } } } } },
        })
    }

    #[test]
    fn paths_are_published_through_references_and_items() {
        for path in ["owner", "filter.labels", "rows.id"] {
            assert!(is_published(&schema(), path), "{path}");
        }
        for path in ["", "issueId", "filter.nothing", "rows.id.x"] {
            assert!(!is_published(&schema(), path), "{path}");
        }
        let circular = json!({ "$ref": "#" });
        assert!(!is_published(&circular, "a.b"));
    }

    #[test]
    fn reported_fields_are_read_in_every_spelling() {
        for field in ["labels[0].name", "labels.0.name", "/labels/0/name", "$.labels[0].name"] {
            assert_eq!(normal_path(field), "labels.name");
        }
    }
}
