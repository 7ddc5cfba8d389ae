//! The secrets of a run, and text without them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memchr2_iter;

use super::arguments::{Given, given};
use super::escapes::escapes;
use super::matcher::{Found, Matcher, Secret};
use super::names::{
    SHORTEST_SECRET, can_be_secret, is_credential, is_open_header, is_secret_header, is_well_known,
    looks_secret,
};

/// A number with fewer characters than this is never taken for a secret: ports and ids are not.
const SHORTEST_NUMBER: usize = 8;

/// Longest header value, in bytes, that is looked for elsewhere.
const LONGEST_LEARNT: usize = 4096;
/// With so many secrets known, headers add no more.
pub(super) const MOST_LEARNT: usize = 200;

/// Knows the secrets of a run and replaces them. The same secret always gets the same placeholder,
/// such as `[redacted:authorization-1]`, so that two captures of one target can be compared.
#[derive(Debug, Default)]
pub struct Redactor {
    secrets: Vec<Secret>,
    /// Position of a secret, by its text.
    positions: HashMap<String, usize>,
    /// How many secrets carry a label.
    numbers: BTreeMap<String, u32>,
    /// Built when it is first needed after a secret was added.
    matcher: OnceLock<Matcher>,
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
    /// than four characters or words of the protocol are left alone; unless the name or the value
    /// looks like that of a secret, only whole words are replaced.
    pub fn add_env(&mut self, name: &str, value: &str) {
        if can_be_secret(value) {
            self.add(name, value, !looks_secret(name) && !is_credential(value));
        }
        if value.contains("://") {
            self.add_url(value);
        }
    }

    /// Adds the value of a header that the user sets; of `Bearer TOKEN` the token alone as well,
    /// and of `Basic ...` the password.
    pub fn add_header(&mut self, name: &str, value: &str) {
        self.add(name, value, false);
        let Some((scheme, token)) = value.trim().split_once(' ') else { return };
        let token = token.trim();
        if token.len() < SHORTEST_SECRET {
            return;
        }
        self.add(name, token, false);
        let pair = STANDARD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        if let Some(pair) = pair.filter(|_| scheme.eq_ignore_ascii_case("basic")) {
            self.add(name, &pair, false);
            let password = pair.split_once(':').map_or("", |(_, password)| password);
            if password.len() >= SHORTEST_SECRET {
                self.add(name, password, false);
            }
        }
    }

    /// Adds the secrets in a URL: user name, password, every query value, and parts of the path
    /// that look like credentials. A user name beside a password is replaced as a whole word.
    pub fn add_url(&mut self, url: &str) {
        let Ok(parsed) = reqwest::Url::parse(url) else { return };
        let password = parsed.password();
        let user = (parsed.username(), password.is_some());
        for (secret, is_setting) in [Some(user), password.map(|p| (p, false))].into_iter().flatten()
        {
            if secret.len() >= SHORTEST_SECRET {
                self.add("url", secret, is_setting);
            }
        }
        for (name, value) in parsed.query_pairs() {
            self.add_env(&name, &value);
        }
        for part in parsed.path().split('/').filter(|part| is_well_known(part)) {
            self.add("url", part, false);
        }
    }

