//! What the run has learnt about values that mean something to the target.
//!
//! Made-up arguments are refused by most servers for reasons that say nothing about them. So
//! values that the server itself showed come first: in examples of its descriptions, in results
//! that it gave, in arguments that worked before.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::contract::Tool;

/// Values kept under one name.
const KEPT: usize = 24;
/// Rows of an array that are looked at.
const ROWS: usize = 40;
/// How deep results are looked into.
const DEPTH: usize = 8;

/// Values by name, and arguments that worked by tool.
#[derive(Debug, Default)]
pub(super) struct Memory {
    seen: HashMap<String, Vec<Value>>,
    used: HashMap<String, Vec<Value>>,
    examples: BTreeMap<String, Vec<Map<String, Value>>>,
    proven: HashMap<String, Vec<Proven>>,
    keys: u64,
}

/// Arguments that succeeded, and how much came back.
#[derive(Debug, Clone)]
pub(super) struct Proven {
    /// The arguments.
    pub(super) arguments: Map<String, Value>,
    /// Rows of the largest array in the result; 1 for a result without arrays.
    pub(super) rows: usize,
}

impl Memory {
    /// Starts with the examples of the scenario.
    pub(super) fn new(examples: BTreeMap<String, Vec<Map<String, Value>>>) -> Self {
        let mut memory = Memory { examples, ..Memory::default() };
        let written: Vec<_> = memory.examples.values().flatten().cloned().collect();
        for arguments in written {
            memory.note_used(&arguments);
        }
        memory
    }

