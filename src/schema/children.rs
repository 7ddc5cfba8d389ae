//! One step down a schema: every place below another one, by keyword.

use serde_json::{Map, Value};

use crate::wire::{join_pointer, push_token};

/// How a schema is applied by the one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role<'s> {
    /// The document itself.
    Root,
    /// To a named property.
    Property {
        /// Its name.
        name: &'s str,
        /// Whether the same object schema requires it.
        required: bool,
    },
    /// To properties without a name of their own (`patternProperties`, `additionalProperties`).
    Map,
    /// To array items.
    Item,
    /// To the same value, by a combinator: `allOf`, `anyOf`, `oneOf`, `then`, `else`,
    /// `dependentSchemas`, `$ref`.
    InPlace(&'static str),
    /// Only to ask a question (`not`, `if`, `contains`, `propertyNames`): it describes no value
    /// that is exchanged.
    Question(&'static str),
}

/// A place below another one.
#[derive(Debug, Clone)]
pub(super) struct Child<'s> {
    pub role: Role<'s>,
    pub schema: &'s Value,
    /// Pointer in the document.
    pub pointer: String,
}

/// Every place below `schema`, which stands at `pointer` in `root`, in document order. References
/// within the document are followed one step; those to elsewhere lead nowhere.
pub(super) fn children<'s>(root: &'s Value, schema: &'s Value, pointer: &str) -> Vec<Child<'s>> {
    let mut found = Vec::new();
    let Value::Object(members) = schema else {
        return found;
    };
    for (keyword, value) in members {
        let below = join_pointer(pointer, keyword);
        let mut one = |role| found.push(Child { role, schema: value, pointer: below.clone() });
        match keyword.as_str() {
            "properties" => {
                let Value::Object(properties) = value else { continue };
                for (name, schema) in properties {
                    let required = requires(members, name);
                    let role = Role::Property { name, required };
                    found.push(Child { role, schema, pointer: join_pointer(&below, name) });
                }
            }
            "patternProperties" => each_member(value, &below, Role::Map, &mut found),
            "dependentSchemas" => {
                each_member(value, &below, Role::InPlace("dependentSchemas"), &mut found);
            }
            "additionalProperties" | "unevaluatedProperties" if value.is_object() => one(Role::Map),
            "items" | "prefixItems" | "additionalItems" | "unevaluatedItems" => match value {
                Value::Array(_) => each_item(value, &below, Role::Item, &mut found),
                Value::Object(_) => one(Role::Item),
                _ => {}
            },
            "allOf" => each_item(value, &below, Role::InPlace("allOf"), &mut found),
            "anyOf" => each_item(value, &below, Role::InPlace("anyOf"), &mut found),
            "oneOf" => each_item(value, &below, Role::InPlace("oneOf"), &mut found),
            "then" => one(Role::InPlace("then")),
            "else" => one(Role::InPlace("else")),
            "if" => one(Role::Question("if")),
            "not" => one(Role::Question("not")),
            "contains" => one(Role::Question("contains")),
            "propertyNames" => one(Role::Question("propertyNames")),
            "$ref" => {
                if let Some((pointer, schema)) = value.as_str().and_then(|to| target(root, to)) {
                    found.push(Child { role: Role::InPlace("$ref"), schema, pointer });
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether an object schema requires a property.
pub(super) fn requires(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

fn each_member<'s>(value: &'s Value, below: &str, role: Role<'s>, found: &mut Vec<Child<'s>>) {
    for (name, schema) in value.as_object().into_iter().flatten() {
        found.push(Child { role, schema, pointer: join_pointer(below, name) });
    }
}

fn each_item<'s>(value: &'s Value, below: &str, role: Role<'s>, found: &mut Vec<Child<'s>>) {
    for (index, schema) in value.as_array().into_iter().flatten().enumerate() {
        found.push(Child { role, schema, pointer: join_pointer(below, &index.to_string()) });
    }
}

/// What a reference within the document points at: a JSON pointer, or an anchor in `$defs` or
/// `definitions`.
fn target<'s>(root: &'s Value, reference: &str) -> Option<(String, &'s Value)> {
    let own = root.get("$id").and_then(Value::as_str).unwrap_or_default();
    let fragment = reference.strip_prefix(own).unwrap_or(reference).strip_prefix('#')?;
    let fragment = percent_decode(fragment);
    if fragment.is_empty() || fragment.starts_with('/') {
        let schema = root.pointer(&fragment)?;
        return Some((fragment, schema));
    }
    ["$defs", "definitions"].into_iter().find_map(|place| {
        root.get(place)?.as_object()?.iter().find_map(|(name, schema)| {
            let anchor = schema.get("$anchor")?.as_str()?;
            let mut pointer = format!("/{place}");
            push_token(&mut pointer, name);
            (anchor == fragment).then_some((pointer, schema))
        })
    })
}

/// Decodes `%41` and the like; anything malformed stays as it is.
fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%')
            .then(|| std::str::from_utf8(tail.get(..2)?).ok())
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The schema that `schema` is an alias of, following references within the document (at most 64
/// of them), with its pointer. A schema that refers to nothing is its own.
pub fn resolve<'s>(root: &'s Value, schema: &'s Value, pointer: &str) -> (&'s Value, String) {
    let mut here = (schema, pointer.to_owned());
    for _ in 0..64 {
        let next = here.0.get("$ref").and_then(Value::as_str).and_then(|to| target(root, to));
        match next {
            Some((pointer, schema)) => here = (schema, pointer),
            None => break,
        }
    }
    here
}