    /// Adds the secrets among the words of a command: values of options, assignments and headers
    /// whose name looks secret, credentials of well-known services, and what URLs hold.
    pub fn add_arguments(&mut self, words: &[String]) {
        for given in given(words) {
            match given {
                Given::Option { name, value, is_setting } => self.add(&name, &value, is_setting),
                Given::Header { name, value } => self.add_header(&name, &value),
                Given::Url(url) => self.add_url(&url),
            }
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
        if is_open_header(&name) {
            let value = self.text(value).into_owned();
            return Some((name, value));
        }
        is_secret_header(&name).then(|| {
            // A target that invents ever new or endless secrets is not remembered word for word.
            let known = self.positions.contains_key(value.trim());
            let is_too_much = value.len() > LONGEST_LEARNT || self.secrets.len() >= MOST_LEARNT;
            if is_too_much && !known {
                let value = format!("[redacted:{name}]");
                return (name, value);
            }
            self.add(&name, value, false);
            let position = self.positions.get(value.trim());
            let value =
                position.map_or_else(String::new, |at| self.secrets[*at].placeholder.clone());
            (name, value)
        })
    }

    /// Text with every secret replaced, however it is spelled.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.matcher() {
            Some(matcher) if matcher.suspects(text.as_bytes()) => {
                self.replaced(text, &matcher.find(text.as_bytes()))
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// As [`Redactor::text`], for text that may have been cut at either end: a piece of a secret
    /// there is replaced as well.
    pub fn cut_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.matcher() {
            Some(matcher) => self.replaced(text, &matcher.find_cut(text.as_bytes())),
            None => Cow::Borrowed(text),
        }
    }

    /// JSON text with every secret inside strings replaced, and every number that is a secret
    /// turned into a string. What was valid JSON stays valid JSON.
    pub fn json<'a>(&self, json: &'a str) -> Cow<'a, str> {
        match self.matcher() {
            Some(matcher) if matcher.suspects(json.as_bytes()) => {
                Cow::Owned(self.json_tokens(json, matcher))
            }
            _ => Cow::Borrowed(json),
        }
    }

    fn json_tokens(&self, json: &str, matcher: &Matcher) -> String {
        let mut out = String::with_capacity(json.len());
        let mut rest = json;
        while let Some(quote) = rest.find('"') {
            self.push_outside(&rest[..quote], &mut out);
            let inside = &rest[quote + 1..];
            let end = end_of_string(inside);
            out.push('"');
            out.push_str(&self.json_string(&inside[..end], matcher));
            out.push('"');
            rest = inside.get(end + 1..).unwrap_or("");
        }
        self.push_outside(rest, &mut out);
        out
    }

    /// What stands between two quotes; a placeholder never leaves half an escape behind.
    fn json_string<'a>(&self, inside: &'a str, matcher: &Matcher) -> Cow<'a, str> {
        if !matcher.suspects(inside.as_bytes()) {
            return Cow::Borrowed(inside);
        }
        let mut found = matcher.find(inside.as_bytes());
        let backslashes =
            escapes(inside.as_bytes()).filter(|(at, _)| inside.as_bytes()[*at] == b'\\');
        for (at, escape) in backslashes {
            let inner = at + 1..at + escape.width;
            for found in &mut found {
                found.start = if inner.contains(&found.start) { at } else { found.start };
                found.end = if inner.contains(&found.end) { inner.end } else { found.end };
            }
        }
        self.replaced(inside, &found)
    }

    fn push_outside(&self, text: &str, out: &mut String) {
        let is_edge = |c: char| matches!(c, ',' | ':' | '[' | ']' | '{' | '}') || c.is_whitespace();
        for piece in text.split_inclusive(is_edge) {
            let token = piece.trim_end_matches(is_edge);
            match self.positions.get(token) {
                Some(at) if token.len() >= SHORTEST_NUMBER => {
                    out.push('"');
                    out.push_str(&self.secrets[*at].placeholder);
                    out.push('"');
                    out.push_str(&piece[token.len()..]);
                }
                _ => out.push_str(piece),
            }
        }
    }

    fn replaced<'a>(&self, text: &'a str, found: &[Found]) -> Cow<'a, str> {
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for found in found {
            // Pieces that were widened to whole escapes may meet.
            if found.start >= at {
                out.push_str(&text[at..found.start]);
                out.push_str(&self.secrets[found.secret].placeholder);
            }
            at = at.max(found.end);
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.secrets.len()
    }

    fn matcher(&self) -> Option<&Matcher> {
        if self.secrets.is_empty() {
            return None;
        }
        Some(self.matcher.get_or_init(|| Matcher::new(&self.secrets)))
    }

    fn add(&mut self, label: &str, secret: &str, is_setting: bool) {
        let secret = secret.trim();
        if secret.is_empty() {
            return;
        }
        if let Some(at) = self.positions.get(secret) {
            // What is a secret in one place is none the less for being a setting in another.
            if self.secrets[*at].is_setting && !is_setting {
                self.secrets[*at].is_setting = false;
                self.matcher = OnceLock::new();
            }
            return;
        }
        let label = label.to_ascii_lowercase().replace('_', "-");
        let number = self.numbers.entry(label.clone()).or_default();
        *number += 1;
        let placeholder = format!("[redacted:{label}-{number}]");
        self.positions.insert(secret.to_owned(), self.secrets.len());
        self.secrets.push(Secret { text: secret.to_owned(), placeholder, is_setting });
        self.matcher = OnceLock::new();
    }
}

/// Position of the quote that closes a JSON string whose opening quote was just passed.
fn end_of_string(text: &str) -> usize {
    let mut free = 0;
    for at in memchr2_iter(b'"', b'\\', text.as_bytes()) {
        match text.as_bytes()[at] {
            _ if at < free => {}
            b'\\' => free = at + 2,
            _ => return at,
        }
    }
    text.len()
}
