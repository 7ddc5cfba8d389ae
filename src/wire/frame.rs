//! One line of the wire, split into its members without building their values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What one line is, read as JSON one level deep.
#[derive(Debug)]
pub enum Line<'a> {
    /// A JSON object.
    Frame(Frame<'a>),
    /// A JSON array: a batch, which only 2025-03-26 knows.
    Batch(Vec<&'a RawValue>),
    /// A JSON string. In a capture, also a line that is not JSON.
    Text(String),
    /// Any other scalar.
    Scalar,
}

/// The members of a JSON-RPC message as JSON text. The last of equal keys wins, as in every
/// common parser; `repeated` keeps their names.
#[derive(Debug, Default)]
pub struct Frame<'a> {
    /// `jsonrpc`.
    pub jsonrpc: Option<&'a RawValue>,
    /// `id`.
    pub id: Option<&'a RawValue>,
    /// `method`, when it is a string.
    pub method: Option<Cow<'a, str>>,
    /// `params`.
    pub params: Option<&'a RawValue>,
    /// `result`.
    pub result: Option<&'a RawValue>,
    /// `error`.
    pub error: Option<&'a RawValue>,
    /// Names of members that JSON-RPC does not know.
    pub unknown: Vec<String>,
    /// Names of members that occur twice.
    pub repeated: Vec<String>,
}

impl<'a> Line<'a> {
    /// Splits a line. Nesting is not limited here, because members are only scanned.
    pub fn parse(text: &'a str) -> Result<Line<'a>, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Line<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LineVisitor)
    }
}

/// A string that borrows from the line when it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut frame = Frame::default();
        while let Some(Key(key)) = map.next_key::<Key<'de>>()? {
            let slot = match &*key {
                "jsonrpc" => &mut frame.jsonrpc,
                "id" => &mut frame.id,
                "params" => &mut frame.params,
                "result" => &mut frame.result,
                "error" => &mut frame.error,
                "method" => {
                    let raw: &RawValue = map.next_value()?;
                    if frame.method.is_some() {
                        frame.repeated.push(key.into_owned());
                    }
                    frame.method =
                        serde_json::from_str::<Key<'de>>(raw.get()).ok().map(|Key(text)| text);
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    let list = match frame.unknown.iter().any(|known| *known == *key) {
                        true => &mut frame.repeated,
                        false => &mut frame.unknown,
                    };
                    list.push(key.into_owned());
                    continue;
                }
            };
            if slot.replace(map.next_value()?).is_some() {
                frame.repeated.push(key.into_owned());
            }
        }
        Ok(Line::Frame(frame))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element::<&RawValue>()? {
            items.push(item);
        }
        Ok(Line::Batch(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Line::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Line::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Line::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Line::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Line::Scalar)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Line::Scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> Frame<'_> {
        match Line::parse(text).unwrap() {
            Line::Frame(frame) => frame,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn splits_members_without_parsing_them() {
        let frame = frame(r#"{"jsonrpc":"2.0","id":1.0,"result":{"a": [1,2]},"extra":0}"#);
        assert_eq!(frame.id.unwrap().get(), "1.0");
        assert_eq!(frame.result.unwrap().get(), r#"{"a": [1,2]}"#);
        assert_eq!(frame.unknown, ["extra"]);
        assert!(frame.repeated.is_empty());
    }

    #[test]
    fn the_last_of_equal_keys_wins_and_is_named() {
        let frame = frame(r#"{"id":1,"id":2,"x":1,"x":2,"method":"a","method":"b\n"}"#);
        assert_eq!(frame.id.unwrap().get(), "2");
        assert_eq!(frame.method.as_deref(), Some("b\n"));
        assert_eq!(frame.repeated, ["id", "x", "method"]);
    }

    #[test]
    fn tells_the_other_shapes_apart() {
        assert!(matches!(Line::parse("[1,{}]").unwrap(), Line::Batch(items) if items.len() == 2));
        assert!(matches!(Line::parse("\"hi\"").unwrap(), Line::Text(text) if text == "hi"));
        for scalar in ["1", "-1", "1.5", "true", "null"] {
            assert!(matches!(Line::parse(scalar).unwrap(), Line::Scalar), "{scalar}");
        }
        assert!(Line::parse("{\"a\":").is_err());
    }

    #[test]
    fn depth_does_not_overflow_the_stack() {
        let deep = format!("{{\"result\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(frame(&deep).result.is_some());
    }
}
