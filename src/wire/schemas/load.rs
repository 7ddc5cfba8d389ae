//! Reading the data files and cutting them to one revision.

use serde_json::{Map, Value};

use crate::wire::Revision;

const SHARED: &str = include_str!("shared.json");
const MODERN: &str = include_str!("modern.json");
const HANDSHAKE: &str = include_str!("handshake.json");

/// The message schemas of a revision as one document: `results`, `kinds`, `notifications`,
/// `requests` and `errors` name definitions, `$defs` holds them.
pub(super) fn document(revision: Revision) -> Value {
    let family = if revision.is_stateless() { MODERN } else { HANDSHAKE };
    let parse = |text| -> Value { serde_json::from_str(text).expect("our own file is JSON") };
    let mut document = parse(family);
    let shared = parse(SHARED);
    let definitions = document["$defs"].as_object_mut().expect("every file has definitions");
    for (name, schema) in shared["$defs"].as_object().expect("every file has definitions") {
        definitions.insert(name.clone(), schema.clone());
    }
    cut(&document, revision).expect("the root is not bounded")
}

/// Takes out every node whose `x-since` and `x-until` exclude the revision. A bounded scalar is
/// written as an object whose other member is `value`.
fn cut(node: &Value, revision: Revision) -> Option<Value> {
    match node {
        Value::Object(members) => {
            if !includes(members, revision) {
                return None;
            }
            if let Some(scalar) = members.get("value").filter(|_| is_bounded_scalar(members)) {
                return Some(scalar.clone());
            }
            let kept = members
                .iter()
                .filter(|(key, _)| !key.starts_with("x-"))
                .filter_map(|(key, value)| Some((key.clone(), cut(value, revision)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => {
            let kept: Vec<_> = items.iter().filter_map(|item| cut(item, revision)).collect();
            // An `allOf` of which nothing is left would not be a schema.
            (!kept.is_empty() || items.is_empty()).then_some(Value::Array(kept))
        }
        scalar => Some(scalar.clone()),
    }
}

fn is_bounded_scalar(members: &Map<String, Value>) -> bool {
    members.len() > 1 && members.keys().all(|key| key == "value" || key.starts_with("x-"))
}

fn includes(members: &Map<String, Value>, revision: Revision) -> bool {
    let bound = |key: &str| -> Option<Revision> {
        let text = members.get(key)?.as_str()?;
        Some(text.parse().expect("bounds in our own files are revisions"))
    };
    bound("x-since").is_none_or(|since| since <= revision)
        && bound("x-until").is_none_or(|until| revision <= until)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_take_out_members_items_and_scalars() {
        let node = json!({
            "keep": 1,
            "late": { "type": "string", "x-since": "2025-06-18" },
            "early": { "type": "string", "x-until": "2025-03-26" },
            "enum": ["a", { "value": "b", "x-since": "2025-11-25" }],
            "value": { "x-since": "2025-03-26", "value": { "kept": true } }
        });
        assert_eq!(
            cut(&node, Revision::V2025_03_26),
            Some(json!({
                "keep": 1, "early": { "type": "string" }, "enum": ["a"], "value": { "kept": true }
            }))
        );
        assert_eq!(
            cut(&node, Revision::V2025_11_25),
            Some(json!({
                "keep": 1, "late": { "type": "string" }, "enum": ["a", "b"],
                "value": { "kept": true }
            }))
        );
    }

    #[test]
    fn no_bound_survives_and_every_reference_resolves() {
        for revision in Revision::ALL {
            let document = document(revision);
            let text = document.to_string();
            assert!(!text.contains("\"x-since\"") && !text.contains("\"x-until\""), "{revision}");
            for part in text.split("\"#/$defs/").skip(1) {
                let name = part.split('"').next().unwrap();
                assert!(document["$defs"].get(name).is_some(), "{revision}: {name}");
            }
        }
    }
}
