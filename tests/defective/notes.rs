//! The notes server: a few hundred lines without an SDK, in good order but for its defect.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::process::exit;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::contract::{INSTRUCTIONS, PAGE, summary, tools};
use super::defects::{Defect, every};

/// Where the defect is named.
const NAMED: &str = "NOTES_DEFECT";
/// Revisions that it speaks, newest last.
const REVISIONS: &[&str] = &["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// One thing that the server writes or does.
#[derive(Debug, Clone)]
pub enum Out {
    /// A message.
    Message(Value),
    /// A line as it is.
    Line(String),
    /// Wait.
    Pause(Duration),
    /// End the process.
    Exit(i32),
}

/// The state.
pub struct Notes {
    pub notes: Vec<(String, String)>,
    keys: Vec<(String, usize)>,
    /// Messages read so far, this one included.
    pub read: u64,
    /// Lists of tools asked for so far.
    pub lists: u64,
    failures: u64,
    defect: Option<&'static Defect>,
}

/// Serves standard input on file descriptor 3 until the input ends.
pub fn serve() {
    let Ok(named) = std::env::var(NAMED) else { return };
    let defect = every().find(|defect| defect.id == named);
    assert!(defect.is_some() || named == "none", "no defect is named {named}");
    let mut out = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    let notes = (1..=23).map(|n| (format!("Note {n}"), format!("Text of note {n}.")));
    let mut server =
        Notes { notes: notes.collect(), keys: Vec::new(), read: 0, lists: 0, failures: 0, defect };
    write(&mut out, server.defect.map_or_else(Vec::new, |defect| (defect.at_start)()));
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { exit(0) };
        if line.trim().is_empty() {
            continue;
        }
        server.read += 1;
        let outs = server.answer(&line);
        write(&mut out, outs);
    }
    exit(0);
}

fn write(out: &mut File, outs: Vec<Out>) {
    for item in outs {
        let line = match item {
            Out::Message(message) => message.to_string(),
            Out::Line(line) => line,
            Out::Pause(pause) => {
                std::thread::sleep(pause);
                continue;
            }
            Out::Exit(code) => exit(code),
        };
        if out.write_all(format!("{line}\n").as_bytes()).is_err() {
            exit(0);
        }
    }
}

impl Notes {
    fn answer(&mut self, line: &str) -> Vec<Out> {
        let Ok(request) = serde_json::from_str::<Value>(line) else {
            let answer = error(&Value::Null, -32700, "Parse error");
            return self.spoilt(&Value::Null, Some(answer));
        };
        if request.get("method").is_none()
            && (request.get("result").is_some() || request.get("error").is_some())
        {
            return Vec::new();
        }
        if request["method"].as_str().is_none() || request["jsonrpc"] != "2.0" {
            let answer = error(&request["id"], -32600, "Invalid request");
            return self.spoilt(&request, Some(answer));
        }
        if let Some(outs) = self.defect.and_then(|defect| (defect.before)(self, &request)) {
            return outs;
        }
        let answer = request.get("id").map(|id| self.result_of(id, &request));
        self.spoilt(&request, answer)
    }

    /// What is written for an answer, after the defect had its way with it.
    fn spoilt(&mut self, request: &Value, answer: Option<Value>) -> Vec<Out> {
        match (self.defect, answer) {
            (Some(defect), Some(answer)) => (defect.after)(self, request, answer),
            (_, answer) => answer.into_iter().map(Out::Message).collect(),
        }
    }

    fn result_of(&mut self, id: &Value, request: &Value) -> Value {
        let params = &request["params"];
        self.lists += u64::from(request["method"] == "tools/list");
        let result = match request["method"].as_str().unwrap() {
            "initialize" => initialize(params),
            "ping" => json!({}),
            "tools/list" if params.get("cursor").is_some() => {
                return error(id, -32602, "Unknown cursor");
            }
            "tools/list" => json!({ "tools": tools() }),
            "tools/call" => match self.call(params) {
                Some(result) => result,
                None => return error(id, -32602, "Unknown tool, or malformed params"),
            },
            method => return error(id, -32601, &format!("Method not found: {method}")),
        };
        json!({ "jsonrpc": "2.0", "id": id, "result": result })
    }

