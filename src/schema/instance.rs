//! Building small valid instances of a schema.

use std::cell::Cell;

use serde_json::{Map, Value, json};

use super::node::{has_type, properties, required, simplified, types};
use super::patterns::compiled;
use super::sample::sample_of_pattern;

/// How deep objects and arrays are filled.
const DEPTH: usize = 6;
/// Nodes visited for one document.
const NODES: u32 = 20_000;
/// Longest string that is padded to satisfy a `minLength`.
const LONGEST: u64 = 4_096;

/// Offers values for a property, best first: name of the property and its schema in, values out.
/// What it offers need not be valid.
pub type Suggest<'a> = &'a dyn Fn(&str, &Value) -> Vec<Value>;

/// Builds instances of one schema document.
pub struct Instances<'a> {
    root: &'a Value,
    suggest: Suggest<'a>,
    /// Nodes that may still be visited: a schema that branches without end costs no more.
    left: Cell<u32>,
}

impl<'a> Instances<'a> {
    /// For a document; `suggest` may offer nothing.
    pub fn new(root: &'a Value, suggest: Suggest<'a>) -> Self {
        Instances { root, suggest, left: Cell::new(NODES) }
    }

    /// An object with the required properties of the root schema only, or nothing when one of them
    /// has no value that can be made up.
    pub fn required_only(&self) -> Option<Map<String, Value>> {
        self.object(self.root, DEPTH)
    }

    /// Values for a property of the root schema, best first, each once, and each passing
    /// [`plausible`]: what is suggested, what the schema shows, what can be made up.
    pub fn of_property(&self, name: &str) -> Vec<Value> {
        let found = simplified(self.root, self.root)
            .and_then(|root| root.get("properties")?.get(name).cloned());
        found.map_or_else(Vec::new, |schema| self.candidates(name, &schema, DEPTH))
    }

    fn object(&self, schema: &Value, depth: usize) -> Option<Map<String, Value>> {
        let schema = simplified(self.root, schema)?;
        let declared: Map<String, Value> =
            properties(&schema).map(|(name, node)| (name.clone(), node.clone())).collect();
        let any = json!({});
        let mut out = Map::new();
        for name in required(&schema) {
            let node = declared.get(name).unwrap_or(&any);
            out.insert(name.to_owned(), self.candidates(name, node, depth - 1).into_iter().next()?);
        }
        Some(out)
    }

    fn candidates(&self, name: &str, schema: &Value, depth: usize) -> Vec<Value> {
        let Some(node) = simplified(self.root, schema) else { return Vec::new() };
        if depth == 0 || self.left.get() == 0 {
            return Vec::new();
        }
        self.left.set(self.left.get() - 1);
        let shown = ["const", "default"].into_iter().filter_map(|key| node.get(key).cloned());
        let listed = ["examples", "enum"]
            .into_iter()
            .filter_map(|key| node.get(key)?.as_array().cloned())
            .flatten();
        let mut out: Vec<Value> = Vec::new();
        let offers = (self.suggest)(name, &node)
            .into_iter()
            .chain(shown)
            .chain(listed)
            .chain(self.made_up(name, &node, depth));
        for value in offers {
            if plausible(&node, &value) && !out.contains(&value) {
                out.push(value);
            }
        }
        out
    }

    fn made_up(&self, name: &str, node: &Value, depth: usize) -> Vec<Value> {
        let types = types(node);
        let kind = types.iter().find(|kind| **kind != "null").or(types.first()).copied();
        match kind.unwrap_or_else(|| implied_type(node)) {
            "boolean" => vec![json!(false), json!(true)],
            "integer" => vec![number(node, true)],
            "number" => vec![number(node, false)],
            "null" => vec![Value::Null],
            "array" => {
                let items = node.get("items").cloned().unwrap_or_else(|| json!({}));
                let least = node.get("minItems").and_then(Value::as_u64).unwrap_or(1).max(1);
                let pool = self.candidates(name, &items, depth - 1);
                let distinct = node.get("uniqueItems") == Some(&Value::Bool(true));
                let wanted = usize::try_from(least).unwrap_or(usize::MAX).min(64);
                let filled: Vec<Value> = if distinct {
                    pool.into_iter().take(wanted).collect()
                } else {
                    pool.iter().cycle().take(wanted).cloned().collect()
                };
                vec![Value::Array(filled), json!([])]
            }
            "object" => self.object(node, depth).map(Value::Object).into_iter().collect(),
            _ => strings(name, node),
        }
    }
}

/// What a node without `type` most likely wants.
fn implied_type(node: &Value) -> &'static str {
    if node.get("properties").is_some() {
        "object"
    } else if node.get("items").is_some() {
        "array"
    } else if node.get("minimum").is_some() || node.get("maximum").is_some() {
        "number"
    } else {
        "string"
    }
}

/// The smallest positive number within the bounds.
fn number(node: &Value, whole: bool) -> Value {
    let bound = |key: &str| node.get(key).and_then(Value::as_f64);
    let step = bound("multipleOf").filter(|step| *step > 0.0).unwrap_or(1.0);
    let low = bound("minimum").or(bound("exclusiveMinimum").map(|low| low + step));
    let high = bound("maximum").or(bound("exclusiveMaximum").map(|high| high - step));
    let mut value = match (low, high) {
        (Some(low), _) if low > step => (low / step).ceil() * step,
        (_, Some(high)) if high < step => (high / step).floor() * step,
        _ => step,
    };
    if whole {
        value = value.round();
    }
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        // The range was checked: the conversion loses nothing.
        json!(value as i64)
    } else {
        json!(value)
    }
}

