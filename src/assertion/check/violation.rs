//! What of a tool's published schema the arguments of a call break: read from the bytes that were
//! sent, never from what a generator meant.

use std::collections::BTreeSet;

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::contract::CallView;

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
pub fn violations(call: &CallView<'_>) -> Vec<Violation> {
    let (Some(tool), Some(arguments)) = (call.tool, call.arguments) else { return Vec::new() };
    violations_of(&tool.input, &Value::Object(arguments.clone()))
}

/// Every constraint of a schema that a value breaks.
pub fn violations_of(schema: &Value, value: &Value) -> Vec<Violation> {
    let Ok(validator) = jsonschema::validator_for(schema) else { return Vec::new() };
    let mut found = Vec::new();
    for error in validator.iter_errors(value) {
        let at = dotted(&error.instance_path().to_string());
        let keyword = error.kind().keyword();
        match error.kind() {
            Kind::Required { property } => {
                push(&mut found, keyword, join(&at, property.as_str().unwrap_or_default()), &[]);
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    push(&mut found, keyword, join(&at, name), &[]);
                }
            }
            Kind::Enum { options } => {
                let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
                push(&mut found, keyword, at, options);
            }
            Kind::Constant { expected_value } => {
                push(&mut found, keyword, at, std::slice::from_ref(expected_value));
            }
            _ => push(&mut found, keyword, at, &[]),
        }
    }
    found
}

fn push(found: &mut Vec<Violation>, keyword: &str, path: String, allowed: &[Value]) {
    found.push(Violation { keyword: keyword.to_owned(), path, allowed: allowed.to_vec() });
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
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

fn resolves<'a>(root: &'a Value, node: &'a Value, steps: &[&str], seen: &mut BTreeSet<(&'a str, usize)>) -> bool {
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
    let branches = ["allOf", "anyOf", "oneOf", "prefixItems"].iter().filter_map(|key| node.get(*key)?.as_array());
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
    fn each_broken_constraint_has_its_keyword_and_path() {
        let found = violations_of(
            &schema(),
            &json!({ "state": "x", "more": 1, "filter": { "labels": [1] }, "rows": [{ "id": "1" }] }),
        );
        let mut read: Vec<_> =
            found.iter().map(|v| format!("{} {}", v.keyword, v.path)).collect();
        read.sort();
        assert_eq!(
            read,
            ["additionalProperties more", "enum state", "required owner", "type filter.labels", "type rows.id"]
        );
        assert_eq!(found.iter().find(|v| v.keyword == "enum").unwrap().allowed, [json!("open"), json!("closed")]);
        assert!(violations_of(&schema(), &json!({ "owner": "acme" })).is_empty());
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
