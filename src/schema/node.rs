//! One schema node, read the lenient way: references within the document followed, combinators
//! reduced to the branch that is easiest to satisfy.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::resolve;

/// Unions inside unions that are looked into.
const NESTED: usize = 16;

/// Follows `$ref` within the document; gives `None` for a remote, dangling or circular one.
fn follow<'a>(root: &'a Value, node: &'a Value) -> Option<&'a Value> {
    let (found, _) = resolve(root, node, "");
    found.get("$ref").is_none().then_some(found)
}

/// A node with its `allOf` parts merged in and the first satisfiable branch of `anyOf`/`oneOf`
/// taken: what a caller who wants any valid value may look at. Members of the node itself win.
pub fn simplified<'a>(root: &'a Value, node: &'a Value) -> Option<Cow<'a, Value>> {
    let node = follow(root, node)?;
    let Some(members) = node.as_object() else {
        return Some(Cow::Borrowed(node));
    };
    if !["allOf", "anyOf", "oneOf"].iter().any(|key| members.contains_key(*key)) {
        return Some(Cow::Borrowed(node));
    }
    let mut merged = members.clone();
    for part in merged.remove("allOf").iter().flat_map(array) {
        absorb(&mut merged, follow(root, part)?);
    }
    for key in ["anyOf", "oneOf"] {
        let Some(branches) = merged.remove(key) else { continue };
        let branch = array(&branches).filter_map(|branch| follow(root, branch)).find(|branch| {
            branch.get("type").and_then(Value::as_str) != Some("null") && !branch.is_boolean()
        });
        if let Some(branch) = branch {
            absorb(&mut merged, branch);
        }
    }
    Some(Cow::Owned(Value::Object(merged)))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Adds the members of a part; objects of properties and lists of required names are joined.
fn absorb(into: &mut Map<String, Value>, part: &Value) {
    for (key, value) in part.as_object().into_iter().flatten() {
        match (into.get_mut(key), value) {
            (None, _) => {
                into.insert(key.clone(), value.clone());
            }
            (Some(Value::Object(have)), Value::Object(more)) if key == "properties" => {
                for (name, schema) in more {
                    have.entry(name.clone()).or_insert_with(|| schema.clone());
                }
            }
            (Some(Value::Array(have)), Value::Array(more)) if key == "required" => {
                have.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
        }
    }
}

/// The types that a node allows, by name; empty when it says nothing.
pub fn types(node: &Value) -> Vec<&str> {
    match node.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The types that any branch of a node allows, following references and unions; empty when some
/// branch does not say.
pub fn union_types<'a>(root: &'a Value, node: &'a Value) -> Vec<&'a str> {
    gather_types(root, node, NESTED).unwrap_or_default()
}

fn gather_types<'a>(root: &'a Value, node: &'a Value, depth: usize) -> Option<Vec<&'a str>> {
    let node = follow(root, node)?;
    let stated = types(node);
    if !stated.is_empty() {
        let null = node.get("nullable") == Some(&Value::Bool(true));
        return Some(stated.into_iter().chain(null.then_some("null")).collect());
    }
    let branches = ["anyOf", "oneOf"].iter().find_map(|key| node.get(*key)?.as_array());
    if let Some(branches) = branches.filter(|_| depth > 0) {
        let parts: Option<Vec<_>> =
            branches.iter().map(|branch| gather_types(root, branch, depth - 1)).collect();
        return parts.map(|parts| parts.concat());
    }
    if let Some(values) = node.get("enum").and_then(Value::as_array) {
        return Some(values.iter().map(type_of).collect());
    }
    // One part that says is enough: all of them must hold.
    let parts = node.get("allOf").and_then(Value::as_array).filter(|_| depth > 0)?;
    parts.iter().find_map(|part| gather_types(root, part, depth - 1))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The properties of an object schema, in order of publication.
pub fn properties(node: &Value) -> impl Iterator<Item = (&String, &Value)> {
    node.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The names of required properties, in order of publication, each once.
pub fn required(node: &Value) -> Vec<&str> {
    let mut names = Vec::new();
    for name in node.get("required").into_iter().flat_map(array).filter_map(Value::as_str) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a value has one of the JSON types that a schema's `type` names.
pub fn has_type(value: &Value, types: &[&str]) -> bool {
    types.is_empty()
        || types.iter().any(|name| match *name {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "number" => value.is_number(),
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            _ => false,
        })
}