/// Strings by format, by pattern, by length.
fn strings(name: &str, node: &Value) -> Vec<Value> {
    let mut out: Vec<String> = Vec::new();
    if let Some(format) = node.get("format").and_then(Value::as_str) {
        out.extend(of_format(format).map(str::to_owned));
    }
    if let Some(pattern) = node.get("pattern").and_then(Value::as_str) {
        out.extend(sample_of_pattern(pattern));
    }
    out.extend(by_name(name).map(str::to_owned));
    out.push("example".to_owned());
    out.push("a".to_owned());
    let least = node.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(LONGEST);
    let least = usize::try_from(least).expect("LONGEST fits in usize");
    out.into_iter()
        .map(|mut text| {
            while text.chars().count() < least {
                text.push('a');
            }
            Value::String(text)
        })
        .collect()
}

/// A value of a format of JSON Schema.
fn of_format(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" => "2026-01-01T00:00:00Z",
        "date" => "2026-01-01",
        "time" => "12:00:00Z",
        "duration" => "PT1H",
        "email" | "idn-email" => "user@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "iri" | "url" => "https://example.com/",
        "uri-reference" | "iri-reference" => "/",
        "uuid" => "00000000-0000-4000-8000-000000000000",
        "json-pointer" => "/a",
        "regex" => "a",
        _ => return None,
    })
}

/// Values that a property's name asks for, where it is unmistakable.
fn by_name(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&["url", "uri", "href", "link"]) {
        Some("https://example.com/")
    } else if ends(&["email"]) {
        Some("user@example.com")
    } else if ends(&["timezone", "time_zone", "tz"]) {
        Some("Europe/Paris")
    } else if ends(&["date", "_on", "day"]) {
        Some("2026-01-01")
    } else if ends(&["_at", "timestamp", "since", "until", "_after", "_before"]) {
        Some("2026-01-01T00:00:00Z")
    } else if ends(&["time"]) {
        Some("12:00")
    } else {
        None
    }
}

/// A quick look at one value: type, enum, bounds, lengths and pattern of the node itself. What
/// passes may still be invalid (the compiled validator decides); what fails is invalid.
pub fn plausible(node: &Value, value: &Value) -> bool {
    let typed = has_type(value, &types(node)) || (value.is_null() && nullable(node));
    if !typed {
        return false;
    }
    if let Some(allowed) = node.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return false;
    }
    if node.get("const").is_some_and(|only| only != value) {
        return false;
    }
    let bound = |key: &str| node.get(key).and_then(Value::as_f64);
    match value {
        Value::String(text) => {
            let length = text.chars().count() as f64;
            bound("minLength").is_none_or(|least| length >= least)
                && bound("maxLength").is_none_or(|most| length <= most)
                && node
                    .get("pattern")
                    .and_then(Value::as_str)
                    .and_then(compiled)
                    .is_none_or(|regex| regex.is_match(text))
        }
        Value::Number(number) => number.as_f64().is_some_and(|number| {
            bound("minimum").is_none_or(|low| number >= low)
                && bound("maximum").is_none_or(|high| number <= high)
                && bound("exclusiveMinimum").is_none_or(|low| number > low)
                && bound("exclusiveMaximum").is_none_or(|high| number < high)
        }),
        Value::Array(items) => {
            let count = items.len() as f64;
            bound("minItems").is_none_or(|least| count >= least)
                && bound("maxItems").is_none_or(|most| count <= most)
        }
        _ => true,
    }
}

/// OpenAPI's way to allow null, which the field uses.
fn nullable(node: &Value) -> bool {
    node.get("nullable") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str, _: &Value) -> Vec<Value> {
        Vec::new()
    }

    #[test]
    fn required_properties_get_values_within_their_bounds() {
        let schema = json!({
            "type": "object",
            "required": ["owner", "issue_number", "labels", "state", "when"],
            "properties": {
                "owner": {"type": "string", "pattern": "^[a-z]{3}$"},
                "issue_number": {"type": "integer", "minimum": 5},
                "labels": {"type": "array", "items": {"$ref": "#/$defs/label"}, "minItems": 2},
                "state": {"anyOf": [{"type": "null"}, {"enum": ["open", "closed"]}]},
                "when": {"type": "string", "format": "date-time"},
                "extra": {"type": "string"}
            },
            "$defs": {"label": {"type": "string", "minLength": 9}}
        });
        let object = Instances::new(&schema, &nothing).required_only().expect("can be built");
        assert_eq!(
            Value::Object(object),
            json!({
                "owner": "aaa", "issue_number": 5, "labels": ["exampleaa", "aaaaaaaaa"],
                "state": "open", "when": "2026-01-01T00:00:00Z"
            })
        );
    }

    #[test]
    fn suggestions_come_first_when_they_fit() {
        let schema = json!({
            "type": "object", "required": ["repo"],
            "properties": {"repo": {"type": "string"}}
        });
        let suggest = |name: &str, _: &Value| match name {
            "repo" => vec![json!(7), json!("widgets")],
            _ => Vec::new(),
        };
        let object = Instances::new(&schema, &suggest).required_only();
        assert_eq!(object.map(Value::Object), Some(json!({"repo": "widgets"})));
    }

    #[test]
    fn a_schema_that_never_ends_gives_nothing() {
        let schema = json!({
            "type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}
        });
        assert_eq!(Instances::new(&schema, &nothing).required_only(), None);
    }
}
