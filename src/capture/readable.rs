//! Whether a line can be embedded in a capture as JSON.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

/// Nesting beyond which a message is kept as text: readers of captures must be able to parse what
/// is embedded, and common parsers stop at 128 levels, some of which are the event's own.
const DEEPEST: usize = 100;

/// Whether the text is one JSON value that every reader can parse: valid syntax, decodable strings,
/// numbers in range, bounded depth.
pub fn is_readable(text: &str) -> bool {
    let mut parser = serde_json::Deserializer::from_str(text);
    Walk { left: DEEPEST }.deserialize(&mut parser).is_ok() && parser.end().is_ok()
}

/// Walks a value without building it.
#[derive(Clone, Copy)]
struct Walk {
    left: usize,
}

impl Walk {
    fn deeper<E: Error>(self) -> Result<Walk, E> {
        let left = self.left.checked_sub(1).ok_or_else(|| E::custom("nested too deep"))?;
        Ok(Walk { left })
    }
}

impl<'de> DeserializeSeed<'de> for Walk {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while items.next_element_seed(inner)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let inner = self.deeper()?;
        while members.next_key_seed(inner)?.is_some() {
            members.next_value_seed(inner)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_json_is_readable() {
        for text in ["{}", " [1, -2.5e3, \"a\\u00e9\", null, true] ", "{\"a\":1,\"a\":2}", "0"] {
            assert!(is_readable(text), "{text}");
        }
    }

    #[test]
    fn what_a_reader_would_choke_on_is_not() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        for text in ["", "{", "nonsense", "1e999", "\"\\ud800\"", "{} {}", "\"a\nb\"", &deep] {
            assert!(!is_readable(text), "{text}");
        }
    }
}