    /// The result of a call; nothing for what is no call of a tool of ours.
    fn call(&mut self, params: &Value) -> Option<Value> {
        let name = params.get("name")?.as_str()?;
        let tools = tools();
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == *name)?;
        let none = Map::new();
        let arguments = match params.get("arguments") {
            None => &none,
            Some(arguments) => arguments.as_object()?,
        };
        if let Some((field, reason)) = broken(&tool["inputSchema"], arguments) {
            return Some(self.invalid(name, &field, &reason, arguments, tool));
        }
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        Some(match name {
            "notes_find_notes" => self.find(text("word"), text("cursor")),
            "notes_get_note" => self.get(arguments["note_id"].as_u64().unwrap()),
            "notes_create_note" => {
                self.create(text("title").unwrap(), text("text").unwrap(), text("idempotency_key"))
            }
            _ => success(&summary()),
        })
    }

    fn find(&mut self, word: Option<&str>, cursor: Option<&str>) -> Value {
        let word = word.unwrap_or("").to_lowercase();
        let page = cursor.map_or(0, |cursor| cursor["page-".len()..].parse().unwrap_or(usize::MAX));
        let found: Vec<Value> = self
            .notes
            .iter()
            .enumerate()
            .filter(|(_, (title, _))| title.to_lowercase().contains(&word))
            .map(|(index, (title, _))| json!({ "note_id": index + 1, "title": title }))
            .collect();
        let start = page.saturating_mul(PAGE);
        if start > 0 && start >= found.len() {
            let mut arguments = json!({});
            if !word.is_empty() {
                arguments["word"] = json!(word);
            }
            return self.failure(
                "invalid_field",
                "The cursor is none that this search gave out.",
                &json!({ "field": "cursor", "reason": "It names no page." }),
                &json!({ "next_step": "restart_without_cursor", "tool": "notes_find_notes", "arguments": arguments }),
            );
        }
        let end = (start + PAGE).min(found.len());
        let mut result = json!({ "notes": found[start..end], "has_more": end < found.len() });
        if end < found.len() {
            result["next_cursor"] = json!(format!("page-{}", page + 1));
        }
        success(&result)
    }

    fn get(&mut self, number: u64) -> Value {
        let index = usize::try_from(number).unwrap_or(usize::MAX) - 1;
        match self.notes.get(index) {
            Some((title, text)) => success(&json!({ "note_id": number, "title": title, "text": text })),
            None => self.failure(
                "note_not_found",
                "There is no note with that number.",
                &json!({ "field": "note_id", "value": number, "reason": "No note has it." }),
                &json!({ "next_step": "find_then_retry", "tool": "notes_find_notes", "arguments": {} }),
            ),
        }
    }

    fn create(&mut self, title: &str, text: &str, key: Option<&str>) -> Value {
        if let Some((_, note)) = self.keys.iter().find(|(known, _)| Some(known.as_str()) == key) {
            return success(&json!({ "note_id": note }));
        }
        self.notes.push((title.to_owned(), text.to_owned()));
        let note = self.notes.len();
        self.keys.extend(key.map(|key| (key.to_owned(), note)));
        success(&json!({ "note_id": note }))
    }

    fn invalid(
        &mut self,
        name: &str,
        field: &str,
        reason: &str,
        arguments: &Map<String, Value>,
        tool: &Value,
    ) -> Value {
        // What is right is kept; what is missing or wrong gets a value that works.
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        let required = tool["inputSchema"]["required"].as_array().unwrap();
        let mut corrected = Map::new();
        for property in properties.keys() {
            let alone = arguments.get(property).map(|value| (property.clone(), value.clone()));
            let alone: Map<String, Value> = alone.into_iter().collect();
            let mut schema = tool["inputSchema"].clone();
            schema["required"] = json!([]);
            if broken(&schema, &alone).is_none() {
                corrected.extend(alone);
            } else if required.iter().any(|needed| needed == property) {
                corrected.remove(property);
            }
            if required.iter().any(|needed| needed == property) && !corrected.contains_key(property)
            {
                let value = if property == "note_id" { json!(1) } else { json!("Milk") };
                corrected.insert(property.clone(), value);
            }
        }
        let mut details = json!({ "field": field, "reason": reason });
        if !properties.contains_key(field) {
            details["allowed"] = json!(properties.keys().collect::<Vec<_>>());
        }
        self.failure(
            "invalid_field",
            "An argument is not as the input schema has it.",
            &details,
            &json!({ "next_step": "correct_and_retry", "tool": name, "arguments": corrected }),
        )
    }

    fn failure(&mut self, code: &str, message: &str, details: &Value, repair: &Value) -> Value {
        self.failures += 1;
        let envelope = json!({
            "code": code, "message": message, "details": details, "temporary": false,
            "retry_after_ms": null, "repair": repair,
            "request_id": format!("req-{}-{}", std::process::id(), self.failures),
        });
        let text = format!(
            "{code}: {message} Field: {}. Next: {} {}",
            details["field"].as_str().unwrap(),
            repair["tool"].as_str().unwrap(),
            repair["arguments"]
        );
        json!({ "content": [{ "type": "text", "text": text }], "structuredContent": envelope, "isError": true })
    }
}

