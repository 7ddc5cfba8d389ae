//! Redaction: secrets become placeholders before the first byte of a capture is written.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use regex::{Captures, Regex};

/// Headers whose value is recorded as it is (after literals were replaced). A name that stands
/// neither here nor in [`SECRET_HEADERS`] is not recorded at all.
const OPEN_HEADERS: &[&str] = &[
    "accept",
    "allow",
    "cache-control",
    "content-encoding",
    "content-type",
    "host",
    "last-event-id",
    "location",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "origin",
    "retry-after",
    "server",
    "transfer-encoding",
    "www-authenticate",
    "x-accel-buffering",
];

/// Headers whose whole value is a secret: recorded as a placeholder, so that their presence and
/// their constancy can be judged.
const SECRET_HEADERS: &[&str] =
    &["authorization", "cookie", "mcp-session-id", "proxy-authorization", "set-cookie"];

/// Words of the protocol itself: a setting with such a value is no secret, and replacing it would
/// make every message unreadable.
const PROTOCOL_WORDS: &[&str] = &[
    "arguments",
    "assistant",
    "capabilities",
    "complete",
    "content",
    "contents",
    "description",
    "error",
    "false",
    "initialize",
    "inputSchema",
    "integer",
    "isError",
    "jsonrpc",
    "message",
    "method",
    "modelcontextprotocol",
    "name",
    "none",
    "null",
    "number",
    "object",
    "params",
    "ping",
    "properties",
    "public",
    "private",
    "required",
    "resource",
    "resources",
    "result",
    "string",
    "text",
    "tool",
    "tools",
    "true",
    "type",
    "user",
];

/// A value that comes from the environment and is shorter than this is a setting, not a secret.
const SHORTEST_SECRET: usize = 4;

/// A number with fewer characters than this is never taken for a secret: ports and ids are not.
const SHORTEST_NUMBER: usize = 8;

/// Longest header value, in bytes, that is looked for elsewhere.
const LONGEST_LEARNT: usize = 4096;
/// With so many secrets known, headers add no more.
const MOST_LEARNT: usize = 200;

/// Knows the secrets of a run and replaces them. The same secret always gets the same placeholder,
/// such as `[redacted:authorization-1]`, so that two captures of one target can be compared.
#[derive(Debug, Default)]
pub struct Redactor {
    /// Every spelling of every secret, with its placeholder.
    spellings: HashMap<String, Spelling>,
    /// Secrets seen, with their placeholders.
    placeholders: HashMap<String, String>,
    /// How many secrets carry a label.
    numbers: BTreeMap<String, u32>,
    /// Matches any spelling, longest first.
    pattern: Option<Regex>,
}

/// One way in which a secret may be written.
#[derive(Debug)]
struct Spelling {
    placeholder: String,
    /// Only as a whole word: a setting such as `github` is not cut out of `github_get_issue`.
    whole_word: bool,
}

impl Redactor {
    /// Knows no secret.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a literal that the user named (`--redact`). Empty text is ignored.
    pub fn add_literal(&mut self, secret: &str) {
        self.add("literal", secret, false);
    }

    /// Adds the value of an environment variable that the child is given. Values that are shorter
    /// than four characters or words of the protocol are left alone; unless the name looks like
    /// that of a secret, only whole words are replaced.
    pub fn add_env(&mut self, name: &str, value: &str) {
        if value.len() >= SHORTEST_SECRET && !PROTOCOL_WORDS.contains(&value) {
            self.add(name, value, !looks_secret(name));
        }
    }

    /// Adds the value of a header that the user sets; of `Bearer TOKEN` the token alone as well.
    pub fn add_header(&mut self, name: &str, value: &str) {
        self.add(name, value, false);
        if let Some((_, token)) = value.split_once(' ')
            && token.len() >= SHORTEST_SECRET
        {
            self.add(name, token.trim(), false);
        }
    }

    /// Adds the secrets in a URL: user name, password, and every query value.
    pub fn add_url(&mut self, url: &str) {
        let Ok(parsed) = reqwest::Url::parse(url) else { return };
        let user = parsed.username().to_owned();
        for secret in [Some(user.as_str()), parsed.password()].into_iter().flatten() {
            if secret.len() >= SHORTEST_SECRET {
                self.add("url", secret, false);
            }
        }
        for (name, value) in parsed.query_pairs() {
            self.add_env(&name, &value);
        }
    }

    /// A URL as it may be written down: without user name and password, with a placeholder for
    /// every query value.
    pub fn url(&mut self, url: &str) -> String {
        self.add_url(url);
        let Ok(mut parsed) = reqwest::Url::parse(url) else { return self.text(url).into_owned() };
        // Both fail only for URLs that cannot have a user name, and those have none.
        let _ = parsed.set_username("");
        let _ = parsed.set_password(None);
        let query: Vec<String> =
            parsed.query_pairs().map(|(name, _)| format!("{name}=[redacted]")).collect();
        parsed.set_query(None);
        let shown = self.text(parsed.as_str()).into_owned();
        if query.is_empty() { shown } else { format!("{shown}?{}", query.join("&")) }
    }

