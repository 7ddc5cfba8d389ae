//! DETAIL of the rule registry: the parameter that chooses how much a result says.

use serde_json::Value;

use super::parameters::{Parameter, allowed_values, parameters};

/// A detail property that was found: its kind, its brief value and its full value.
type Found = (DetailKind, Value, Value);

/// Names of the brief level, briefest first.
const BRIEF: &[&str] = &["minimal", "brief", "summary", "concise", "compact"];
/// Names of the full level, fullest first.
const FULL: &[&str] = &["full", "complete", "detailed"];

/// A detail parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Detail {
    /// The property.
    pub property: String,
    /// JSON pointer of the property's schema in the input schema.
    pub pointer: String,
    /// How it chooses.
    pub kind: DetailKind,
    /// The value for the brief level.
    pub brief: Value,
    /// The value for the full level.
    pub full: Value,
    /// Published default.
    pub default: Option<Value>,
}

/// How a detail parameter chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetailKind {
    /// An enumeration that holds a brief and a full level.
    Levels,
    /// A boolean `full`, `verbose` or `detailed`.
    Switch,
    /// A boolean `include_*`, which may as well choose rows: only behaviour can tell.
    Include,
}

/// Finds the detail parameter of an input schema: an enumeration before a switch, a switch before
/// an `include_*`.
pub fn detail(input: &Value) -> Option<Detail> {
    let parameters = parameters(input);
    let levels = |property: &Parameter<'_>| {
        let values = allowed_values(input, property.schema);
        let pick = |names: &[&str]| {
            names.iter().find_map(|name| values.iter().find(|value| **value == name))
        };
        Some((DetailKind::Levels, (*pick(BRIEF)?).clone(), (*pick(FULL)?).clone()))
    };
    let boolean = |property: &Parameter<'_>| {
        property.resolved.get("type").is_some_and(|kind| {
            kind == "boolean"
                || kind.as_array().is_some_and(|kinds| kinds.contains(&"boolean".into()))
        })
    };
    let switch = |kind: DetailKind, fits: fn(&str) -> bool| {
        move |property: &Parameter<'_>| {
            (boolean(property) && fits(property.name)).then_some((
                kind,
                Value::Bool(false),
                Value::Bool(true),
            ))
        }
    };
    let plain = switch(DetailKind::Switch, |name| matches!(name, "full" | "verbose" | "detailed"));
    let include = switch(DetailKind::Include, |name| {
        name.starts_with("include_") || name.strip_prefix("include").is_some_and(starts_upper)
    });
    let find = |fits: &dyn Fn(&Parameter<'_>) -> Option<Found>| {
        parameters.iter().find_map(|property| {
            let (kind, brief, full) = fits(property)?;
            Some(Detail {
                property: property.name.to_owned(),
                pointer: property.pointer.clone(),
                kind,
                brief,
                full,
                default: default_of(property).cloned(),
            })
        })
    };
    find(&levels).or_else(|| find(&plain)).or_else(|| find(&include))
}

/// The published default of a property, its own or that of the schema it is an alias of.
pub fn default_of<'s>(property: &Parameter<'s>) -> Option<&'s Value> {
    property.schema.get("default").or_else(|| property.resolved.get("default"))
}

fn starts_upper(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(properties: Value) -> Option<(String, DetailKind)> {
        detail(&json!({"type": "object", "properties": properties})).map(|d| (d.property, d.kind))
    }

    #[test]
    fn levels_whatever_the_name() {
        let schema = json!({"properties": {"verbose": {"type": "boolean"}, "shape": {
            "anyOf": [{"enum": ["summary", "full", "minimal"]}, {"type": "null"}],
            "default": "summary"}}});
        let detail = detail(&schema).unwrap();
        assert_eq!(detail.kind, DetailKind::Levels);
        assert_eq!((detail.brief, detail.full), (json!("minimal"), json!("full")));
        assert_eq!(detail.default, Some(json!("summary")));
        assert_eq!(detail.pointer, "/properties/shape");
    }

    #[test]
    fn switches_and_includes() {
        let boolean = json!({"type": "boolean"});
        assert_eq!(
            kind(json!({"include_closed": boolean, "full": boolean})),
            Some(("full".into(), DetailKind::Switch))
        );
        assert_eq!(
            kind(json!({"includeBody": {"type": ["boolean", "null"]}})),
            Some(("includeBody".into(), DetailKind::Include))
        );
        assert_eq!(kind(json!({"includes": boolean, "verbose": {"type": "string"}})), None);
        assert_eq!(kind(json!({"format": {"enum": ["full", "json"]}})), None);
    }
}
