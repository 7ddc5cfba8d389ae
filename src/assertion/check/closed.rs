//! A3: object schemas reject what they do not declare (rule `3.closed-schemas`).
//!
//! Code, because a branch of a combinator may be closed by the schema that owns it.

use std::collections::HashSet;

use serde_json::Value;

use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("input-schemas-closed", input_schemas_closed),
    ("output-schemas-closed", output_schemas_closed),
];

/// Every object schema of the input that declares properties forbids others, the root always.
fn input_schemas_closed(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    if !tool.input.is_object() {
        return Look::Skip("no input schema object".into());
    }
    judge(subject, "/inputSchema", &tool.input, &tool.name)
}

/// Advisory: the same of the output schema.
fn output_schemas_closed(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    match &tool.output {
        Some(output) if output.is_object() => judge(subject, "/outputSchema", output, &tool.name),
        _ => Look::Skip("no output schema".into()),
    }
}

fn judge(subject: &Subject<'_>, below: &str, schema: &Value, tool: &str) -> Look {
    let findings = open_nodes(schema).into_iter().map(|pointer| {
        let place = if pointer.is_empty() { "its root" } else { &pointer };
        finding(
            subject,
            &format!("{below}{pointer}"),
            format!("{tool} leaves {} open at {place}", &below[1..]),
            "additionalProperties: false or unevaluatedProperties: false, or a description that says why it is open",
        )
    });
    let mut findings: Vec<_> = findings.collect();
    for finding in &mut findings {
        // The whole node may be large; what matters is how it says that it is open.
        finding.actual = finding.actual.get("additionalProperties").cloned().unwrap_or(Value::Null);
    }
    Look::of(findings)
}

/// JSON pointers of the object schemas that are open, in document order.
pub fn open_nodes(root: &Value) -> Vec<String> {
    let mut closed_elsewhere = HashSet::new();
    collect_owned_references(root, false, &mut closed_elsewhere);
    let mut open = Vec::new();
    visit(root, &mut String::new(), false, &closed_elsewhere, &mut open);
    open
}

/// Members whose value is a list of schemas that describe the same instance.
const COMBINATORS: &[&str] = &["allOf", "anyOf", "oneOf"];
/// Members whose value is an object of schemas by name.
const BY_NAME: &[&str] = &["properties", "$defs", "definitions", "patternProperties"];

fn is_closed(node: &Value) -> bool {
    let never = |key: &str| node.get(key) == Some(&Value::Bool(false));
    let typed_map = |key: &str| {
        node.get(key)
            .is_some_and(|schema| schema.as_object().is_some_and(|members| !members.is_empty()))
    };
    never("additionalProperties")
        || never("unevaluatedProperties")
        || typed_map("additionalProperties")
}

/// Whether the description says that other members are welcome.
fn is_open_on_purpose(node: &Value) -> bool {
    let text = node.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    [
        "arbitrary",
        "extension",
        "free-form",
        "freeform",
        "free form",
        "map",
        "any key",
        "key-value",
        "key/value",
        "custom propert",
        "additional propert",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// References in branches of a closed schema: their targets cannot be closed themselves.
fn collect_owned_references<'a>(node: &'a Value, owned: bool, targets: &mut HashSet<&'a str>) {
    match node {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref").filter(|_| owned) {
                targets.insert(target.trim_start_matches('#'));
            }
            let closes = is_closed(node);
            for (key, value) in members {
                let in_branch = COMBINATORS.contains(&key.as_str());
                match value {
                    Value::Array(branches) if in_branch => {
                        branches.iter().for_each(|branch| {
                            collect_owned_references(branch, owned || closes, targets)
                        });
                    }
                    _ => collect_owned_references(value, false, targets),
                }
            }
        }
        Value::Array(values) => {
            values.iter().for_each(|value| collect_owned_references(value, false, targets));
        }
        _ => {}
    }
}

fn visit(
    node: &Value,
    pointer: &mut String,
    owned: bool,
    elsewhere: &HashSet<&str>,
    open: &mut Vec<String>,
) {
    let Value::Object(members) = node else { return };
    let closes = is_closed(node);
    let declares = members.get("properties").is_some_and(Value::is_object);
    let is_object =
        declares || (pointer.is_empty() && members.get("type").is_some_and(says_object));
    let branches = || COMBINATORS.iter().filter_map(|key| members.get(*key)?.as_array()).flatten();
    // A root that only unites closed branches is as closed as they are.
    let united = !declares && branches().next().is_some();
    let covered = owned || closes || united || elsewhere.contains(pointer.as_str());
    if is_object && !covered && !is_open_on_purpose(node) {
        open.push(pointer.clone());
    }
    let mut step = |segment: &str, value: &Value, owned: bool| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(segment);
        visit(value, pointer, owned, elsewhere, open);
        pointer.truncate(length);
    };
    for (key, value) in members {
        match value {
            Value::Object(children) if BY_NAME.contains(&key.as_str()) => {
                for (name, child) in children {
                    let name = name.replace('~', "~0").replace('/', "~1");
                    step(&format!("{key}/{name}"), child, false);
                }
            }
            Value::Array(children) if COMBINATORS.contains(&key.as_str()) => {
                for (index, child) in children.iter().enumerate() {
                    step(&format!("{key}/{index}"), child, owned || closes);
                }
            }
            Value::Array(children) if key == "prefixItems" || key == "items" => {
                for (index, child) in children.iter().enumerate() {
                    step(&format!("{key}/{index}"), child, false);
                }
            }
            Value::Object(_) if key == "items" || key == "additionalProperties" => {
                step(key, value, false)
            }
            _ => {}
        }
    }
}

fn says_object(kind: &Value) -> bool {
    kind == "object"
        || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_depth_is_visited() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a/b": { "properties": { "x": {} } },
                "list": { "items": { "type": "object", "properties": {} } },
                "tuple": { "prefixItems": [{ "properties": {} }] },
                "map": { "additionalProperties": { "type": "object", "properties": {} } },
            },
            "$defs": { "D": { "type": "object", "properties": {} } },
        });
        assert_eq!(
            open_nodes(&schema),
            [
                "",
                "/properties/a~1b",
                "/properties/list/items",
                "/properties/tuple/prefixItems/0",
                "/properties/map/additionalProperties",
                "/$defs/D",
            ]
        );
    }

    #[test]
    fn closed_nodes_typed_maps_and_explained_openness_pass() {
        for schema in [
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            json!({ "type": "object", "unevaluatedProperties": false }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "object", "additionalProperties": true, "description": "Arbitrary labels." }),
            json!({ "type": "string" }),
        ] {
            assert!(open_nodes(&schema).is_empty(), "{schema}");
        }
    }

    #[test]
    fn a_branch_is_closed_by_the_schema_that_owns_it() {
        let owned = json!({
            "type": "object",
            "unevaluatedProperties": false,
            "allOf": [{ "$ref": "#/$defs/base" }, { "properties": { "b": {} } }],
            "$defs": { "base": { "type": "object", "properties": { "a": {} } } },
        });
        assert!(open_nodes(&owned).is_empty());
        let unowned = json!({ "type": "object", "oneOf": [{ "properties": { "b": {} } }] });
        assert_eq!(open_nodes(&unowned), ["/oneOf/0"]);
    }

    #[test]
    fn an_empty_open_root_is_open() {
        assert_eq!(open_nodes(&json!({ "type": "object" })), [""]);
        assert_eq!(open_nodes(&json!({ "type": "object", "additionalProperties": {} })), [""]);
    }
}
