//! Values that break one constraint of one node, and that no lenient server can rescue.

use serde_json::{Value, json};

use super::node::{has_type, types};
use super::patterns::compiled;
use super::plausible;

/// Longest string and array that is built to exceed a bound.
const LONGEST: u64 = 100_000;

/// Values of a type that the node does not allow and that leniency cannot turn into one.
pub(super) fn mistyped(node: &Value, types: &[&str]) -> Vec<Value> {
    let node_items = node.get("items");
    let offers = if types.contains(&"string") {
        vec![json!(true), json!({"hallmark": "an object"}), json!([{"hallmark": 1}])]
    } else if types.contains(&"object") || types.contains(&"boolean") {
        vec![json!("hallmark: not of this type"), json!([{"hallmark": 1}])]
    } else {
        vec![json!({"hallmark": "an object"}), json!("hallmark: not of this type"), json!(true)]
    };
    offers
        .into_iter()
        .filter(|value| !types.is_empty() && !has_type(value, types))
        // A server that wraps a single value into an array must find it wrong there, too.
        .filter(|value| {
            node_items.is_none_or(|items| !plausible(items, value) || items == &json!({}))
        })
        .collect()
}

/// Values outside the `enum` or `const` of a node.
pub(super) fn unlisted(node: &Value) -> Vec<Value> {
    let listed: Vec<&Value> = match (node.get("enum").and_then(Value::as_array), node.get("const"))
    {
        (Some(values), _) => values.iter().collect(),
        (None, Some(only)) => vec![only],
        (None, None) => return Vec::new(),
    };
    let offers = if listed.iter().any(|value| value.is_string()) {
        vec![json!("hallmark_unlisted"), json!("hallmark_not_a_member")]
    } else {
        vec![json!(987_654_321), json!(123_456_789)]
    };
    offers.into_iter().filter(|value| !listed.contains(&value)).collect()
}

/// Numbers, strings and arrays outside the bounds of a node; `current` is a valid value of it.
pub(super) fn out_of_bounds(node: &Value, current: Option<Value>) -> Vec<Value> {
    let number = |key: &str| node.get(key).and_then(Value::as_f64);
    let count = |key: &str| node.get(key).and_then(Value::as_u64).filter(|count| *count <= LONGEST);
    let mut out = Vec::new();
    let types = types(node);
    if types.iter().any(|kind| ["integer", "number"].contains(kind)) {
        let mut offer = |value: f64| {
            out.push(if value.fract() == 0.0 && value.abs() < 9.0e15 {
                // The range was checked: the conversion loses nothing.
                json!(value as i64)
            } else {
                json!(value)
            });
        };
        if let Some(low) = number("minimum").or(number("exclusiveMinimum")) {
            offer(low - 1.0);
            offer(low - 1_000.0);
        }
        if let Some(high) = number("maximum").or(number("exclusiveMaximum")) {
            offer(high + 1.0);
            offer(high + 1_000.0);
        }
    }
    let repeat = |times: u64| "a".repeat(usize::try_from(times).expect("at most LONGEST"));
    if types.contains(&"string") {
        out.extend(count("maxLength").map(|most| json!(repeat(most + 1))));
        out.extend(count("maxLength").filter(|m| *m < 1_000).map(|most| json!(repeat(most + 9))));
        out.extend(count("minLength").filter(|l| *l > 1).map(|least| json!(repeat(least - 1))));
    }
    if types.contains(&"array")
        && let Some(most) = count("maxItems").filter(|most| *most < 1_000)
        && let Some(item) = current.as_ref().and_then(|items| items.get(0))
    {
        let most = usize::try_from(most).expect("at most LONGEST");
        out.push(Value::Array(vec![item.clone(); most + 1]));
    }
    out
}

/// Strings that do not match the `pattern` of a node.
pub(super) fn mismatching(node: &Value) -> Vec<Value> {
    let Some(pattern) = node.get("pattern").and_then(Value::as_str) else { return Vec::new() };
    let Some(regex) = compiled(pattern) else { return Vec::new() };
    ["not valid!", "%hallmark%", "hallmark", "0", "/", " "]
        .into_iter()
        .filter(|text| !regex.is_match(text))
        .map(|text| json!(text))
        .take(2)
        .collect()
}

/// Strings that are not of the `format` of a node.
pub(super) fn misformatted(node: &Value) -> Vec<Value> {
    let checked = ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6"];
    match node.get("format").and_then(Value::as_str) {
        Some(format) if checked.contains(&format) => {
            vec![json!("hallmark: no such format"), json!("%% not well formed %%")]
        }
        _ => Vec::new(),
    }
}

/// The empty string or array, where the node wants at least one character or item.
pub(super) fn empty(node: &Value) -> Vec<Value> {
    let least = |key: &str| node.get(key).and_then(Value::as_u64).unwrap_or(0);
    let mut out = Vec::new();
    if least("minLength") > 0 {
        out.push(json!(""));
    }
    if least("minItems") > 0 {
        out.push(json!([]));
    }
    out
}
