//! Parsing JSON text without losing what the text repeats.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// How many repeated keys are kept by name; a hostile text may have a million.
const REPEATED_KEPT: usize = 20;

/// A parsed value and the JSON pointers of keys that its text repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The value; the last of equal keys wins.
    pub value: Value,
    /// JSON pointers of repeated keys, at most twenty.
    pub repeated: Vec<String>,
}

/// Parses JSON text. Fails on bad JSON, on numbers out of range, and on nesting deeper than 127
/// levels.
pub fn parse_value(text: &str) -> Result<Parsed, serde_json::Error> {
    let mut repeated = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Node { repeated: &mut repeated }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(Parsed { value, repeated })
}

/// One step into a value. Pointers are built from the inside out, so that a text that repeats
/// nothing pays nothing for them.
struct Node<'p> {
    repeated: &'p mut Vec<String>,
}

impl Node<'_> {
    /// Puts a token before the pointers that were found below it, those from `mark` on.
    fn prefix(&mut self, mark: usize, token: &str) {
        for pointer in &mut self.repeated[mark..] {
            *pointer = super::join_pointer("", token) + pointer;
        }
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let mark = self.repeated.len();
            let Some(item) = seq.next_element_seed(Node { repeated: &mut *self.repeated })? else {
                return Ok(Value::Array(items));
            };
            if self.repeated.len() > mark {
                self.prefix(mark, &items.len().to_string());
            }
            items.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let entry = members.entry(key);
            let mark = self.repeated.len();
            let value = map.next_value_seed(Node { repeated: &mut *self.repeated })?;
            if self.repeated.len() > mark {
                self.prefix(mark, entry.key());
            }
            match entry {
                Entry::Vacant(slot) => {
                    slot.insert(value);
                }
                Entry::Occupied(mut slot) => {
                    if self.repeated.len() < REPEATED_KEPT {
                        self.repeated.push(super::join_pointer("", slot.key()));
                    }
                    slot.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_plain_parser() {
        for text in [
            "null",
            "true",
            "-1",
            "18446744073709551615",
            "1.5e3",
            "\"a\\u00e9\"",
            "[]",
            "{}",
            r#"{"b":[1,{"c":null}],"a":{"d":"x"}}"#,
        ] {
            let parsed = parse_value(text).unwrap();
            assert_eq!(parsed.value, serde_json::from_str::<Value>(text).unwrap());
            assert!(parsed.repeated.is_empty());
        }
    }

    #[test]
    fn names_repeated_keys_by_pointer() {
        let parsed = parse_value(r#"{"a":[{"b/c":1,"b/c":2}],"a":3}"#).unwrap();
        assert_eq!(parsed.repeated, ["/a/0/b~1c", "/a"]);
        assert_eq!(parsed.value, serde_json::json!({"a": 3}));
    }

    #[test]
    fn refuses_bad_text_and_absurd_depth() {
        assert!(parse_value("{} x").is_err());
        assert!(parse_value(&"[".repeat(100_000)).is_err());
    }
}