    /// A header as it may be written down: lower-case name and value, or nothing when the header
    /// is not to be recorded.
    pub fn header(&mut self, name: &str, value: &str) -> Option<(String, String)> {
        let name = name.to_ascii_lowercase();
        if OPEN_HEADERS.contains(&name.as_str()) || name.starts_with("mcp-param-") {
            let value = self.text(value).into_owned();
            return Some((name, value));
        }
        let secret = SECRET_HEADERS.contains(&name.as_str()) || looks_secret(&name);
        secret.then(|| {
            // A target that invents ever new or endless secrets is not remembered word for word.
            if value.len() > LONGEST_LEARNT || self.placeholders.len() >= MOST_LEARNT {
                let value = format!("[redacted:{name}]");
                return (name, value);
            }
            self.add(&name, value, false);
            let value = self.text(value).into_owned();
            (name, value)
        })
    }

    /// Text with every secret replaced.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.pattern {
            Some(pattern) => pattern.replace_all(text, |found: &Captures<'_>| {
                self.spellings
                    .get(&found[0])
                    .map_or("[redacted]", |known| &known.placeholder)
                    .to_owned()
            }),
            None => Cow::Borrowed(text),
        }
    }

    /// JSON text with every secret inside strings replaced, and every number that is a secret
    /// turned into a string. What was valid JSON stays valid JSON.
    pub fn json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        match &self.pattern {
            Some(pattern) if pattern.is_match(json) => Cow::Owned(self.json_tokens(json)),
            _ => Cow::Borrowed(json),
        }
    }

    fn json_tokens(&self, json: &str) -> String {
        let mut out = String::with_capacity(json.len());
        let mut rest = json;
        while let Some(quote) = rest.find('"') {
            self.push_outside(&rest[..quote], &mut out);
            let inside = &rest[quote + 1..];
            let end = end_of_string(inside);
            out.push('"');
            out.push_str(&self.text(&inside[..end]));
            out.push('"');
            rest = inside.get(end + 1..).unwrap_or("");
        }
        self.push_outside(rest, &mut out);
        out
    }

    fn push_outside(&self, text: &str, out: &mut String) {
        let is_edge = |c: char| matches!(c, ',' | ':' | '[' | ']' | '{' | '}') || c.is_whitespace();
        for piece in text.split_inclusive(is_edge) {
            let token = piece.trim_end_matches(is_edge);
            match self.spellings.get(token) {
                Some(known) if token.len() >= SHORTEST_NUMBER => {
                    out.push('"');
                    out.push_str(&known.placeholder);
                    out.push('"');
                    out.push_str(&piece[token.len()..]);
                }
                _ => out.push_str(piece),
            }
        }
    }

    fn add(&mut self, label: &str, secret: &str, whole_word: bool) {
        if secret.is_empty() || self.placeholders.contains_key(secret) {
            return;
        }
        let label = label.to_ascii_lowercase().replace('_', "-");
        let number = self.numbers.entry(label.clone()).or_default();
        *number += 1;
        let placeholder = format!("[redacted:{label}-{number}]");
        self.placeholders.insert(secret.to_owned(), placeholder.clone());
        for spelling in spellings_of(secret) {
            let placeholder = placeholder.clone();
            self.spellings.entry(spelling).or_insert(Spelling { placeholder, whole_word });
        }
        let mut all: Vec<(&String, &Spelling)> = self.spellings.iter().collect();
        all.sort_by_key(|(text, _)| (std::cmp::Reverse(text.len()), text.as_str()));
        let alternatives: Vec<String> = all
            .into_iter()
            .map(|(text, spelling)| alternative(text, spelling.whole_word))
            .collect();
        self.pattern = Some(
            Regex::new(&alternatives.join("|")).expect("escaped literals are a valid pattern"),
        );
    }
}

/// Whether a header or variable of this name usually holds a secret.
pub fn looks_secret(name: &str) -> bool {
    const MARKS: [&str; 8] =
        ["auth", "key", "token", "secret", "passw", "credential", "cookie", "session"];
    let name = name.to_ascii_lowercase();
    MARKS.iter().any(|mark| name.contains(mark))
}

/// A pattern for one spelling.
fn alternative(text: &str, whole_word: bool) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let edge = |c: Option<char>| if whole_word && is_word(c) { r"\b" } else { "" };
    let (first, last) = (text.chars().next(), text.chars().next_back());
    format!("{}{}{}", edge(first), regex::escape(text), edge(last))
}

