//! Compiling schemas, and validating values against them.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions};
use serde_json::Value;

use super::walk::expansion;

/// Most places that a schema may have once its references are followed. A few nested references
/// can describe billions, and compiling or validating would visit them all.
const MOST_PLACES: u64 = 100_000;
/// How often a backtracking pattern may try before the value counts as not matching.
const MOST_BACKTRACKS: usize = 100_000;
/// Most violations that are listed of one value.
const MOST_VIOLATIONS: usize = 50;
/// Longest message of a violation, in characters.
const MESSAGE: usize = 200;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("schema at {pointer:?}: {reason}")]
pub struct SchemaFault {
    /// JSON pointer into the schema, as far as it is known.
    pub pointer: String,
    /// What is wrong there.
    pub reason: String,
}

/// One way in which a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value: where the broken constraint holds.
    pub pointer: String,
    /// The keyword that is broken, such as `required` or `additionalProperties`.
    pub keyword: String,
    /// The property that is missing (`required`) or too many (`additionalProperties` and the like;
    /// the first of them).
    pub property: Option<String>,
    /// JSON pointer of the keyword in the schema.
    pub schema_pointer: String,
    /// In words, without the value itself.
    pub message: String,
}

/// A compiled schema. Formats are annotations here, as the default dialect has it.
pub struct Validator {
    inner: jsonschema::Validator,
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Validator")
    }
}

impl Validator {
    /// Compiles a schema: drafts 4 to 2020-12 by `$schema`, 2020-12 when it is absent or unknown.
    /// Nothing outside the document is ever fetched: a reference to elsewhere is a fault.
    pub fn compile(schema: &Value) -> Result<Validator, SchemaFault> {
        let fault = |reason: String| SchemaFault { pointer: String::new(), reason };
        let places = expansion(schema);
        if places > MOST_PLACES {
            return Err(fault(format!(
                "its references describe more than {MOST_PLACES} places; too many to validate"
            )));
        }
        let inner = jsonschema::options()
            .with_draft(draft(schema))
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(
                PatternOptions::fancy_regex()
                    .backtrack_limit(MOST_BACKTRACKS)
                    .size_limit(1 << 20)
                    .dfa_size_limit(1 << 20),
            )
            .build(schema)
            .map_err(|error| SchemaFault {
                pointer: error.instance_path().to_string(),
                reason: shorten(&error.masked().to_string()),
            })?;
        Ok(Validator { inner })
    }

    /// Whether a value is valid.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.inner.is_valid(value)
    }

    /// How a value breaks the schema: the first fifty ways, none when it is valid.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        // Most values are valid, and saying so is much cheaper than looking for errors.
        if self.inner.is_valid(value) {
            return Vec::new();
        }
        self.inner
            .iter_errors(value)
            .take(MOST_VIOLATIONS)
            .map(|error| Violation {
                pointer: error.instance_path().to_string(),
                keyword: error.kind().keyword().to_owned(),
                property: match error.kind() {
                    ValidationErrorKind::Required { property } => {
                        property.as_str().map(str::to_owned)
                    }
                    ValidationErrorKind::AdditionalProperties { unexpected }
                    | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                        unexpected.first().cloned()
                    }
                    _ => None,
                },
                schema_pointer: error.schema_path().to_string(),
                message: shorten(&error.masked().to_string()),
            })
            .collect()
    }
}

/// Compiled schemas, each compiled once. Clones share what was compiled.
#[derive(Debug, Clone, Default)]
pub struct Validators {
    by_address: Arc<Mutex<HashMap<usize, Compiled>>>,
}

/// A cache entry. It keeps the schema alive, so that no other one gets its address.
#[derive(Debug)]
struct Compiled {
    _schema: Arc<Value>,
    validator: Result<Arc<Validator>, SchemaFault>,
}

impl Validators {
    /// The compiled form of a schema.
    pub fn of(&self, schema: &Arc<Value>) -> Result<Arc<Validator>, SchemaFault> {
        let mut known = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(Arc::as_ptr(schema) as usize)
            .or_insert_with(|| Compiled {
                _schema: Arc::clone(schema),
                validator: Validator::compile(schema).map(Arc::new),
            })
            .validator
            .clone()
    }
}

/// The dialect that a schema declares.
fn draft(schema: &Value) -> Draft {
    let declared = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    let name = declared.trim_end_matches('#').trim_end_matches('/');
    match name.rsplit_once("json-schema.org/").map(|(_, name)| name) {
        Some("draft-04/schema") => Draft::Draft4,
        Some("draft-06/schema") => Draft::Draft6,
        Some("draft-07/schema") => Draft::Draft7,
        Some("draft/2019-09/schema") => Draft::Draft201909,
        _ => Draft::Draft202012,
    }
}

