//! Taking escapes away, layer by layer, without losing where each character came from: `\u0041`,
//! `\/` and `\x41`, `%41`, `&#65;` and `&amp;`.

use memchr::memchr3_iter;

/// What the escapes of a text stand for, with the place of every byte in the source.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Where in the source the byte, or the escape that it stands in, begins and ends.
    spans: Vec<(u32, u32)>,
}

/// One escape: the bytes it stands for and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Escape {
    bytes: [u8; 4],
    len: usize,
    /// Length in the source.
    pub(super) width: usize,
}

impl View {
    /// The text as it stands.
    pub(super) fn of(text: &[u8]) -> View {
        let len = u32::try_from(text.len()).expect("frames are far shorter than 4 GiB");
        View { bytes: text.to_vec(), spans: (0..len).map(|at| (at, at + 1)).collect() }
    }

    /// The place in the source of a range that is not empty.
    pub(super) fn source(&self, start: usize, end: usize) -> (usize, usize) {
        (self.spans[start].0 as usize, self.spans[end - 1].1 as usize)
    }

    /// One layer of escapes less; nothing when there is no escape.
    pub(super) fn decoded(&self) -> Option<View> {
        let mut next = View { bytes: Vec::new(), spans: Vec::new() };
        let mut at = 0;
        for (place, escape) in escapes(&self.bytes) {
            next.bytes.extend_from_slice(&self.bytes[at..place]);
            next.spans.extend_from_slice(&self.spans[at..place]);
            at = place + escape.width;
            let span = (self.spans[place].0, self.spans[at - 1].1);
            next.bytes.extend_from_slice(escape.decoded());
            next.spans.extend(std::iter::repeat_n(span, escape.len));
        }
        if at == 0 {
            return None;
        }
        next.bytes.extend_from_slice(&self.bytes[at..]);
        next.spans.extend_from_slice(&self.spans[at..]);
        Some(next)
    }
}

/// Whether the last characters of a text are an escape.
pub(super) fn ends_in_escape(text: &[u8]) -> bool {
    const LONGEST: usize = 12;
    (2..=LONGEST.min(text.len())).any(|width| {
        let begin = &text[text.len() - width..];
        br"\%&".contains(&begin[0]) && Escape::at(begin).is_some_and(|found| found.width == width)
    })
}

/// One layer of escapes less, places forgotten; nothing when there is no escape.
pub(super) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    for (place, escape) in escapes(text) {
        out.extend_from_slice(&text[at..place]);
        out.extend_from_slice(escape.decoded());
        at = place + escape.width;
    }
    if at == 0 {
        return None;
    }
    out.extend_from_slice(&text[at..]);
    Some(out)
}

/// The escapes of a text in order, each with its place.
pub(super) fn escapes(text: &[u8]) -> impl Iterator<Item = (usize, Escape)> + '_ {
    let mut free = 0;
    memchr3_iter(b'\\', b'%', b'&', text).filter_map(move |at| {
        let escape = if at < free { None } else { Escape::at(&text[at..]) };
        escape.map(|escape| {
            free = at + escape.width;
            (at, escape)
        })
    })
}