/// The ways in which a secret may be spelled on the wire: as it is, percent-encoded in a URL, inside
/// a JSON string (with and without an escaped slash, with non-ASCII characters escaped), and inside
/// JSON that is itself carried in a string, as tool results do.
fn spellings_of(secret: &str) -> Vec<String> {
    let mut spellings = vec![secret.to_owned(), percent_encoded(secret)];
    for level in [vec![secret.to_owned()], spellings_in_string(secret)] {
        for text in &level {
            spellings.extend(spellings_in_string(text));
        }
    }
    spellings
}

/// The text inside a JSON string, in the styles that encoders have.
fn spellings_in_string(text: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(text).to_string();
    let plain = quoted[1..quoted.len() - 1].to_owned();
    let mut ascii = String::new();
    for unit in plain.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() => ascii.push(char::from(byte)),
            _ => ascii.push_str(&format!("\\u{unit:04x}")),
        }
    }
    let slashed = [&plain, &ascii].map(|text| text.replace('/', "\\/"));
    [plain, ascii].into_iter().chain(slashed).collect()
}

fn percent_encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
        out
    })
}

/// Position of the quote that closes a JSON string whose opening quote was just passed.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_secret_gets_the_same_placeholder_in_every_spelling() {
        let mut redactor = Redactor::new();
        redactor.add_header("Authorization", "Bearer pa\"ss/é");
        redactor.add_literal("second");
        let inner = serde_json::json!({"token": "pa\"ss/é"}).to_string();
        let json = serde_json::json!({"a": "pa\"ss/é", "text": inner, "n": "second"}).to_string();
        let shown = redactor.json(&json).into_owned();
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(value["a"], "[redacted:authorization-2]");
        assert_eq!(value["text"], r#"{"token":"[redacted:authorization-2]"}"#);
        assert_eq!(value["n"], "[redacted:literal-1]");
        assert_eq!(redactor.text("x?t=pa%22ss%2F%C3%A9"), "x?t=[redacted:authorization-2]");
        assert_eq!(redactor.text(r#"pa\"ss\/\u00e9"#), "[redacted:authorization-2]");
        assert_eq!(redactor.text("Bearer pa\"ss/é"), "[redacted:authorization-1]");
    }

    #[test]
    fn settings_are_not_cut_out_of_names() {
        let mut redactor = Redactor::new();
        redactor.add_env("OWNER", "github");
        redactor.add_env("MODE", "text");
        redactor.add_env("PORT", "8080");
        redactor.add_env("API_KEY", "abcdef");
        let json =
            r#"{"type":"text","name":"github_get_issue","of":"github","n":8080,"k":"xabcdefx"}"#;
        let shown = redactor.json(json).into_owned();
        let expected = r#"{"type":"text","name":"github_get_issue","of":"[redacted:owner-1]","n":8080,"k":"x[redacted:api-key-1]x"}"#;
        assert_eq!(shown, expected);
    }

    #[test]
    fn numbers_that_are_secrets_become_strings() {
        let mut redactor = Redactor::new();
        redactor.add_literal("4111111111111111");
        let shown = redactor.json(r#"{"card": 4111111111111111, "id":[4111111111111111,1]}"#);
        let mark = "\"[redacted:literal-1]\"";
        assert_eq!(shown, format!(r#"{{"card": {mark}, "id":[{mark},1]}}"#));
    }

    #[test]
    fn urls_lose_what_is_secret_in_them() {
        let mut redactor = Redactor::new();
        let shown = redactor.url("https://me:hunter22@example.com/mcp?api_key=abc123&v=1");
        assert_eq!(shown, "https://example.com/mcp?api_key=[redacted]&v=[redacted]");
        assert_eq!(redactor.text("hunter22 abc123"), "[redacted:url-1] [redacted:api-key-1]");
    }

    #[test]
    fn headers_are_allow_listed() {
        let mut redactor = Redactor::new();
        let shown = |redactor: &mut Redactor, name: &str, value: &str| {
            redactor.header(name, value).map(|(name, value)| format!("{name}: {value}"))
        };
        assert_eq!(
            shown(&mut redactor, "Content-Type", "application/json").as_deref(),
            Some("content-type: application/json")
        );
        assert_eq!(
            shown(&mut redactor, "X-Api-Key", "k3y").as_deref(),
            Some("x-api-key: [redacted:x-api-key-1]")
        );
        assert_eq!(
            shown(&mut redactor, "Set-Cookie", "a=b").as_deref(),
            Some("set-cookie: [redacted:set-cookie-1]")
        );
        assert_eq!(shown(&mut redactor, "X-Request-Id", "42"), None);
        for n in 0..MOST_LEARNT + 10 {
            let value = format!("{n}-{}", "x".repeat(if n % 2 == 0 { 20_000 } else { 20 }));
            let shown = shown(&mut redactor, "Set-Cookie", &value).expect("recorded");
            assert!(shown.starts_with("set-cookie: [redacted:set-cookie"), "{shown}");
        }
        assert!(redactor.placeholders.len() <= MOST_LEARNT);
    }
}