    /// Arguments for a tool that somebody who knows it wrote: the scenario, then its description.
    pub(super) fn examples(&self, tool: &Tool) -> Vec<Map<String, Value>> {
        let written = self.examples.get(&tool.name).into_iter().flatten().cloned();
        let in_schema = ["examples", "example"]
            .iter()
            .filter_map(|key| tool.input.get(*key))
            .flat_map(|value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]))
            .filter_map(|value| value.as_object().cloned());
        written.chain(in_schema).chain(objects_in(&tool.description)).collect()
    }

    /// Arguments that succeeded, first success first.
    pub(super) fn proven(&self, tool: &str) -> &[Proven] {
        self.proven.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Whether a tool has succeeded with exactly these arguments.
    pub(super) fn is_proven(&self, tool: &str, arguments: &Map<String, Value>) -> bool {
        self.proven(tool).iter().any(|proven| proven.arguments == *arguments)
    }

    /// A number that no call of the run has had yet.
    pub(super) fn next_key(&mut self) -> u64 {
        self.keys += 1;
        self.keys
    }

    /// Remembers that a call succeeded, and with what.
    pub(super) fn succeeded(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        data: Option<&Value>,
    ) {
        self.note_used(arguments);
        if self.is_proven(tool, arguments) {
            return;
        }
        let rows = data.map_or(1, |data| largest_array(data, DEPTH).unwrap_or(1));
        let known = self.proven.entry(tool.to_owned()).or_default();
        if known.len() < KEPT {
            known.push(Proven { arguments: arguments.clone(), rows });
        }
    }

    /// Remembers the values in a tool result.
    pub(super) fn harvest(&mut self, result: &Value) {
        match result.get("structuredContent") {
            Some(structured) => self.gather("", structured, DEPTH),
            None => {
                let blocks = result.get("content").and_then(Value::as_array);
                for block in blocks.into_iter().flatten().take(4) {
                    let text = block.get("text").and_then(Value::as_str).unwrap_or_default();
                    match serde_json::from_str(text) {
                        Ok(parsed @ (Value::Object(_) | Value::Array(_))) => {
                            self.gather("", &parsed, DEPTH);
                        }
                        _ => self.gather_paths(text),
                    }
                }
            }
        }
    }

    /// Offers values for a property, best first: what worked under this name, what the server
    /// showed under it, what its description quotes.
    pub(super) fn suggest(&self, name: &str, schema: &Value) -> Vec<Value> {
        let key = normal(name);
        let known = |map: &HashMap<String, Vec<Value>>| map.get(&key).cloned().unwrap_or_default();
        let description = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let mut out = known(&self.used);
        out.extend(known(&self.seen));
        out.extend(quoted_examples(description));
        out
    }

    fn note_used(&mut self, arguments: &Map<String, Value>) {
        for (name, value) in arguments {
            keep(&mut self.used, normal(name), value);
        }
    }

    /// Absolute paths are the one thing that prose names unmistakably.
    fn gather_paths(&mut self, text: &str) {
        static PATH: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?m)(?:^|\s)(/[A-Za-z0-9._-][A-Za-z0-9._/-]{0,200})")
                .expect("a fixed pattern")
        });
        for found in PATH.captures_iter(text).take(KEPT) {
            for name in ["path", "directory"] {
                keep(&mut self.seen, name.to_owned(), &Value::from(&found[1]));
            }
        }
    }

    /// `parent` is the name of the array or object that holds the value: the `number` of a row of
    /// `issues` is also an `issue_number`.
    fn gather(&mut self, parent: &str, value: &Value, depth: usize) {
        if depth == 0 {
            return;
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member {
                        Value::Object(_) | Value::Array(_) => self.gather(name, member, depth - 1),
                        Value::Null => {}
                        scalar => {
                            if let Some(text) = scalar.as_str().filter(|text| text.contains('/')) {
                                self.gather_paths(text);
                            }
                            keep(&mut self.seen, normal(name), scalar);
                            if ["id", "name", "number", "key", "slug", "path", "uri", "url"]
                                .contains(&name.as_str())
                            {
                                let owner = parent.strip_suffix('s').unwrap_or(parent);
                                keep(&mut self.seen, normal(&format!("{owner}{name}")), scalar);
                                if name == "id" || name == "name" {
                                    keep(&mut self.seen, normal(owner), scalar);
                                }
                            }
                        }
                    }
                }
            }
            Value::Array(items) => {
                for item in items.iter().take(ROWS) {
                    if item.is_string() || item.is_number() {
                        keep(&mut self.seen, normal(parent), item);
                        let owner = parent.strip_suffix('s').unwrap_or(parent);
                        keep(&mut self.seen, normal(owner), item);
                    } else {
                        self.gather(parent, item, depth - 1);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Length of the largest array anywhere in a value.
fn largest_array(value: &Value, depth: usize) -> Option<usize> {
    match value {
        Value::Array(items) => Some(items.len()),
        Value::Object(members) if depth > 0 => {
            members.values().filter_map(|member| largest_array(member, depth - 1)).max()
        }
        _ => None,
    }
}

fn keep(map: &mut HashMap<String, Vec<Value>>, name: String, value: &Value) {
    let short = value.as_str().is_none_or(|text| !text.is_empty() && text.len() <= 512);
    if name.is_empty() || !short {
        return;
    }
    let known = map.entry(name).or_default();
    if known.len() < KEPT && !known.contains(value) {
        known.push(value.clone());
    }
}

/// `issueNumber`, `issue_number` and `issue-number` are one name.
fn normal(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// JSON objects in a text, such as the example call of a description.
fn objects_in(text: &str) -> Vec<Map<String, Value>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        rest = &rest[start..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match stream.next() {
            Some(Ok(Value::Object(object))) if !rest[..stream.byte_offset()].contains(['…']) => {
                let end = stream.byte_offset();
                out.push(object);
                rest = &rest[end..];
            }
            _ => rest = &rest[1..],
        }
        if out.len() == 4 {
            break;
        }
    }
    out
}

/// Values that a description gives as examples: `e.g. "acme"`, `(e.g., Europe/Paris)`.
fn quoted_examples(description: &str) -> Vec<Value> {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)(?:e\.g\.|examples?|such as|for instance)[^"'`]{0,24}["'`]([^"'`\n]{1,120})["'`]"#)
            .expect("a fixed pattern")
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)(?:e\.g\.|example:),?\s+([^\s,;()"'`]{1,120})"#).expect("a fixed pattern")
    });
    let mut out = Vec::new();
    for pattern in [&*QUOTED, &*BARE] {
        for found in pattern.captures_iter(description).take(4) {
            let text = found[1].trim_end_matches('.');
            if let Ok(value) = serde_json::from_str::<Value>(text) {
                out.push(value);
            }
            out.push(Value::String(text.to_owned()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_give_values_under_the_names_that_parameters_use() {
        let mut memory = Memory::default();
        memory.harvest(&json!({"structuredContent": {
            "issues": [{"number": 7, "labels": ["bug"], "author": {"id": 3}}]
        }}));
        let nothing = json!({});
        assert_eq!(memory.suggest("issue_number", &nothing), [json!(7)]);
        assert_eq!(memory.suggest("label", &nothing), [json!("bug")]);
        assert_eq!(memory.suggest("author_id", &nothing), [json!(3)]);
    }

    #[test]
    fn text_results_are_read_when_they_are_json() {
        let mut memory = Memory::default();
        let text = r#"[{"id": "p-1"}]"#;
        memory.harvest(&json!({"content": [{"type": "text", "text": text}]}));
        assert_eq!(memory.suggest("id", &json!({})), [json!("p-1")]);
    }

    #[test]
    fn paths_in_prose_are_read() {
        let mut memory = Memory::default();
        let text = "Allowed directories:\n/srv/files and 1/2";
        memory.harvest(&json!({"content": [{"type": "text", "text": text}]}));
        assert_eq!(memory.suggest("path", &json!({})), [json!("/srv/files")]);
    }

    #[test]
    fn descriptions_give_their_examples() {
        let schema =
            json!({"description": "IANA name (e.g., 'America/New_York', 'Europe/London')."});
        assert_eq!(Memory::default().suggest("timezone", &schema)[0], json!("America/New_York"));
        let objects = objects_in("Example: {\"a\": 1} and not {b} nor {\"c\": \"…\"}.");
        assert_eq!(objects.len(), 1);
    }
}
