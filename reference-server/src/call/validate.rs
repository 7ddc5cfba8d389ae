//! Arguments against the published input schema: the failure `invalid_field`.

use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use super::correct::{self, Violation};
use crate::domain::{Code, Failure};

/// A tool's input schema with its validator, which is compiled at the first call.
#[derive(Debug)]
pub struct Arguments {
    tool: &'static str,
    mutates: bool,
    schema: Value,
    validator: OnceLock<Validator>,
}

impl Arguments {
    /// Takes the published input schema of `tool`, and whether its calls change anything.
    pub fn new(tool: &'static str, mutates: bool, schema: Value) -> Self {
        Self { tool, mutates, schema, validator: OnceLock::new() }
    }

    /// Name of the tool.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Whether a call changes anything.
    pub fn mutates(&self) -> bool {
        self.mutates
    }

    /// The published schema.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether `arguments` satisfy the schema.
    pub fn accept(&self, arguments: &Map<String, Value>) -> bool {
        self.validator().is_valid(&Value::Object(arguments.clone()))
    }

    /// Refuses arguments that break the schema, naming the first offending parameter in the order of the schema,
    /// with a repair that mends every violation where the schema says how.
    pub fn check(&self, arguments: &Map<String, Value>) -> Result<(), Failure> {
        let instance = Value::Object(arguments.clone());
        let mut violations: Vec<Violation> =
            self.validator().iter_errors(&instance).flat_map(|error| read(&error)).collect();
        violations
            .sort_by_key(|violation| (self.position(&violation.field), violation.field.clone()));
        violations.dedup_by(|later, earlier| later.field == earlier.field);
        let Some(first) = violations.first() else { return Ok(()) };
        let mut failure = Failure::new(
            Code::InvalidField,
            format!("Invalid arguments for {}; nothing was done.", self.tool),
        );
        failure.field = Some(first.shown_field());
        failure.reason = Some(first.reason.clone());
        failure.allowed = first.allowed.clone();
        // The published policy: of caller-made values only numeric ids are repeated (rule `6.offending-value`).
        failure.value = arguments
            .get("issue_number")
            .filter(|value| first.field == "issue_number" && value.is_i64())
            .cloned();
        failure.repair = correct::repair(self, arguments, &violations);
        Err(failure)
    }

    fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            jsonschema::options()
                .should_validate_formats(true)
                .build(&self.schema)
                .expect("a published schema compiles")
        })
    }

    fn position(&self, field: &str) -> usize {
        self.schema["properties"]
            .as_object()
            .and_then(|all| all.keys().position(|name| name == field))
            .unwrap_or(usize::MAX)
    }
}

/// What one validator error says about parameters. The validator's own wording quotes the value, which may be a
/// secret: the reasons here are ours and never do.
fn read(error: &ValidationError<'_>) -> Vec<Violation> {
    let path: Vec<String> = error
        .instance_path()
        .as_str()
        .split('/')
        .skip(1)
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
        .collect();
    let (reason, allowed) = match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            return unexpected
                .iter()
                .map(|name| {
                    Violation::new(name, "No such parameter; it has to be left out.".to_owned())
                        .unknown()
                })
                .collect();
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            return vec![Violation::new(name, "This parameter is required.".to_owned()).missing()];
        }
        ValidationErrorKind::Type { kind } => {
            (format!("Must be {}.", type_names(kind)), Vec::new())
        }
        ValidationErrorKind::Enum { options } => {
            let allowed: Vec<String> = options
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|option| option.as_str().map(str::to_owned))
                .collect();
            (format!("Must be one of: {}.", allowed.join(", ")), allowed)
        }
        ValidationErrorKind::Pattern { pattern } => (format!("Must match {pattern}."), Vec::new()),
        ValidationErrorKind::Format { .. } => {
            ("Must be an RFC 3339 instant such as 2026-07-01T00:00:00Z.".to_owned(), Vec::new())
        }
        ValidationErrorKind::Minimum { limit } => {
            (format!("Must be at least {limit}."), Vec::new())
        }
        ValidationErrorKind::MinLength { limit } => {
            (format!("Must have at least {limit} character(s)."), Vec::new())
        }
        ValidationErrorKind::MaxLength { limit } => {
            (format!("Must have at most {limit} characters."), Vec::new())
        }
        ValidationErrorKind::MinItems { limit } => {
            (format!("Must have at least {limit} item(s), or be left out."), Vec::new())
        }
        _ => ("Breaks the published schema.".to_owned(), Vec::new()),
    };
    let reason = match path.get(1) {
        Some(index) => format!("Item {index}: {reason}"),
        None => reason,
    };
    let field = path.first().cloned().unwrap_or_default();
    vec![Violation::new(&field, reason).allowing(allowed)]
}

fn type_names(kind: &TypeKind) -> String {
    let name = |json_type: jsonschema::JsonType| format!("of type {json_type}");
    match kind {
        TypeKind::Single(json_type) => name(*json_type),
        TypeKind::Multiple(types) => types.iter().map(name).collect::<Vec<_>>().join(" or "),
    }
}
