//! Breaking one constraint of a schema at a time.
//!
//! Every variant is checked with the compiled validator before it is handed out, so that what is
//! meant to be invalid is invalid for any reader of the published schema. The values are chosen so
//! that no lenient server can repair them into something meant: a boolean for a string, an object
//! for a number.

use serde_json::{Map, Value, json};

use super::broken_values::{empty, misformatted, mismatching, mistyped, out_of_bounds, unlisted};
use super::node::{has_type, properties, required, simplified, union_types};

/// How deep below the root constraints are broken.
const DEPTH: usize = 3;

/// Classes of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BreakClass {
    /// A required property is left out.
    MissingRequired,
    /// A value of another JSON type.
    WrongType,
    /// A value outside the `enum` or `const`.
    OutOfEnum,
    /// A number, length or count outside its bounds.
    OutOfBounds,
    /// A string that does not match its `pattern`.
    BadPattern,
    /// A string that is not of its `format` (which many validators do not check).
    BadFormat,
    /// An empty string or array where at least one character or item is needed.
    Empty,
    /// A property that a closed schema does not declare.
    UnknownProperty,
    /// `null` where it is not allowed.
    Null,
    /// A required property left out and another of the wrong type: no server can mean to do it.
    MissingAndWrongType,
}

impl BreakClass {
    /// The class as it is written in case names.
    pub fn as_str(self) -> &'static str {
        match self {
            BreakClass::MissingRequired => "missing_required",
            BreakClass::WrongType => "wrong_type",
            BreakClass::OutOfEnum => "out_of_enum",
            BreakClass::OutOfBounds => "out_of_bounds",
            BreakClass::BadPattern => "bad_pattern",
            BreakClass::BadFormat => "bad_format",
            BreakClass::Empty => "empty",
            BreakClass::UnknownProperty => "unknown_property",
            BreakClass::Null => "null",
            BreakClass::MissingAndWrongType => "missing_and_wrong_type",
        }
    }
}

/// One constraint, broken in one or more ways.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakage {
    /// The class.
    pub class: BreakClass,
    /// The property, as a dotted path below the root such as `labels.0`.
    pub path: String,
    /// Whole argument objects; in each, only this constraint is broken.
    pub variants: Vec<Map<String, Value>>,
}

/// Breaks every constraint of a schema, one at a time, starting from valid arguments. `valid` is
/// the compiled validator of the document; `base` must pass it.
pub fn breakages(
    root: &Value,
    base: &Map<String, Value>,
    valid: &dyn Fn(&Value) -> bool,
) -> Vec<Breakage> {
    let mut breaker = Breaker { root, base, valid, out: Vec::new() };
    breaker.object(root, "", DEPTH);
    breaker.out.sort_by_key(|breakage| breakage.class);
    breaker.out
}

/// Arguments that lack a required property, with every other of a wrong type; nothing when the
/// schema requires none. For tools that may mutate: a wrong type alone may be executed by a server
/// that checks nothing.
pub fn unmistakable(
    root: &Value,
    base: &Map<String, Value>,
    valid: &dyn Fn(&Value) -> bool,
) -> Option<Breakage> {
    let simple = simplified(root, root)?;
    let names = required(&simple);
    let typed: Vec<(&String, Value)> = properties(&simple)
        .filter_map(|(name, node)| {
            let types = union_types(root, node);
            let node = simplified(root, node)?;
            Some((name, mistyped(&node, &types).into_iter().next()?))
        })
        .collect();
    let mut variants: Vec<Map<String, Value>> = Vec::new();
    let without_default = |name: &&&str| !has_default(root, &simple, name);
    for omitted in names.iter().filter(without_default).take(2) {
        let mut arguments = base.clone();
        arguments.shift_remove(*omitted);
        for (name, wrong) in typed.iter().filter(|(name, _)| name != omitted) {
            arguments.insert((*name).clone(), wrong.clone());
        }
        variants.push(arguments);
    }
    variants.retain(|arguments| !valid(&Value::Object(arguments.clone())));
    variants.dedup();
    (!variants.is_empty()).then(|| Breakage {
        class: BreakClass::MissingAndWrongType,
        path: names.first().copied().unwrap_or_default().to_owned(),
        variants,
    })
}

/// Whether arguments lack a required property that has no default: what no server can execute
/// without making the value up.
pub fn lacks_required(root: &Value, arguments: &Value) -> bool {
    let Some(simple) = simplified(root, root) else { return false };
    let mut needed = required(&simple).into_iter().filter(|name| !has_default(root, &simple, name));
    match arguments.as_object() {
        Some(arguments) => needed.any(|name| !arguments.contains_key(name)),
        None => needed.next().is_some(),
    }
}

fn has_default(root: &Value, simple: &Value, name: &str) -> bool {
    properties(simple).any(|(property, node)| {
        property == name && simplified(root, node).is_some_and(|node| node.get("default").is_some())
    })
}

