//! A9: every tool publishes an output schema and keeps it (rules `3.output-schema`,
//! `3.structured-default`, `3.content-types`, `3.advertised-fields`).

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::carrier::is_unflagged;
use super::compare::{are_same, succeeded};
use super::prose::pattern;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{CallView, Exchange};
use crate::schema::walk;
use crate::score::Finding;

/// The checks of this family that look further than their subject.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("some-output-schema-published", some_output_schema_published),
    ("output-schema-published", output_schema_published),
    ("promised-fields-present", promised_fields_present),
];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("structured-content-conforms", structured_content_conforms),
    ("text-copies-structured-content", text_copies_structured_content),
    ("structured-content-is-object", structured_content_is_object),
    ("text-adds-no-data", text_adds_no_data),
    ("no-base64-in-text", no_base64_in_text),
];

/// Longest base64 that a text may hold (rule `3.content-types`).
const MOST_BASE64: usize = 4096;

/// Edition 2026-07-29: at least one tool publishes an output schema.
fn some_output_schema_published(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let tools = &view.contract.tools;
    if tools.iter().any(|tool| tool.output.is_some()) {
        return Look::Fine;
    }
    Look::Faulty(vec![finding(
        subject,
        "/tools",
        format!("none of {} tools publishes an outputSchema", tools.len()),
        "at least one outputSchema",
    )])
}

/// A tool publishes an output schema, or its description says why it has nothing to parse and no
/// result of it contradicts that.
fn output_schema_published(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    if tool.output.is_some() {
        return Look::Fine;
    }
    let parseable = view
        .contract
        .calls_of(&tool.name)
        .filter(|exchange| succeeded(exchange))
        .find_map(|exchange| Some((exchange, parseable(exchange)?)));
    if let Some((exchange, what)) = parseable {
        return Look::Faulty(vec![Finding {
            seq: [subject.seq.clone(), exchange.seqs()].concat(),
            pointer: "/result".into(),
            ..finding(
                subject,
                "/outputSchema",
                format!("{} publishes no outputSchema, and its result is {what}", tool.name),
                "an outputSchema on the tool",
            )
        }]);
    }
    if says_nothing_to_parse(&tool.description) {
        return Look::Inapplicable(
            "the description says that the result is nothing to parse".into(),
        );
    }
    Look::Faulty(vec![finding(
        subject,
        "/outputSchema",
        format!("{} publishes no outputSchema", tool.name),
        "an outputSchema on the tool",
    )])
}

/// What of a successful result a caller would parse, in words.
fn parseable(exchange: &Exchange) -> Option<&'static str> {
    let result = exchange.result()?;
    if result.get("structuredContent").is_some() {
        return Some("structured content");
    }
    let texts =
        result.get("content")?.as_array()?.iter().filter_map(|block| block.get("text")?.as_str());
    texts.into_iter().find_map(|text| {
        let parsed = serde_json::from_str::<Value>(text).ok()?;
        (parsed.is_object() || parsed.is_array()).then_some("JSON in a text block")
    })
}

/// Whether a description says that the result is prose or media for people.
fn says_nothing_to_parse(description: &str) -> bool {
    static NOTE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(no|without( an?)?) (output ?schema|structured (output|content|result))|\b(returns?|result is|output is) (only |just |plain |free-form |human-readable )*(text|prose|markdown|an? image|images?|audio|a screenshot)\b[^.]*\b(only|no structured|not structured|nothing to parse|for (people|humans|display))",
        )
    });
    NOTE.is_match(description)
}

/// A success of a tool with an output schema has structured content that is valid against it.
fn structured_content_conforms(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let Some(schema) = call.tool.and_then(|tool| tool.output.as_ref()) else {
        return Look::Skip("the tool publishes no output schema".into());
    };
    let Some(structured) = call.structured() else {
        let linked = call
            .result()
            .and_then(|result| result.get("content")?.as_array())
            .is_some_and(|blocks| {
                !blocks.is_empty()
                    && blocks
                        .iter()
                        .all(|block| block.get("type").is_some_and(|kind| kind == "resource_link"))
            });
        if linked {
            return Look::Skip("the result is a link to a resource".into());
        }
        if is_unflagged(view, call) {
            return Look::Skip("a failure without the flag: failures-are-flagged".into());
        }
        return Look::Faulty(vec![finding(
            subject,
            "/structuredContent",
            format!(
                "{} publishes an outputSchema and answers without structuredContent",
                call.name
            ),
            "structuredContent that conforms to the output schema",
        )]);
    };
    let validator = match view.contract.validator(schema) {
        Ok(validator) => validator,
        Err(fault) => return Look::Skip(format!("the output schema cannot be compiled: {fault}")),
    };
    let findings = validator.violations(structured).into_iter().take(5).map(|broken| {
        finding(
            subject,
            &format!("/structuredContent{}", broken.pointer),
            format!("{} breaks its output schema: {}", call.name, broken.message),
            format!("what {} of the output schema asks", broken.schema_pointer),
        )
    });
    Look::of(findings.collect())
}