impl Escape {
    /// What the escape stands for.
    pub(super) fn decoded(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// The escape that a text begins with.
    pub(super) fn at(text: &[u8]) -> Option<Escape> {
        match text.first()? {
            b'%' => Some(Escape::of_byte(hex(text.get(1..3)?)? as u8, 3)),
            b'&' => entity(text),
            _ => backslash(text),
        }
    }

    fn of_byte(byte: u8, width: usize) -> Escape {
        Escape { bytes: [byte, 0, 0, 0], len: 1, width }
    }

    fn of_char(code: u32, width: usize) -> Option<Escape> {
        let mut bytes = [0; 4];
        let len = char::from_u32(code)?.encode_utf8(&mut bytes).len();
        Some(Escape { bytes, len, width })
    }
}

/// Escapes of JSON and of the languages whose string literals end up in error messages.
fn backslash(text: &[u8]) -> Option<Escape> {
    let short = |byte| Some(Escape::of_byte(byte, 2));
    match text.get(1)? {
        b'b' => short(8),
        b'f' => short(12),
        b'n' => short(b'\n'),
        b'r' => short(b'\r'),
        b't' => short(b'\t'),
        b'x' => Some(Escape::of_byte(hex(text.get(2..4)?)? as u8, 4)),
        b'u' => unicode(text),
        mark if mark.is_ascii_punctuation() => short(*mark),
        _ => None,
    }
}

/// `\u0041`, a pair of surrogates, or `\u{41}`.
fn unicode(text: &[u8]) -> Option<Escape> {
    if text.get(2) == Some(&b'{') {
        let end = text.iter().take(10).position(|byte| *byte == b'}')?;
        return Escape::of_char(hex(text.get(3..end)?)?, end + 1);
    }
    let code = hex(text.get(2..6)?)?;
    if !(0xd800..0xdc00).contains(&code) {
        return Escape::of_char(code, 6);
    }
    let low = hex(text.get(6..)?.strip_prefix(br"\u")?.get(..4)?)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    Escape::of_char(0x10000 + ((code - 0xd800) << 10) + low, 12)
}

/// `&amp;`, `&#65;` or `&#x41;`; a number needs no semicolon, as in browsers.
fn entity(text: &[u8]) -> Option<Escape> {
    const LONGEST: usize = 10;
    let text = &text[..text.len().min(LONGEST + 2)];
    let Some(number) = text.strip_prefix(b"&#") else {
        let end = text.iter().position(|byte| *byte == b';')?;
        let name = &text[1..end];
        let (_, mark) = ENTITIES.iter().find(|(known, _)| known.as_bytes() == name)?;
        return Escape::of_char(u32::from(*mark), end + 1);
    };
    let (radix, skip) = match number.first()? {
        b'x' | b'X' => (16, 3),
        _ => (10, 2),
    };
    let digits = &text[skip..];
    let is_digit = |byte: &u8| char::from(*byte).is_digit(radix);
    let len = digits.iter().position(|byte| !is_digit(byte)).unwrap_or(digits.len());
    let code = u32::from_str_radix(std::str::from_utf8(&digits[..len]).ok()?, radix).ok()?;
    let closed = usize::from(digits.get(len) == Some(&b';'));
    Escape::of_char(code, skip + len + closed)
}

fn hex(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Names for what stands in credentials and URLs.
pub(super) const ENTITIES: &[(&str, char)] = &[
    ("amp", '&'),
    ("apos", '\''),
    ("ast", '*'),
    ("bsol", '\\'),
    ("colon", ':'),
    ("comma", ','),
    ("commat", '@'),
    ("dollar", '$'),
    ("equals", '='),
    ("excl", '!'),
    ("grave", '`'),
    ("gt", '>'),
    ("Hat", '^'),
    ("lbrace", '{'),
    ("lbrack", '['),
    ("lcub", '{'),
    ("lowbar", '_'),
    ("lpar", '('),
    ("lsqb", '['),
    ("lt", '<'),
    ("nbsp", '\u{a0}'),
    ("NewLine", '\n'),
    ("num", '#'),
    ("percnt", '%'),
    ("period", '.'),
    ("plus", '+'),
    ("quest", '?'),
    ("quot", '"'),
    ("rbrace", '}'),
    ("rbrack", ']'),
    ("rcub", '}'),
    ("rpar", ')'),
    ("rsqb", ']'),
    ("semi", ';'),
    ("sol", '/'),
    ("Tab", '\t'),
    ("verbar", '|'),
    ("vert", '|'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn once(text: &str) -> Option<String> {
        decoded(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    #[test]
    fn every_kind_of_escape_is_taken_away() {
        for (text, plain) in [
            (r"a\u0041\/\x41\n", "aA/A\n"),
            (r"\ud83d\ude00\u{e9}", "😀é"),
            ("%41%c3%A9%", "Aé%"),
            ("&amp;&#65;&#x41;&#65 &lt;&quot;", "&AAA <\""),
            (r"\\u0041", r"\u0041"),
            ("%2541", "%41"),
        ] {
            assert_eq!(once(text).as_deref(), Some(plain), "{text}");
        }
    }

    #[test]
    fn what_is_no_escape_is_left() {
        for text in [r"\q\ud800 \u12", "100% & more; %4", "&nothing;", "\\"] {
            assert_eq!(once(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_is_mapped_back_over_whole_escapes() {
        let view = View::of(br"x\\u0041%42y").decoded().unwrap().decoded().unwrap();
        assert_eq!(view.bytes, b"xABy");
        assert_eq!(view.source(1, 3), (1, 11));
    }
}