/// Whether arguments break a `required` or a `type` constraint of the root object: what a server
/// that checks anything at all refuses. Nested constraints do not count.
pub fn breaks_required_or_type(root: &Value, arguments: &Value) -> bool {
    let Some(simple) = simplified(root, root) else { return false };
    let names = required(&simple);
    let Some(arguments) = arguments.as_object() else {
        return !names.is_empty();
    };
    names.iter().any(|name| !arguments.contains_key(*name))
        || properties(&simple).any(|(name, node)| match arguments.get(name) {
            Some(value) => {
                // Every branch of a union counts: only what none of them takes is broken. And only
                // the values that leniency cannot rescue: "5" for a number may well be executed.
                let types = union_types(root, node);
                !has_type(value, &types)
                    && simplified(root, node)
                        .is_some_and(|node| mistyped(&node, &types).contains(value))
            }
            None => false,
        })
}

struct Breaker<'a> {
    root: &'a Value,
    base: &'a Map<String, Value>,
    valid: &'a dyn Fn(&Value) -> bool,
    out: Vec<Breakage>,
}

impl Breaker<'_> {
    /// Breaks everything in the object at `pointer`, which may be absent from the base below it.
    fn object(&mut self, schema: &Value, pointer: &str, depth: usize) {
        let Some(node) = simplified(self.root, schema) else { return };
        for name in required(&node) {
            let at = child(pointer, name);
            self.push(BreakClass::MissingRequired, &at, vec![None]);
        }
        for (name, schema) in properties(&node) {
            let Some(property) = simplified(self.root, schema) else { continue };
            let at = child(pointer, name);
            self.value(schema, &at);
            let filled = self.at(&at);
            if depth > 1 && filled.as_ref().is_some_and(Value::is_object) {
                self.object(&property, &at, depth - 1);
            }
            let first = filled.as_ref().and_then(|items| items.get(0));
            if let (Some(items), Some(first)) = (property.get("items"), first)
                && depth > 1
            {
                self.value(items, &child(&at, "0"));
                if first.is_object() {
                    self.object(items, &child(&at, "0"), depth - 1);
                }
            }
        }
        let values = vec![Some(json!(true)), Some(json!("unexpected"))];
        self.push(BreakClass::UnknownProperty, &child(pointer, "hallmark_unexpected"), values);
    }

    /// Breaks every constraint of one value.
    fn value(&mut self, schema: &Value, at: &str) {
        let types = union_types(self.root, schema);
        let Some(node) = simplified(self.root, schema) else { return };
        let node = &*node;
        let some = |values: Vec<Value>| values.into_iter().map(Some).collect::<Vec<_>>();
        self.push(BreakClass::WrongType, at, some(mistyped(node, &types)));
        self.push(BreakClass::OutOfEnum, at, some(unlisted(node)));
        self.push(BreakClass::OutOfBounds, at, some(out_of_bounds(node, self.at(at))));
        self.push(BreakClass::BadPattern, at, some(mismatching(node)));
        self.push(BreakClass::BadFormat, at, some(misformatted(node)));
        self.push(BreakClass::Empty, at, some(empty(node)));
        self.push(BreakClass::Null, at, vec![Some(Value::Null)]);
    }

    fn at(&self, pointer: &str) -> Option<Value> {
        // The root is a map, not a value: take its first step by hand.
        let mut steps = pointer[1..].splitn(2, '/');
        let name = steps.next()?.replace("~1", "/").replace("~0", "~");
        let value = self.base.get(&name)?;
        match steps.next() {
            None => Some(value.clone()),
            Some(rest) => value.pointer(&format!("/{rest}")).cloned(),
        }
    }

    /// Keeps the variants that the validator refuses. `None` removes the property.
    fn push(&mut self, class: BreakClass, at: &str, values: Vec<Option<Value>>) {
        let mut variants = Vec::new();
        for value in values {
            let Some(arguments) = self.with(at, value) else { continue };
            let broken = !(self.valid)(&Value::Object(arguments.clone()));
            // Formats are annotations to most validators; the others must be seen to break.
            if (broken || class == BreakClass::BadFormat) && !variants.contains(&arguments) {
                variants.push(arguments);
            }
        }
        if !variants.is_empty() {
            let path = at[1..].replace('/', ".").replace("~1", "/").replace("~0", "~");
            self.out.push(Breakage { class, path, variants });
        }
    }

    /// The base with the value at `pointer` set or removed; nothing when its parent is absent.
    fn with(&self, pointer: &str, value: Option<Value>) -> Option<Map<String, Value>> {
        let (parent, name) = pointer.rsplit_once('/')?;
        let name = name.replace("~1", "/").replace("~0", "~");
        let mut root = Value::Object(self.base.clone());
        match (root.pointer_mut(parent)?, value) {
            (Value::Object(members), Some(value)) => {
                members.insert(name, value);
            }
            (Value::Object(members), None) => {
                members.shift_remove(&name)?;
            }
            (Value::Array(items), Some(value)) => {
                *items.get_mut(name.parse::<usize>().ok()?)? = value
            }
            _ => return None,
        }
        match root {
            Value::Object(members) => Some(members),
            _ => None,
        }
    }
}

fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "required": ["owner", "number"],
            "properties": {
                "owner": {"type": "string", "pattern": "^[a-z]+$", "minLength": 1},
                "number": {"type": "integer", "minimum": 1},
                "state": {"type": "string", "enum": ["open", "closed"]},
                "labels": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                "since": {"type": "string", "format": "date-time"},
                "key": {"anyOf": [{"type": "string"}, {"type": "null"}]}
            },
            "additionalProperties": false
        })
    }

    fn base() -> Map<String, Value> {
        let base = json!({"owner": "acme", "number": 3, "labels": ["bug"]});
        base.as_object().cloned().expect("an object")
    }

    fn valid(schema: &Value) -> impl Fn(&Value) -> bool {
        let validator = jsonschema::validator_for(schema).expect("a good schema");
        move |value| validator.is_valid(value)
    }

    #[test]
    fn every_constraint_is_broken_and_every_variant_is_invalid() {
        let schema = schema();
        let valid = valid(&schema);
        assert!(valid(&Value::Object(base())));
        let found = breakages(&schema, &base(), &valid);
        let named: Vec<String> =
            found.iter().map(|b| format!("{} {}", b.class.as_str(), b.path)).collect();
        for wanted in [
            "missing_required owner",
            "missing_required number",
            "wrong_type owner",
            "wrong_type labels",
            "wrong_type labels.0",
            "wrong_type key",
            "out_of_enum state",
            "out_of_bounds number",
            "bad_pattern owner",
            "bad_format since",
            "empty owner",
            "empty labels",
            "unknown_property hallmark_unexpected",
            "null owner",
        ] {
            assert!(named.iter().any(|name| name == wanted), "{wanted} is missing from {named:?}");
        }
        assert!(!named.contains(&"null key".to_owned()), "null is allowed there");
        for breakage in found.iter().filter(|b| b.class != BreakClass::BadFormat) {
            for variant in &breakage.variants {
                assert!(!valid(&Value::Object(variant.clone())), "{breakage:?}");
            }
        }
    }

    #[test]
    fn an_open_schema_has_no_unknown_property() {
        let mut schema = schema();
        schema.as_object_mut().expect("an object").remove("additionalProperties");
        let found = breakages(&schema, &base(), &valid(&schema));
        assert!(found.iter().all(|b| b.class != BreakClass::UnknownProperty));
    }

    #[test]
    fn wrong_types_cannot_be_rescued() {
        let schema = schema();
        let found = breakages(&schema, &base(), &valid(&schema));
        let of = |path: &str| {
            let found = found.iter().find(|b| b.class == BreakClass::WrongType && b.path == path);
            found.expect(path).variants.iter().map(|v| v[path].clone()).collect::<Vec<_>>()
        };
        assert_eq!(of("owner")[0], json!(true));
        assert!(of("number")[0].is_object());
        assert!(of("labels").iter().all(|value| !value.is_array()));
    }

    #[test]
    fn mutating_tools_get_both_faults_at_once() {
        let schema = schema();
        let found = unmistakable(&schema, &base(), &valid(&schema)).expect("it has constraints");
        assert_eq!(found.variants.len(), 2);
        for variant in &found.variants {
            assert!(!variant.contains_key("owner") || !variant.contains_key("number"));
            assert!(breaks_required_or_type(&schema, &Value::Object(variant.clone())));
            assert!(variant["labels"].is_object());
        }
    }

    #[test]
    fn without_a_constraint_there_is_nothing_to_break() {
        let schema = json!({"type": "object", "properties": {"anything": {}}});
        assert_eq!(unmistakable(&schema, &Map::new(), &valid(&schema)), None);
        let typed = json!({"type": "object", "properties": {"confirm": {"type": "boolean"}}});
        assert_eq!(unmistakable(&typed, &Map::new(), &valid(&typed)), None);
        let filled = json!({
            "type": "object", "required": ["a"], "properties": {"a": {"type": "string", "default": "x"}}
        });
        assert_eq!(unmistakable(&filled, &Map::new(), &valid(&filled)), None);
        assert!(
            !lacks_required(&filled, &json!({})) && !lacks_required(&typed, &json!({"confirm": 1}))
        );
        assert!(!breaks_required_or_type(&schema, &json!({"anything": 1})));
        assert!(!breaks_required_or_type(&schema, &json!([])));
    }

    #[test]
    fn what_a_lenient_server_would_accept_does_not_count_as_broken() {
        let schema = schema();
        assert!(!breaks_required_or_type(&schema, &json!({"owner": "a", "number": "3"})));
        assert!(!breaks_required_or_type(
            &schema,
            &json!({"owner": "a", "number": 3, "key": null})
        ));
        assert!(breaks_required_or_type(&schema, &json!({"owner": true, "number": 3})));
        assert!(breaks_required_or_type(&schema, &json!({"owner": "a"})));
    }
}
