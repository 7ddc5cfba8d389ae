//! Text that a person does not see and a model reads (rule `3.sec-untrusted-content`).

use serde_json::Value;

use super::{Builtin, Look, View};
use crate::assertion::Subject;
use crate::contract::Contract;
use crate::score::{Finding, Severity};

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] =
    &[("descriptions-without-hidden-text", descriptions_without_hidden_text)];

/// Members of listed records that a host shows to the model.
const SHOWN: &[&str] = &["name", "title", "description", "uri", "uriTemplate"];

/// What a hidden character may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Hidden {
    /// Nothing but be there: zero-width spaces and stray marks.
    Silent,
    /// Carry text of its own, turn text round, or act on a terminal.
    Telling,
}

/// A listed record: its name, the event that showed it, its pointer there, and itself.
type Record<'a> = (&'a str, u64, &'a str, &'a Value);

fn records(contract: &Contract) -> Vec<Record<'_>> {
    let tools = contract.tools.iter().map(|t| (&*t.name, t.seq, &*t.pointer, &*t.record));
    let resources = contract.resources.iter().map(|r| (&*r.uri, r.seq, &*r.pointer, &*r.record));
    let templates =
        contract.templates.iter().map(|t| (&*t.uri_template, t.seq, &*t.pointer, &*t.record));
    let prompts = contract.prompts.iter().map(|p| (&*p.name, p.seq, &*p.pointer, &*p.record));
    tools.chain(resources).chain(templates).chain(prompts).collect()
}

fn descriptions_without_hidden_text(view: &View<'_>, _: &Subject<'_>) -> Look {
    let records = records(view.contract);
    if records.is_empty() {
        return Look::Inapplicable("nothing is listed".into());
    }
    let mut findings = Vec::new();
    for (name, seq, pointer, record) in records {
        texts(record, &mut pointer.to_owned(), &mut |at, text| {
            let found = hidden(text);
            let Some(worst) = found.iter().map(|(_, kind)| *kind).max() else { return };
            let severity = match worst {
                Hidden::Telling => Severity::Major,
                Hidden::Silent => Severity::Minor,
            };
            let mut points: Vec<String> =
                found.iter().map(|(c, _)| format!("U+{:04X}", u32::from(*c))).collect();
            points.sort_unstable();
            points.dedup();
            let member = at.rsplit('/').next().unwrap_or_default();
            findings.push(Finding {
                severity: Some(severity),
                subject: name.to_owned(),
                message: format!(
                    "{name}: a {member} holds {} characters that nobody sees: {}",
                    found.len(),
                    points.join(", ")
                ),
                seq: vec![seq],
                pointer: at.to_owned(),
                actual: points.into(),
                expected: String::new(),
            });
        });
    }
    Look::of(findings)
}

/// Every shown text of a record with its pointer, at any depth: parameters are described too.
fn texts(value: &Value, at: &mut String, see: &mut dyn FnMut(&str, &str)) {
    let mut below = |key: &str, inner: &Value| {
        let length = at.len();
        at.push('/');
        at.push_str(&key.replace('~', "~0").replace('/', "~1"));
        match inner {
            Value::String(text) if SHOWN.contains(&key) => see(at, text),
            _ => texts(inner, at, see),
        }
        at.truncate(length);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(key, inner)| below(key, inner)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, inner)| below(&index.to_string(), inner));
        }
        _ => {}
    }
}

/// The hidden characters of a text. Joiners between letters of scripts that need them, marks beside
/// text that runs from right to left, and the flags of regions are no hiding.
fn hidden(text: &str) -> Vec<(char, Hidden)> {
    if text
        .bytes()
        .all(|byte| byte >= 0x20 && byte != 0x7f || matches!(byte, b'\n' | b'\r' | b'\t'))
        && text.is_ascii()
    {
        return Vec::new();
    }
    let characters: Vec<char> = text.chars().collect();
    let runs_right_to_left = characters.iter().any(|c| ('\u{590}'..='\u{8ff}').contains(c));
    let has_flag = characters.contains(&'\u{1f3f4}');
    let is_plain =
        |at: Option<usize>| at.and_then(|at| characters.get(at)).is_none_or(char::is_ascii);
    let kind = |(at, c): (usize, &char)| {
        let between_plain = is_plain(at.checked_sub(1)) && is_plain(Some(at + 1));
        let kind = match c {
            '\n' | '\r' | '\t' => return None,
            c if c.is_ascii_control() => Hidden::Telling,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Hidden::Telling,
            '\u{e0000}'..='\u{e007f}' if !has_flag => Hidden::Telling,
            '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => Hidden::Silent,
            '\u{200c}' | '\u{200d}' if between_plain => Hidden::Silent,
            '\u{200e}' | '\u{200f}' if !runs_right_to_left => Hidden::Silent,
            _ => return None,
        };
        Some((*c, kind))
    };
    characters.iter().enumerate().filter_map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_told_from_what_writing_needs() {
        let worst = |text: &str| hidden(text).iter().map(|(_, kind)| *kind).max();
        for text in [
            "plain\ntext\t.",
            "größe",
            "👩\u{200d}🚀",
            "می\u{200c}خواهم",
            "שלום\u{200f}!",
            "🏴\u{e0067}\u{e007f}",
        ] {
            assert_eq!(worst(text), None, "{text:?}");
        }
        for text in ["a\u{200b}b", "\u{feff}a", "a\u{200d}b", "a\u{200e}"] {
            assert_eq!(worst(text), Some(Hidden::Silent), "{text:?}");
        }
        for text in ["a\u{1b}[2J", "a\u{202e}b", "a\u{e0049}\u{e0067}"] {
            assert_eq!(worst(text), Some(Hidden::Telling), "{text:?}");
        }
    }

    #[test]
    fn parameters_are_looked_at_too() {
        let record = serde_json::json!({
            "name": "a", "inputSchema": { "properties": { "x/y": { "description": "b" } } },
        });
        let mut seen = Vec::new();
        texts(&record, &mut String::new(), &mut |at, text| seen.push(format!("{at}={text}")));
        assert_eq!(seen, ["/name=a", "/inputSchema/properties/x~1y/description=b"]);
    }
}