/// The text beside structured content is a JSON copy of it (or of a part).
fn text_copies_structured_content(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let Some(structured) = call.structured() else {
        return Look::Skip("the result has no structured content".into());
    };
    let texts: Vec<&str> =
        blocks(call).iter().filter_map(|block| block.get("text")?.as_str()).collect();
    if texts.is_empty() {
        return Look::Skip("the result has no text block".into());
    }
    if texts.iter().any(|text| copies(text, structured)) {
        return Look::Fine;
    }
    if let Look::Faulty(_) = text_adds_no_data(view, subject) {
        return Look::Skip("the text holds other data: text-adds-no-data".into());
    }
    Look::Faulty(vec![Finding {
        actual: texts[0].chars().take(200).collect::<String>().into(),
        ..finding(
            subject,
            "/content",
            format!("no text block of {} is a JSON copy of its structured content", call.name),
            "the same data as JSON in a text block",
        )
    }])
}

/// The content blocks of a result.
fn blocks<'a>(call: &CallView<'a>) -> &'a [Value] {
    let content = call.result().and_then(|result| result.get("content")?.as_array());
    content.map(Vec::as_slice).unwrap_or_default()
}

/// Whether a text is JSON that equals the structured content, or a part of it. A library that
/// wraps a bare value into an object writes the bare value as text.
fn copies(text: &str, structured: &Value) -> bool {
    let wrapped = match structured.as_object() {
        Some(members) if members.len() == 1 => members.values().next(),
        _ => None,
    };
    // A bare string that is JSON itself stays the string that it is.
    if wrapped.is_some_and(|inner| inner.as_str() == Some(text)) {
        return true;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(parsed) => {
            is_part(&parsed, structured)
                || wrapped.is_some_and(|inner| {
                    is_part(&parsed, inner)
                        || inner
                            .as_array()
                            .is_some_and(|rows| rows.iter().any(|row| is_part(&parsed, row)))
                })
        }
        Err(_) => false,
    }
}

fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(few), Value::Object(many)) => few
            .iter()
            .all(|(name, value)| many.get(name).is_some_and(|other| is_part(value, other))),
        _ => are_same(part, whole),
    }
}

/// Structured content is an object, and not one string that holds the data.
fn structured_content_is_object(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let Some(structured) = call.structured() else {
        return Look::Skip("the result has no structured content".into());
    };
    let wrong = |message: &str| {
        Look::Faulty(vec![finding(
            subject,
            "/structuredContent",
            format!("{}: {message}", call.name),
            "an object whose members hold the data",
        )])
    };
    let Some(members) = structured.as_object() else {
        return wrong("structured content is no object");
    };
    let only = match members.values().next() {
        Some(Value::String(text)) if members.len() == 1 => text,
        _ => return Look::Fine,
    };
    static MARKUP: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^#{1,6} |^\|.*\|"));
    let is_json = serde_json::from_str::<Value>(only).is_ok_and(|v| v.is_object() || v.is_array());
    if is_json {
        return wrong("the only member of the structured content is a string of JSON");
    }
    if only.len() > 200 && MARKUP.is_match(only) {
        return wrong("the only member of the structured content is a rendered text");
    }
    Look::Fine
}

/// A JSON text block holds no member that the structured content lacks.
fn text_adds_no_data(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let Some(structured) = call.structured().filter(|value| value.is_object()) else {
        return Look::Skip("the result has no structured object".into());
    };
    let blocks = blocks(call);
    let known = OnceCell::new();
    let known = || {
        known.get_or_init(|| {
            let mut paths = BTreeSet::new();
            key_paths(structured, "", &mut paths);
            paths
        })
    };
    let mut judged = false;
    for (index, block) in blocks.iter().enumerate() {
        let parsed = block
            .get("text")
            .and_then(Value::as_str)
            .and_then(|text| serde_json::from_str::<Value>(text).ok());
        let Some(parsed) = parsed.filter(Value::is_object) else { continue };
        judged = true;
        if parsed == *structured {
            continue; // The usual case: a copy, which adds nothing.
        }
        let known = known();
        let mut paths = BTreeSet::new();
        key_paths(&parsed, "", &mut paths);
        // One wrapping member is a library's doing, not data of its own.
        let below_wrapper = |path: &str| {
            structured.as_object().is_some_and(|members| {
                members.len() == 1
                    && members.keys().any(|name| {
                        known.contains(&format!("/{name}{path}"))
                            || known.contains(&format!("/{name}/*{path}"))
                    })
            })
        };
        let extra = paths.iter().find(|path| !known.contains(*path) && !below_wrapper(path));
        if let Some(extra) = extra {
            return Look::Faulty(vec![Finding {
                actual: Value::from(extra.as_str()),
                ..finding(
                    subject,
                    &format!("/content/{index}/text"),
                    format!(
                        "the text of {} holds {extra}, which its structured content lacks",
                        call.name
                    ),
                    "every value that a caller branches on in structuredContent",
                )
            }]);
        }
    }
    match judged {
        true => Look::Fine,
        false => Look::Skip("no text block is a JSON object".into()),
    }
}

