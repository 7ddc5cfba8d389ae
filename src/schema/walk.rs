//! Visiting every place of a schema that describes a value.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::children::{Child, Role, children};
use crate::wire::push_token;

/// Length in bytes from which on a path into an instance is not extended.
const LONGEST_PATH: usize = 1_000;

/// One place in a schema.
#[derive(Debug, Clone)]
pub struct Place<'s> {
    /// The schema there.
    pub schema: &'s Value,
    /// JSON pointer in the document.
    pub pointer: String,
    /// How the place above applies it.
    pub role: Role<'s>,
    /// Where the described value stands: a JSON pointer into an instance, with `*` for the items
    /// of an array and for map members.
    pub path: String,
    /// Whether a place above that describes the same value closes it to unknown members.
    pub closed_above: bool,
}

impl Place<'_> {
    /// Whether the place describes an object with members: it has `properties`, or its type is
    /// `object` (alone or beside `null`).
    pub fn is_object(&self) -> bool {
        self.schema.get("properties").is_some() || is_type(self.schema, "object")
    }
}

/// Whether `type` is, or has beside `null`, the given one.
pub fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only == name,
        Some(Value::Array(several)) => {
            several.iter().any(|one| one == name)
                && several.iter().all(|one| one == name || one == "null")
        }
        _ => false,
    }
}

/// Visits every place that describes a value of the schema, each once, in document order: through
/// `properties`, `items`, `prefixItems`, maps, combinators and references within the document.
/// Definitions that nothing refers to describe nothing and are left out, as is what only asks a
/// question (`not`, `if`, ...).
pub fn walk(schema: &Value) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    let mut seen = HashSet::new();
    let mut stack = vec![Place {
        schema,
        pointer: String::new(),
        role: Role::Root,
        path: String::new(),
        closed_above: false,
    }];
    while let Some(place) = stack.pop() {
        if !seen.insert((place.pointer.clone(), place.closed_above)) {
            continue;
        }
        let closed = place.closed_above || is_closed_itself(place.schema);
        let below = children(schema, place.schema, &place.pointer);
        for child in below.into_iter().rev() {
            let mut path = place.path.clone();
            let closed_above = match child.role {
                Role::Root | Role::Question(_) => continue,
                Role::InPlace(_) => closed,
                Role::Property { name, .. } => {
                    extend(&mut path, name);
                    false
                }
                Role::Map | Role::Item => {
                    extend(&mut path, "*");
                    false
                }
            };
            stack.push(Place {
                schema: child.schema,
                pointer: child.pointer,
                role: child.role,
                path,
                closed_above,
            });
        }
        places.push(place);
    }
    places
}

/// Appends to a path. One that is longer than any honest one stays as it is: a chain of references
/// would make the paths of all places together grow with the square of its length.
fn extend(path: &mut String, token: &str) {
    if path.len() < LONGEST_PATH {
        push_token(path, token);
    }
}

/// Whether unknown members are refused at a place: by itself, by the place above that describes
/// the same value, or by what it is combined of (every branch of an `anyOf` or `oneOf`, any of an
/// `allOf`, its reference). A schema for additional members counts as closed: a typed map.
pub fn is_closed(root: &Value, place: &Place<'_>) -> bool {
    place.closed_above || closes(root, place.schema, &place.pointer, &mut HashSet::new())
}

/// Looks at each place once, and at no more than a thousand: an honest union is far smaller.
fn closes(root: &Value, schema: &Value, pointer: &str, seen: &mut HashSet<String>) -> bool {
    if is_closed_itself(schema) {
        return true;
    }
    if seen.len() >= 1_000 || !seen.insert(pointer.to_owned()) {
        return false;
    }
    let below = children(root, schema, pointer);
    let branches = |keyword: &'static str| {
        below.iter().filter(move |child| child.role == Role::InPlace(keyword))
    };
    let mut each = |child: &Child<'_>| closes(root, child.schema, &child.pointer, seen);
    branches("$ref").chain(branches("allOf")).any(&mut each)
        || ["anyOf", "oneOf"]
            .into_iter()
            .any(|keyword| branches(keyword).next().is_some() && branches(keyword).all(&mut each))
}

