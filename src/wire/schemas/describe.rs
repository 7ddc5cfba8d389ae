//! Words for what breaks a message schema.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// One place where a value breaks a message schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFault {
    /// JSON pointer of the place in the value that was looked at; of an absent member, the place
    /// where it should be.
    pub pointer: String,
    /// What is there, as a predicate: `is a string`, `is absent`.
    pub what: String,
    /// What would satisfy the schema.
    pub expected: String,
}

impl SchemaFault {
    pub(super) fn of(error: &ValidationError<'_>) -> SchemaFault {
        let mut pointer = error.instance_path().as_str().to_owned();
        let actual = error.instance();
        let (what, expected) = match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                ("is absent".to_owned(), format!("the required member {name:?}"))
            }
            ValidationErrorKind::Type { kind } => (kind_of(actual), types(kind)),
            ValidationErrorKind::Constant { expected_value } => {
                (short(actual), expected_value.to_string())
            }
            ValidationErrorKind::Enum { options } => {
                let options = options.as_array().map_or(&[][..], Vec::as_slice);
                let list: Vec<_> = options.iter().map(Value::to_string).collect();
                (short(actual), format!("one of {}", list.join(", ")))
            }
            ValidationErrorKind::Minimum { limit } => (short(actual), format!("at least {limit}")),
            ValidationErrorKind::Maximum { limit } => (short(actual), format!("at most {limit}")),
            ValidationErrorKind::MaxItems { limit } => {
                let count = actual.as_array().map_or(0, Vec::len);
                (format!("has {count} items"), format!("at most {limit} items"))
            }
            other => (short(actual), format!("a value that satisfies {:?}", other.keyword())),
        };
        SchemaFault { pointer, what, expected }
    }
}

fn kind_of(value: &Value) -> String {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    format!("is {kind}")
}

/// A scalar as it stands, anything larger by its kind.
fn short(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > 60 => {
            let start: String = text.chars().take(60).collect();
            format!("is a string that begins with {start:?}")
        }
        Value::Array(_) | Value::Object(_) => kind_of(value),
        scalar => format!("is {scalar}"),
    }
}

fn types(kind: &TypeKind) -> String {
    let name = |kind: jsonschema::JsonType| match kind {
        jsonschema::JsonType::Array => "an array",
        jsonschema::JsonType::Boolean => "a boolean",
        jsonschema::JsonType::Integer => "an integer",
        jsonschema::JsonType::Null => "null",
        jsonschema::JsonType::Number => "a number",
        jsonschema::JsonType::Object => "an object",
        jsonschema::JsonType::String => "a string",
    };
    match kind {
        TypeKind::Single(kind) => name(*kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            let names: Vec<_> = kinds.iter().map(name).collect();
            names.join(" or ")
        }
    }
}