/// Paths of the members of a value, with `*` for array items.
fn key_paths(value: &Value, at: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let path = format!("{at}/{name}");
                key_paths(inner, &path, found);
                found.insert(path);
            }
        }
        Value::Array(items) => {
            items.iter().for_each(|item| key_paths(item, &format!("{at}/*"), found))
        }
        _ => {}
    }
}

/// No text and no structured string holds a large piece of base64.
fn no_base64_in_text(_: &View<'_>, subject: &Subject<'_>) -> Look {
    static BASE64: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9+/]{256,}={0,2}"));
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let blocks = blocks(call);
    let texts = blocks.iter().enumerate().filter_map(|(index, block)| {
        Some((format!("/content/{index}/text"), block.get("text")?.as_str()?))
    });
    let mut strings: Vec<(String, &str)> = texts.collect();
    if let Some(structured) = call.structured() {
        collect_strings(structured, "/structuredContent", &mut strings);
    }
    // A long word of one letter is no binary, and binary mixes cases and digits.
    let is_binary = |text: &str| {
        let has = |test: fn(&char) -> bool| text.chars().any(|c| test(&c));
        has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase) && has(char::is_ascii_digit)
    };
    let hit = strings.into_iter().find_map(|(pointer, text)| {
        if text.len() <= MOST_BASE64 {
            return None;
        }
        let longest =
            BASE64.find_iter(text).map(|found| found.as_str()).max_by_key(|found| found.len())?;
        (longest.len() > MOST_BASE64 && is_binary(longest)).then_some((pointer, longest.len()))
    });
    match hit {
        None => Look::Fine,
        Some((pointer, length)) => Look::Faulty(vec![Finding {
            actual: Value::from(length),
            ..finding(
                subject,
                &pointer,
                format!("{} carries {length} characters of base64 as text", call.name),
                "an image, audio or resource block for media",
            )
        }]),
    }
}

fn collect_strings<'a>(value: &'a Value, at: &str, found: &mut Vec<(String, &'a str)>) {
    match value {
        Value::String(text) => found.push((at.to_owned(), text)),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| collect_strings(item, &format!("{at}/{index}"), found)),
        Value::Object(members) => members
            .iter()
            .for_each(|(name, inner)| collect_strings(inner, &format!("{at}/{name}"), found)),
        _ => {}
    }
}

/// A field that the output schema describes as always present is there, required or not.
fn promised_fields_present(view: &View<'_>, subject: &Subject<'_>) -> Look {
    static ALWAYS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\balways (present|returned|included|set|there)\b|\bpresent on every\b|\bon every (result|response|success)\b",
        )
    });
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let Some(output) = tool.output.as_deref() else {
        return Look::Skip("the tool publishes no output schema".into());
    };
    let promised: Vec<String> = walk(output)
        .into_iter()
        .filter(|place| {
            let text = place.schema.get("description").and_then(Value::as_str).unwrap_or_default();
            ALWAYS.is_match(text)
                && place.path.matches('/').count() == 1
                && !place.path.contains('*')
        })
        .map(|place| place.path)
        .collect();
    if promised.is_empty() {
        return Look::Inapplicable("no field is described as always present".into());
    }
    let mut seen = false;
    for exchange in view.contract.calls_of(&tool.name).filter(|exchange| succeeded(exchange)) {
        let Some(structured) = exchange.result().and_then(|result| result.get("structuredContent"))
        else {
            continue;
        };
        seen = true;
        if let Some(missing) = promised.iter().find(|path| structured.pointer(path).is_none()) {
            return Look::Faulty(vec![Finding {
                severity: None,
                subject: tool.name.clone(),
                message: format!(
                    "{} leaves out {missing}, which it describes as always present",
                    tool.name
                ),
                seq: exchange.seqs(),
                pointer: format!("/result/structuredContent{missing}"),
                actual: Value::Null,
                expected: "the field on every success".into(),
            }]);
        }
    }
    match seen {
        true => Look::Fine,
        false => Look::Skip("no success of the tool was seen".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_copy_may_be_whole_a_part_or_the_wrapped_value() {
        let structured = json!({ "a": 1, "b": { "c": 2, "d": 3 } });
        assert!(copies(r#"{"b":{"d":3,"c":2},"a":1.0}"#, &structured));
        assert!(copies(r#"{"b":{"c":2}}"#, &structured));
        assert!(!copies(r#"{"a":2}"#, &structured));
        assert!(!copies("a is 1", &structured));
        assert!(copies("[1,2]", &json!({ "result": [1, 2] })));
        assert!(copies("done", &json!({ "result": "done" })));
        assert!(!copies("done", &json!({ "result": "other" })));
    }

    #[test]
    fn only_a_plain_note_excuses_a_missing_schema() {
        assert!(says_nothing_to_parse("Returns an image only; nothing to parse."));
        assert!(says_nothing_to_parse("Text for people, no output schema."));
        assert!(!says_nothing_to_parse("Returns text of the page."));
    }
}
