//! The fingerprint: one value that moves whenever anything that a caller can plan on moves.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{NAME, VERSION};

/// What the fingerprint covers, as it is disclosed (rule `9.fingerprint-coverage`).
pub const COVERS: &[&str] = &[
    "server",
    "tools",
    "resources",
    "resource_templates",
    "prompts",
    "completions",
    "error_codes",
    "capability_summary",
    "instructions",
    "cache_hints",
];

/// The fingerprint of a surface, given as an object with the members [`COVERS`].
pub fn fingerprint(surface: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_members(surface, &mut text);
    let digest = Sha256::digest(text.as_bytes());
    let mut hash = String::new();
    for byte in &digest[..4] {
        write!(hash, "{byte:02x}").expect("writing to a string cannot fail");
    }
    format!("{NAME}@{VERSION}+{}", &hash[..7])
}

/// Compact JSON with object keys in code-point order at every depth.
#[cfg(test)]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => write_members(members, text),
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_value(item, text);
            }
            text.push(']');
        }
        scalar => write!(text, "{scalar}").expect("writing to a string cannot fail"),
    }
}

fn write_members(members: &Map<String, Value>, text: &mut String) {
    let mut members: Vec<(&String, &Value)> = members.iter().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    text.push('{');
    for (at, (name, member)) in members.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        write!(text, "{}:", Value::from(name.as_str())).expect("writing to a string cannot fail");
        write_value(member, text);
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::canonical;

    #[test]
    fn names_are_sorted_at_every_depth_and_nothing_else_moves() {
        let value = json!({"b": [{"z": 1, "a": "\"\n"}, [], null], "a\"": {}, "B": -1.5});
        assert_eq!(canonical(&value), r#"{"B":-1.5,"a\"":{},"b":[{"a":"\"\n","z":1},[],null]}"#);
    }
}
