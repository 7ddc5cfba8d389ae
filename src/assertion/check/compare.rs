//! Comparing answers: where two differ, and what differs by itself (CANON and masking of the rule
//! registry).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::capture::Role;
use crate::contract::{Answer, Exchange};

/// JSON pointers at which two values differ. Key order and the spelling of numbers do not count;
/// `_meta` and request ids are looked past; arrays of different length differ as a whole.
pub fn differences(left: &Value, right: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(left, right, &mut String::new(), &mut found);
    found
}

fn collect(left: &Value, right: &Value, at: &mut String, found: &mut BTreeSet<String>) {
    match (left, right) {
        (Value::Object(one), Value::Object(two)) => {
            let added = two.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(added).filter(|key| !is_correlation(key)) {
                let length = at.len();
                at.push('/');
                at.push_str(&key.replace('~', "~0").replace('/', "~1"));
                match (one.get(key), two.get(key)) {
                    (Some(a), Some(b)) => collect(a, b, at, found),
                    _ => {
                        found.insert(at.clone());
                    }
                }
                at.truncate(length);
            }
        }
        (Value::Array(one), Value::Array(two)) if one.len() == two.len() => {
            for (index, (a, b)) in one.iter().zip(two).enumerate() {
                let length = at.len();
                at.push_str(&format!("/{index}"));
                collect(a, b, at, found);
                at.truncate(length);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        (a, b) if a == b => {}
        _ => {
            found.insert(at.clone());
        }
    }
}

/// Whether [`differences`] finds none, without writing down where it looks.
pub fn are_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(one), Value::Object(two)) => {
            let keys = |members: &Map<String, Value>| {
                members.keys().filter(|key| !is_correlation(key)).count()
            };
            let mut own = one.iter().filter(|(key, _)| !is_correlation(key));
            own.all(|(key, a)| two.get(key).is_some_and(|b| are_same(a, b)))
                && keys(one) == keys(two)
        }
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(a, b)| are_same(a, b))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64() || a == b,
        (a, b) => a == b,
    }
}

/// Members that name the request rather than its answer.
pub fn is_correlation(key: &str) -> bool {
    matches!(key, "_meta" | "request_id" | "requestId")
}

/// Whether a pointer lies at or below one of the masked ones.
pub fn is_masked(pointer: &str, masks: &BTreeSet<String>) -> bool {
    masks.iter().any(|mask| {
        pointer.strip_prefix(mask.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            // A mask below it explains a difference that was seen higher up.
            || mask.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'))
    })
}

/// What a result says: its structured content, or its text blocks (as JSON where they are JSON),
/// or for other methods the whole result.
pub fn payload(exchange: &Exchange) -> Option<Value> {
    let Answer::Result(result) = &exchange.answer else { return None };
    if let Some(structured) = result.get("structuredContent") {
        return Some(structured.clone());
    }
    let Some(blocks) = result.get("content").and_then(Value::as_array) else {
        return Some(Value::clone(result));
    };
    let read = |block: &Value| match block.get("text").and_then(Value::as_str) {
        Some(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
        None => block.clone(),
    };
    Some(Value::Array(blocks.iter().map(read).collect()))
}

/// Whether an exchange was answered by a result that is no error.
pub fn succeeded(exchange: &Exchange) -> bool {
    exchange.result().is_some_and(|result| {
        result.get("isError") != Some(&Value::Bool(true))
            && result.get("resultType").is_none_or(|kind| kind == "complete")
    })
}

/// The exchanges of a role within a case, in order.
pub fn in_role<'a>(case: &[&'a Exchange], role: Role) -> Vec<&'a Exchange> {
    let is = |exchange: &&&Exchange| exchange.step.as_ref().is_some_and(|s| s.role == Some(role));
    case.iter().filter(is).copied().collect()
}

/// Whether two exchanges sent the same request, tokens and `_meta` aside.
pub fn same_request(left: &Exchange, right: &Exchange) -> bool {
    left.method == right.method && are_same(&left.params, &right.params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_the_deepest_pointers() {
        let left =
            json!({ "a": { "b/c": 1, "d": [1, { "e": 1 }] }, "f": [1], "_meta": 1, "n": 1.0 });
        let right = json!({ "n": 1, "a": { "d": [1, { "e": 2 }], "b/c": 2 }, "f": [1, 2], "_meta": 2, "g": 0 });
        let found: Vec<_> = differences(&left, &right).into_iter().collect();
        assert_eq!(found, ["/a/b~1c", "/a/d/1/e", "/f", "/g"]);
        assert!(differences(&left, &left).is_empty());
        for (one, two) in [(&left, &right), (&left, &left), (&left["n"], &right["n"])] {
            assert_eq!(are_same(one, two), differences(one, two).is_empty());
        }
        let (few, many) = (json!([{ "_meta": 1 }]), json!([{ "a": 1, "_meta": 2 }]));
        assert!(!are_same(&few, &many) && !are_same(&many, &few));
        assert!(are_same(&few, &json!([{}])));
    }

    #[test]
    fn a_mask_covers_what_lies_below_it_and_what_contains_it() {
        let masks = BTreeSet::from(["/a/b".to_owned()]);
        assert!(
            is_masked("/a/b", &masks) && is_masked("/a/b/c", &masks) && is_masked("/a", &masks)
        );
        assert!(!is_masked("/a/bc", &masks) && !is_masked("/c", &masks));
    }
}
