//! A3: object schemas reject what they do not declare (rule `3.closed-schemas`).
//!
//! Code, because a branch of a combinator may be closed by the schema that owns it.

use serde_json::Value;

use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::schema::{Role, is_closed, walk};

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

/// JSON pointers of the object schemas that declare properties (the root always) and are open
/// without saying why, in document order.
pub fn open_nodes(root: &Value) -> Vec<String> {
    let places = walk(root).into_iter().filter(|place| {
        let declares = place.schema.get("properties").is_some_and(Value::is_object);
        let is_root = matches!(place.role, Role::Root) && place.is_object();
        (declares || is_root) && !is_closed(root, place) && !is_open_on_purpose(place.schema)
    });
    places.map(|place| place.pointer).collect()
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
        "map ",
        "any key",
        "key-value",
        "key/value",
        "custom propert",
        "additional propert",
    ]
    .iter()
    .any(|word| text.contains(word))
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
        });
        assert_eq!(
            open_nodes(&schema),
            [
                "",
                "/properties/a~1b",
                "/properties/list/items",
                "/properties/tuple/prefixItems/0",
                "/properties/map/additionalProperties",
            ]
        );
    }

    #[test]
    fn closed_nodes_typed_maps_and_explained_openness_pass() {
        for schema in [
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            json!({ "type": "object", "unevaluatedProperties": false }),
            json!({ "$defs": { "unused": { "properties": {} } } }),
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
        assert_eq!(open_nodes(&unowned), ["", "/oneOf/0"]);
    }

    #[test]
    fn an_empty_open_root_is_open() {
        assert_eq!(open_nodes(&json!({ "type": "object" })), [""]);
        assert_eq!(open_nodes(&json!({ "type": "object", "additionalProperties": true })), [""]);
    }
}
