//! Whether a text has escapes that could hide a secret. Most escapes stand for quotes and line ends,
//! which secrets seldom hold, so most texts need no decoding.

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memchr3_iter;

use super::escapes::{ENTITIES, Escape};

/// The escapes that could hide one of the given texts.
#[derive(Debug)]
pub(super) struct Hiding {
    /// How such an escape begins: one quick pass tells most texts apart.
    begins: AhoCorasick,
    /// What the texts are made of, and what begins an escape of the next layer.
    telling: [bool; 256],
    has_backslash: bool,
}

impl Hiding {
    pub(super) fn new(texts: &[&[u8]]) -> Hiding {
        let mut telling = [false; 256];
        for byte in texts.iter().copied().flatten().chain(br"\%&") {
            telling[usize::from(*byte)] = true;
        }
        let has_backslash = texts.iter().any(|text| text.contains(&b'\\'));
        let begins = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(beginnings(&telling, has_backslash))
            .expect("few and short patterns");
        Hiding { begins, telling, has_backslash }
    }

    /// A run of backslashes matters only for what it ends in, unless a secret holds one: JSON that
    /// is carried in a string doubles them in front of every quote.
    pub(super) fn in_text(&self, text: &[u8]) -> bool {
        if !self.begins.is_match(text) {
            return false;
        }
        let mut free = 0;
        for at in memchr3_iter(b'\\', b'%', b'&', text) {
            if at < free {
                continue;
            }
            let run = text[at..].iter().take_while(|byte| **byte == b'\\').count();
            if run > 1 && self.has_backslash {
                return true;
            }
            let last = at + run.saturating_sub(1);
            free = last + 1;
            if let Some(escape) = Escape::at(&text[last..]) {
                free = last + escape.width;
                if escape.decoded().iter().any(|byte| self.telling[usize::from(*byte)]) {
                    return true;
                }
            }
        }
        false
    }
}

/// The first characters of every escape that may stand for a telling byte.
fn beginnings(telling: &[bool; 256], has_backslash: bool) -> Vec<Vec<u8>> {
    let tells = |byte: u8| telling[usize::from(byte)];
    let mut all: Vec<Vec<u8>> = [&br"\u"[..], br"\x", b"&#"].map(<[u8]>::to_vec).to_vec();
    let marks = (0..128_u8).filter(|byte| byte.is_ascii_punctuation() && tells(*byte));
    all.extend(marks.filter(|mark| *mark != b'\\' || has_backslash).map(|mark| vec![b'\\', mark]));
    for (letter, byte) in [(b'b', 8), (b'f', 12), (b'n', b'\n'), (b'r', b'\r'), (b't', b'\t')] {
        if tells(byte) {
            all.push(vec![b'\\', letter]);
        }
    }
    for (digit, both) in (0_u8..16).map(|digit| (digit, format!("{digit:x}{digit:X}"))) {
        if (digit * 16..=digit * 16 + 15).any(tells) {
            all.extend(both.bytes().map(|digit| vec![b'%', digit]));
        }
    }
    let named =
        ENTITIES.iter().filter(|(_, mark)| mark.encode_utf8(&mut [0; 4]).bytes().any(tells));
    all.extend(named.map(|(name, _)| format!("&{name};").into_bytes()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escapes_that_could_hide_a_secret_count() {
        let hiding = Hiding::new(&[b"tok-9"]);
        for text in
            [r"\u0074ok", r"tok\-9", "%74ok", "&#116;", "&amp;#45;", r"\\u0074", r"\u005cu0074"]
        {
            assert!(hiding.in_text(text.as_bytes()), "{text}");
        }
        for text in [r#"{\"a\":\"b\\n\"}"#, "100% & more", r"caf\u00e9", "a%0ab", r"C:\\dir"] {
            assert!(!hiding.in_text(text.as_bytes()), "{text}");
        }
        assert!(Hiding::new(&[br"a\b"]).in_text(br"a\\b"));
    }
}
