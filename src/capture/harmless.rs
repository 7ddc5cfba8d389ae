//! JSON that a terminal shows without acting on it.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The same JSON with every control character, direction mark and line separator spelled as an
/// escape. In valid JSON they stand in strings only and never behind a backslash.
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    // All but DEL begin with one of two bytes, which plain text does not have.
    if memchr::memchr3(0x7f, 0xc2, 0xe2, json.as_bytes()).is_none() && !json.contains('\u{61c}') {
        return Cow::Borrowed(json);
    }
    if !json.contains(is_harmful) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_harmful(character) {
            write!(out, "\\u{:04x}", u32::from(character)).expect("a string takes all writes");
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

fn is_harmful(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_value_stays_and_nothing_harmful_is_left() {
        let value = json!({"a\u{9b}": "x\u{85}\u{202e}\u{2066}\u{200f}\u{2028}\u{7f}\u{61c}é“”\\"});
        let text = value.to_string();
        let shown = harmless_json(&text);
        assert!(!shown.contains(is_harmful) && shown.contains("é“”"), "{shown}");
        assert_eq!(serde_json::from_str::<Value>(&shown).unwrap(), value);
        assert!(matches!(harmless_json("{\"a\":\"é\"}"), Cow::Borrowed(_)));
    }
}
