//! Secrets among the arguments of a command.

use serde_json::Value;

use super::names::{can_be_secret, is_open_header, is_secret_header, is_well_known, looks_secret};

/// Last words of option names that say where a secret is or what it is like, not the secret.
const ABOUT: &[&str] = &[
    "algorithm",
    "count",
    "dir",
    "endpoint",
    "env",
    "file",
    "header",
    "length",
    "limit",
    "method",
    "mode",
    "path",
    "prefix",
    "scheme",
    "size",
    "store",
    "timeout",
    "ttl",
    "type",
    "uri",
    "url",
];

/// First words of option names that count something.
const COUNTS: &[&str] = &["max", "min", "num"];

/// Parts of an option name after which even a plain word is a secret; after others, such as `auth`
/// and `credential`, a plain word (`oauth`, `missing`) is a choice.
const CERTAIN: &[&str] = &["token", "secret", "pass", "pwd", "apikey", "api-key", "access-key"];

/// Digits alone are a secret from this length on.
const SHORTEST_NUMBER: usize = 8;

/// What the arguments of a command give away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Given {
    /// The value of an option or an assignment.
    Option { name: String, value: String, is_setting: bool },
    /// A header.
    Header { name: String, value: String },
    /// A URL, which may hold secrets.
    Url(String),
}

/// Looks through the words of a command, and through the words within a word (`sh -c "..."`).
pub(super) fn given(words: &[String]) -> Vec<Given> {
    let mut found = Vec::new();
    look(words, &mut found);
    for word in words {
        if let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(word) {
            look_in_json(&value, &mut found);
        } else if word.contains(char::is_whitespace) {
            let is_edge = |c: char| c.is_whitespace() || "'\"`,;()|<>".contains(c);
            let inner: Vec<String> =
                word.split(is_edge).filter(|w| !w.is_empty()).map(str::to_owned).collect();
            look(&inner, &mut found);
        }
    }
    found
}

fn look(words: &[String], found: &mut Vec<Given>) {
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).map(String::as_str);
        let next = next.filter(|next| !next.starts_with("--"));
        let (name, value) = match word.split_once('=') {
            // The quote after the sign was an edge between words.
            Some((name, "")) => (name, next),
            Some((name, value)) => (name, Some(value)),
            None => (word.as_str(), next),
        };
        let is_option = word.starts_with('-');
        // Of a script, the words are looked at one by one.
        let is_assignment =
            word.contains('=') && (is_option || !word.contains(char::is_whitespace));
        let bare = name.trim_start_matches('-');
        if let Some(value) = value {
            match bare {
                "H" | "header" if is_option => look_in_header(value, true, found),
                _ if is_option || is_assignment => look_in_option(bare, value, found),
                _ if is_scheme(bare) => found.push(Given::Header {
                    name: "authorization".to_owned(),
                    value: format!("{bare} {value}"),
                }),
                _ => {}
            }
        }
        if let Some(value) = word.strip_prefix("-H").filter(|value| !value.is_empty()) {
            look_in_header(value, true, found);
        }
        look_in_header(word, false, found);
        for text in [Some(word.as_str()), value].into_iter().flatten() {
            if text.contains("://") {
                found.push(Given::Url(text.to_owned()));
            } else if is_well_known(text) {
                found.push(option("argument", text, false));
            }
        }
    }
}

/// `Name: value`; `certain` when the option before it says that it is a header.
fn look_in_header(text: &str, certain: bool, found: &mut Vec<Given>) {
    let Some((name, value)) = text.split_once(':') else { return };
    let (lower, value) = (name.trim().to_ascii_lowercase(), value.trim());
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if lower.is_empty() || !lower.chars().all(is_name) || value.starts_with("//") {
        return;
    }
    if is_secret_header(&lower) || (certain && !is_open_header(&lower)) {
        let is_choice = !certain && !can_be_secret(value);
        if !value.is_empty() && !is_variable(value) && !is_choice {
            found.push(Given::Header { name: lower, value: value.to_owned() });
        }
    }
}

fn look_in_option(name: &str, value: &str, found: &mut Vec<Given>) {
    if !names_secret(name) || !can_be_secret(value) || is_variable(value) {
        return;
    }
    let name = name.to_ascii_lowercase().replace('_', "-");
    let is_word = value.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_');
    if is_word && !CERTAIN.iter().any(|mark| name.contains(mark)) {
        return;
    }
    let is_number = value.len() < SHORTEST_NUMBER && value.chars().all(|c| c.is_ascii_digit());
    found.push(option(&name, value, is_word || is_number));
}

fn look_in_json(value: &Value, found: &mut Vec<Given>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| look_in_json(item, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) => look(&[format!("{name}={text}")], found),
                    other => look_in_json(other, found),
                }
            }
        }
        _ => {}
    }
}

fn option(name: &str, value: &str, is_setting: bool) -> Given {
    Given::Option { name: name.to_owned(), value: value.to_owned(), is_setting }
}

fn names_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let (first, last) = (words.clone().next(), words.next_back());
    let one_of = |list: &[&str], word: Option<&str>| word.is_some_and(|word| list.contains(&word));
    looks_secret(&lower)
        && !one_of(COUNTS, first)
        && !one_of(ABOUT, last)
        && last != Some("tokenizer")
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// A variable that a shell or a template fills in.
fn is_variable(value: &str) -> bool {
    value.starts_with(['$', '{'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let mut values: Vec<String> = given(&words)
            .into_iter()
            .map(|given| match given {
                Given::Option { value, .. } | Given::Header { value, .. } | Given::Url(value) => {
                    value
                }
            })
            .collect();
        values.dedup();
        values
    }

    #[test]
    fn secrets_are_found_in_every_place_of_a_command() {
        for (words, secret) in [
            (&["srv", "--api-key=K3y-value"][..], "K3y-value"),
            (&["srv", "--token", "abcDEF9"], "abcDEF9"),
            (&["srv", "--password", "hunter"], "hunter"),
            (&["docker", "run", "-e", "DB_PASS=pa55word", "img"], "pa55word"),
            (&["mcp-remote", "--header", "X-Team: blue-9"], "blue-9"),
            (&["curl", "-HX-Api-Key: blue-9"], "blue-9"),
            (&["srv", "Authorization: Bearer tok-123"], "Bearer tok-123"),
            (&["sh", "-c", "API_TOKEN='tok-123' exec srv"], "tok-123"),
            (&["sh", "-c", "curl -H Bearer tok-123 x"], "Bearer tok-123"),
            (&["srv", "sk-abcdefgh12345678"], "sk-abcdefgh12345678"),
            (&["srv", "{\"env\":{\"apiKey\":\"tok-123\"}}"], "tok-123"),
            (&["srv", "https://u:pw@h/x"], "https://u:pw@h/x"),
        ] {
            assert!(
                values(words).iter().any(|value| value == secret),
                "{words:?}: {:?}",
                values(words)
            );
        }
    }

    #[test]
    fn choices_figures_and_variables_are_no_secrets() {
        for words in [
            &["srv", "--credential", "missing", "--auth=oauth"][..],
            &["srv", "--max-tokens", "4096", "--token-file", "key.txt", "--tokenizer=o200k_base"],
            &["sh", "-c", "export TOKEN=$OTHER; exec srv \"$TOKEN\""],
            &["srv", "--name=value", "--verbose", "--token", "--port", "8080"],
            &["srv", "-H", "Accept: text/html"],
        ] {
            assert_eq!(values(words), Vec::<String>::new(), "{words:?}");
        }
    }
}
