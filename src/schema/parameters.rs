//! The parameters of a tool: what an object schema says of its own members.

use std::collections::HashSet;

use serde_json::Value;

use super::children::{Role, children, resolve};
use super::walk::{is_type, walk};

/// A property of the value that a schema describes.
#[derive(Debug, Clone)]
pub struct Parameter<'s> {
    /// Name.
    pub name: &'s str,
    /// Its schema as written, where description and default stand.
    pub schema: &'s Value,
    /// The schema that it is an alias of, where type and constraints stand.
    pub resolved: &'s Value,
    /// JSON pointer of `schema` in the document.
    pub pointer: String,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it belongs to one branch of an `anyOf`, `oneOf`, `then` or `else` only.
    pub conditional: bool,
}

/// The properties of the value itself, in document order, through references and combinators.
/// A property that several places declare is listed for each of them.
pub fn parameters(schema: &Value) -> Vec<Parameter<'_>> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut stack = vec![(schema, String::new(), false)];
    let mut required: HashSet<&str> = HashSet::new();
    while let Some((place, pointer, conditional)) = stack.pop() {
        if !seen.insert(pointer.clone()) {
            continue;
        }
        if !conditional {
            let names = place.get("required").and_then(Value::as_array);
            required.extend(names.into_iter().flatten().filter_map(Value::as_str));
        }
        for child in children(schema, place, &pointer).into_iter().rev() {
            match child.role {
                Role::Property { name, required } => found.push(Parameter {
                    name,
                    schema: child.schema,
                    resolved: resolve(schema, child.schema, &child.pointer).0,
                    pointer: child.pointer,
                    required,
                    conditional,
                }),
                Role::InPlace(keyword) => {
                    let sure = matches!(keyword, "allOf" | "$ref");
                    stack.push((child.schema, child.pointer, conditional || !sure));
                }
                _ => {}
            }
        }
    }
    for property in &mut found {
        property.required |= required.contains(property.name);
    }
    found.sort_by(|a, b| natural_order(schema, a, b));
    found
}

/// Document order: own properties first as written, then those of other places by pointer.
fn natural_order(root: &Value, a: &Parameter<'_>, b: &Parameter<'_>) -> std::cmp::Ordering {
    let position = |property: &Parameter<'_>| {
        let (above, _) = property.pointer.rsplit_once('/').unwrap_or_default();
        let members = root.pointer(above).and_then(Value::as_object);
        let index = members.and_then(|m| m.keys().position(|name| name == property.name));
        (above.len(), above.to_owned(), index)
    };
    position(a).cmp(&position(b))
}

/// The values that a schema allows by `enum` or `const`, its own or those of its alternatives.
/// Empty when it is not limited to listed values.
pub fn allowed_values<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let mut values = Vec::new();
    let mut seen = HashSet::new();
    let mut stack = vec![resolve(root, schema, "?")];
    while let Some((place, pointer)) = stack.pop() {
        if !seen.insert(pointer.clone()) {
            continue;
        }
        if let Some(listed) = place.get("enum").and_then(Value::as_array) {
            values.extend(listed);
        } else if let Some(only) = place.get("const") {
            values.push(only);
        }
        for child in children(root, place, &pointer).into_iter().rev() {
            if matches!(child.role, Role::InPlace("anyOf" | "oneOf" | "allOf" | "$ref")) {
                stack.push((child.schema, child.pointer));
            }
        }
    }
    values
}

/// Whether an object schema accepts the empty object, as far as its root says.
pub fn accepts_empty(schema: &Value) -> bool {
    parameters(schema).iter().all(|property| !property.required || property.conditional)
        && schema.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
        && schema.get("minProperties").and_then(Value::as_u64).unwrap_or(0) == 0
}

/// How many properties at any depth hold a plain value: neither an object with known members nor
/// an array of such objects.
pub fn leaf_properties(schema: &Value) -> usize {
    walk(schema)
        .into_iter()
        .filter(|place| matches!(place.role, Role::Property { .. }))
        .filter(|place| {
            let (own, pointer) = resolve(schema, place.schema, &place.pointer);
            let has_members = |value: &Value| {
                value.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty())
            };
            let items = own.get("items").map(|items| resolve(schema, items, &pointer).0);
            !has_members(own) && !items.is_some_and(has_members)
        })
        .count()
}

/// Paths of arrays of objects that a schema declares, outermost ones only: JSON pointers into an
/// instance (LISTY of the rule registry).
pub fn declared_rows(schema: &Value) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for place in walk(schema) {
        let Some(array) = place.path.strip_suffix("/*") else { continue };
        let (own, _) = resolve(schema, place.schema, &place.pointer);
        let is_object = own.get("properties").is_some() || is_type(own, "object");
        let is_item = matches!(place.role, Role::Item | Role::InPlace(_));
        if is_item && is_object && !array.contains("/*") && !found.iter().any(|f| f == array) {
            found.push(array.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn properties_come_through_references_and_combinators() {
        let schema = json!({
            "type": "object", "required": ["b"],
            "properties": {"b": {"$ref": "#/$defs/s"}, "a": {}},
            "allOf": [{"properties": {"c": {}}, "required": ["c", "a"]}],
            "oneOf": [{"properties": {"d": {}}, "required": ["d"]}, {"properties": {"e": {}}}],
            "$defs": {"s": {"type": "string"}}
        });
        let seen: Vec<_> =
            parameters(&schema).into_iter().map(|p| (p.name, p.required, p.conditional)).collect();
        assert_eq!(
            seen,
            [
                ("b", true, false),
                ("a", true, false),
                ("c", true, false),
                ("d", true, true),
                ("e", false, true),
            ]
        );
        assert_eq!(parameters(&schema)[0].resolved, &json!({"type": "string"}));
    }

    #[test]
    fn allowed_values_of_alternatives() {
        let schema = json!({"anyOf": [{"enum": ["a", "b"]}, {"const": "c"}, {"type": "null"}]});
        assert_eq!(allowed_values(&schema, &schema), [&json!("a"), &json!("b"), &json!("c")]);
        let circle = json!({"anyOf": [{"$ref": "#"}]});
        assert!(allowed_values(&circle, &circle).is_empty());
    }

    #[test]
    fn the_empty_object_is_accepted_unless_something_is_required() {
        assert!(accepts_empty(&json!({"type": "object"})));
        assert!(accepts_empty(&json!({"properties": {"a": {}}, "required": []})));
        assert!(!accepts_empty(&json!({"properties": {"a": {}}, "required": ["a"]})));
        assert!(!accepts_empty(&json!({"required": ["undeclared"]})));
    }

    #[test]
    fn rows_are_outermost_arrays_of_objects() {
        let schema = json!({"properties": {
            "total": {"type": "integer"},
            "tags": {"items": {"type": "string"}},
            "issues": {"type": "array", "items": {"$ref": "#/$defs/issue"}}},
            "$defs": {"issue": {"properties": {
                "id": {}, "comments": {"items": {"properties": {"body": {}}}}}}}});
        assert_eq!(declared_rows(&schema), ["/issues"]);
        assert_eq!(leaf_properties(&schema), 4);
    }
}