fn initialize(params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let agreed = REVISIONS.iter().find(|known| **known == asked).or(REVISIONS.last()).unwrap();
    json!({
        "protocolVersion": agreed,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "pocket-notes", "title": "Pocket notes", "version": "3.1.0" },
        "instructions": INSTRUCTIONS,
    })
}

/// A success, with its copy as text.
pub fn success(structured: &Value) -> Value {
    json!({
        "content": [{ "type": "text", "text": structured.to_string() }],
        "structuredContent": structured,
        "isError": false,
    })
}

/// A JSON-RPC error.
pub fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The first argument that breaks a flat schema, and why.
fn broken(schema: &Value, arguments: &Map<String, Value>) -> Option<(String, String)> {
    let properties = schema["properties"].as_object().unwrap();
    if let Some(unknown) = arguments.keys().find(|name| !properties.contains_key(*name)) {
        return Some((unknown.clone(), "The tool has no such argument.".to_owned()));
    }
    let required = schema["required"].as_array().unwrap();
    let missing =
        required.iter().filter_map(Value::as_str).find(|name| !arguments.contains_key(*name));
    if let Some(missing) = missing {
        return Some((missing.to_owned(), "It is required.".to_owned()));
    }
    arguments.iter().find_map(|(name, value)| {
        let why = misfit(&properties[name], value)?;
        Some((name.clone(), why))
    })
}

fn misfit(schema: &Value, value: &Value) -> Option<String> {
    let bound = |key: &str| schema[key].as_u64();
    if schema["type"] == "integer" {
        let Some(number) = value.as_f64().filter(|number| number.fract() == 0.0) else {
            return Some("It must be an integer.".to_owned());
        };
        let least = bound("minimum").unwrap_or(0);
        return (number < least as f64).then(|| format!("It must be at least {least}."));
    }
    let Some(text) = value.as_str() else { return Some("It must be a string.".to_owned()) };
    let length = text.chars().count() as u64;
    let (least, most) = (bound("minLength").unwrap_or(0), bound("maxLength").unwrap_or(u64::MAX));
    if length < least || length > most {
        return Some(format!("It must have {least} to {most} characters."));
    }
    let is_page = |text: &str| {
        text.strip_prefix("page-")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    (schema.get("pattern").is_some() && !is_page(text)).then(|| "It must be a cursor.".to_owned())
}