fn shorten(message: &str) -> String {
    match message.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}...", &message[..end]),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::json;

    use super::*;

    fn compile(schema: &Value) -> Validator {
        Validator::compile(schema).unwrap()
    }

    #[test]
    fn violations_name_place_keyword_and_property() {
        let validator = compile(&json!({"type": "object", "required": ["a"],
            "properties": {"a": {}, "b": {"properties": {"c": {"type": "string"}}}},
            "additionalProperties": false}));
        let violations = validator.violations(&json!({"b": {"c": 1}, "x": "secret"}));
        let seen: Vec<_> = violations
            .iter()
            .map(|v| (v.keyword.as_str(), v.pointer.as_str(), v.property.as_deref()))
            .collect();
        assert!(seen.contains(&("required", "", Some("a"))), "{seen:?}");
        assert!(seen.contains(&("additionalProperties", "", Some("x"))), "{seen:?}");
        assert!(seen.contains(&("type", "/b/c", None)), "{seen:?}");
        assert!(violations.iter().all(|v| !v.message.contains("secret")), "{violations:?}");
        assert!(validator.is_valid(&json!({"a": 1})));
    }

    #[test]
    fn the_broken_keyword_is_found_in_the_document() {
        let schema = json!({"properties": {"x": {"$ref": "#/$defs/s"}, "y": {"enum": [1]}},
            "$defs": {"s": {"allOf": [{"enum": ["a"]}]}}});
        for value in [json!({"x": "b"}), json!({"y": 2})] {
            let violations = compile(&schema).violations(&value);
            let found = schema.pointer(&violations[0].schema_pointer);
            assert!(found.is_some_and(Value::is_array), "{violations:?}");
        }
    }

    #[test]
    fn the_declared_draft_counts_and_an_unknown_one_is_tolerated() {
        // Draft-07 knows array-form items, 2020-12 does not.
        let items = |dialect: &str| json!({"$schema": dialect, "items": [{"type": "string"}], "definitions": {}});
        let old = compile(&items("http://json-schema.org/draft-07/schema#"));
        assert!(!old.is_valid(&json!([1])));
        let strange = json!({"$schema": "https://example.org/strange", "type": "string"});
        assert!(!compile(&strange).is_valid(&json!(1)));
        assert!(compile(&json!({"type": "string", "nullable": true})).is_valid(&json!("x")));
    }

    #[test]
    fn nothing_is_fetched() {
        for reference in
            ["https://example.org/s.json", "http://127.0.0.1:9/x", "file:///etc/passwd"]
        {
            let fault = Validator::compile(&json!({"properties": {"a": {"$ref": reference}}}));
            assert!(fault.is_err(), "{reference}");
        }
        let dangling = Validator::compile(&json!({"$ref": "#/$defs/none"}));
        assert!(dangling.is_err());
    }

    #[test]
    fn a_broken_schema_says_where() {
        let fault =
            Validator::compile(&json!({"properties": {"a": {"type": "strin"}}})).unwrap_err();
        assert_eq!(fault.pointer, "/properties/a/type");
    }

    #[test]
    fn circles_and_explosions_end() {
        let started = Instant::now();
        let circle = json!({"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}},
            "$ref": "#/$defs/n"});
        assert!(compile(&circle).is_valid(&json!({"next": {"next": {}}})));
        let tight = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
            "$ref": "#/$defs/a"});
        if let Ok(validator) = Validator::compile(&tight) {
            validator.is_valid(&json!(1));
        }
        let mut laughs = json!({"$defs": {"d0": {"type": "string"}}, "$ref": "#/$defs/d40"});
        for level in 1..=40 {
            let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
            laughs["$defs"][format!("d{level}")] = json!({"allOf": [below, below]});
        }
        assert!(Validator::compile(&laughs).is_err());
        let greedy = compile(&json!({"pattern": "^(?=(a+)+$)(a|aa)+$"}));
        greedy.is_valid(&json!("a".repeat(40) + "!"));
        assert!(Validator::compile(&json!({"pattern": "((a{1000}){1000}){1000}"})).is_err());
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn a_schema_is_compiled_once() {
        let validators = Validators::default();
        let schema = Arc::new(json!({"type": "object"}));
        let first = validators.of(&schema).unwrap();
        assert!(Arc::ptr_eq(&first, &validators.clone().of(&schema).unwrap()));
    }
}
