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
    let digest = Sha256::digest(canonical(&Value::Object(surface.clone())).as_bytes());
    let mut hash = String::new();
    for byte in &digest[..4] {
        write!(hash, "{byte:02x}").expect("writing to a string cannot fail");
    }
    format!("{NAME}@{VERSION}+{}", &hash[..7])
}

/// Compact JSON with object keys in code-point order at every depth.
pub fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut names: Vec<&String> = members.keys().collect();
                names.sort();
                Value::Object(
                    names.into_iter().map(|name| (name.clone(), sorted(&members[name]))).collect(),
                )
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            scalar => scalar.clone(),
        }
    }
    sorted(value).to_string()
}