fn is_closed_itself(schema: &Value) -> bool {
    ["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .any(|keyword| matches!(schema.get(keyword), Some(Value::Bool(false) | Value::Object(_))))
}

/// How many places a schema has once every reference is followed, where a circle counts once.
/// Saturates: a few nested references can describe more places than there are atoms.
pub(super) fn expansion(root: &Value) -> u64 {
    struct Open<'s> {
        schema: &'s Value,
        below: Vec<(&'s Value, String)>,
        sum: u64,
    }
    let open = |schema, pointer: &str| Open {
        schema,
        below: children(root, schema, pointer)
            .into_iter()
            .map(|child| (child.schema, child.pointer))
            .collect(),
        sum: 1,
    };
    // None marks a place that is being counted: meeting it again is a circle.
    let mut counted: HashMap<*const Value, Option<u64>> = HashMap::from([(&raw const *root, None)]);
    let mut stack = vec![open(root, "")];
    loop {
        let top = stack.last_mut().expect("the root is popped only by returning");
        if let Some((schema, pointer)) = top.below.pop() {
            match counted.get(&(&raw const *schema)) {
                Some(count) => top.sum = top.sum.saturating_add(count.unwrap_or(1)),
                None => {
                    counted.insert(schema, None);
                    stack.push(open(schema, &pointer));
                }
            }
            continue;
        }
        let (schema, sum) = (top.schema, top.sum);
        counted.insert(schema, Some(sum));
        stack.pop();
        match stack.last_mut() {
            Some(above) => above.sum = above.sum.saturating_add(sum),
            None => return sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointers(schema: &Value) -> Vec<String> {
        walk(schema).into_iter().map(|place| place.pointer).collect()
    }

    #[test]
    fn visits_every_describing_place_once_in_order() {
        let schema = json!({
            "properties": {
                "a": {"items": {"$ref": "#/$defs/n"}},
                "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/n"}]},
                "c": {"not": {"properties": {"x": {}}}}
            },
            "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}, "unused": {}}
        });
        assert_eq!(
            pointers(&schema),
            [
                "",
                "/properties/a",
                "/properties/a/items",
                "/$defs/n",
                "/$defs/n/properties/next",
                "/properties/b",
                "/properties/b/anyOf/0",
                "/properties/b/anyOf/1",
                "/properties/c",
            ]
        );
        let paths: Vec<_> = walk(&schema).into_iter().map(|place| place.path).collect();
        assert_eq!(paths[2..5], ["/a/*", "/a/*", "/a/*/next"]);
    }

    #[test]
    fn roles_say_whether_a_property_is_required() {
        let schema = json!({"required": ["a"], "properties": {"a": {}, "b": {}}});
        let roles: Vec<_> = walk(&schema).into_iter().map(|place| place.role).collect();
        assert_eq!(
            roles,
            [
                Role::Root,
                Role::Property { name: "a", required: true },
                Role::Property { name: "b", required: false },
            ]
        );
    }

    #[test]
    fn closing_counts_through_combinators() {
        let open_places = |schema: &Value| -> Vec<String> {
            walk(schema)
                .iter()
                .filter(|place| place.is_object() && !is_closed(schema, place))
                .map(|place| place.pointer.clone())
                .collect()
        };
        let object = |extra: Value| {
            let mut schema = json!({"type": "object", "properties": {"a": {}}});
            schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            schema
        };
        let closed = object(json!({"additionalProperties": false}));
        let open = object(json!({}));
        assert_eq!(open_places(&closed), Vec::<String>::new());
        assert_eq!(open_places(&open), [""]);
        assert_eq!(open_places(&object(json!({"additionalProperties": true}))), [""]);
        let parent = object(json!({"unevaluatedProperties": false, "anyOf": [open, open]}));
        assert_eq!(open_places(&parent), Vec::<String>::new());
        let branches = json!({"type": "object", "oneOf": [closed, closed]});
        assert_eq!(open_places(&branches), Vec::<String>::new());
        let half = json!({"type": "object", "oneOf": [closed, open]});
        assert_eq!(open_places(&half), ["", "/oneOf/1"]);
        let nested = object(json!({"additionalProperties": false, "properties": {"a": open}}));
        assert_eq!(open_places(&nested), ["/properties/a"]);
        let by_reference = json!({"$defs": {"c": closed}, "type": "object", "$ref": "#/$defs/c"});
        assert_eq!(open_places(&by_reference), Vec::<String>::new());
    }

    #[test]
    fn references_are_followed_by_pointer_anchor_and_own_id() {
        let schema = json!({"$id": "https://example.org/s", "properties": {
            "a": {"$ref": "#/$defs/x%20y"}, "b": {"$ref": "#here"},
            "c": {"$ref": "https://example.org/s#/$defs/x%20y"}, "d": {"$ref": "other.json#/x"}},
            "$defs": {"x y": {"type": "string"}, "z": {"$anchor": "here"}}});
        let found = pointers(&schema);
        assert!(found.contains(&"/$defs/x y".to_owned()), "{found:?}");
        assert!(found.contains(&"/$defs/z".to_owned()), "{found:?}");
        assert_eq!(found.len(), 7);
    }

    #[test]
    fn a_long_chain_of_references_does_not_overflow_the_stack() {
        let mut definitions = serde_json::Map::new();
        for level in 0..2_000 {
            definitions.insert(
                format!("d{level}"),
                json!({"properties": {"n": {"$ref": format!("#/$defs/d{}", level + 1)}}}),
            );
        }
        let schema = json!({"$defs": definitions, "$ref": "#/$defs/d0"});
        assert_eq!(walk(&schema).len(), 4_001);
        assert_eq!(expansion(&schema), 4_001);
    }

    #[test]
    fn expansion_counts_repeats_and_saturates() {
        let mut schema = json!({"$defs": {"d0": {}}, "$ref": "#/$defs/d70"});
        for level in 1..=70 {
            let below = json!({"$ref": format!("#/$defs/d{}", level - 1)});
            schema["$defs"][format!("d{level}")] = json!({"anyOf": [below, below]});
        }
        assert_eq!(expansion(&schema), u64::MAX);
        assert_eq!(expansion(&json!({"properties": {"a": {"$ref": "#"}}})), 3);
    }
}
