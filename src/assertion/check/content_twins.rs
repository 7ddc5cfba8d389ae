//! Tools that cannot be told apart (rule `3.descriptions`).
//!
//! Code, because tools are compared with each other after their own names are taken out.

use std::collections::HashMap;

use serde_json::Value;

use super::lexicon::{singular, words};
use super::{Builtin, Look, View};
use crate::assertion::Subject;
use crate::contract::Tool;
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[("descriptions-differ", descriptions_differ)];

/// No two tools have the same description, and none with almost the same name take the same.
fn descriptions_differ(view: &View<'_>, _: &Subject<'_>) -> Look {
    let tools = &view.contract.tools;
    if tools.len() < 2 {
        return Look::Inapplicable("there are no two tools".into());
    }
    let mut first: HashMap<String, &Tool> = HashMap::new();
    let mut named: HashMap<(String, String), &Tool> = HashMap::new();
    let mut findings = Vec::new();
    let mut question = None;
    for tool in tools {
        let told = normal(tool);
        if !told.is_empty() {
            match first.get(told.as_str()) {
                Some(other) if other.name != tool.name => {
                    findings.push(told_as(tool, other));
                    continue;
                }
                Some(_) => continue,
                None => drop(first.insert(told, tool)),
            }
        }
        let alike = (stem(&tool.name), shape(&tool.input));
        match named.get(&alike) {
            Some(other) if other.name != tool.name => {
                question.get_or_insert_with(|| {
                    format!(
                        "{} and {} have almost the same name and take the same arguments: do their descriptions say which one to call? {:?} / {:?}",
                        other.name,
                        tool.name,
                        shortened(&other.description),
                        shortened(&tool.description)
                    )
                });
            }
            Some(_) => {}
            None => drop(named.insert(alike, tool)),
        }
    }
    match question {
        Some(question) if findings.is_empty() => Look::Ask(question),
        _ => Look::of(findings),
    }
}

fn told_as(tool: &Tool, other: &Tool) -> Finding {
    Finding {
        severity: None,
        subject: tool.name.clone(),
        message: format!("{} and {} have the same description", other.name, tool.name),
        seq: vec![other.seq, tool.seq],
        pointer: format!("{}/description", tool.pointer),
        actual: Value::from(shortened(&tool.description)),
        expected: "a description that says when to call this one and not the other".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(160).collect()
}

/// A description in lower case, without the tool's own name, without marks.
fn normal(tool: &Tool) -> String {
    let text = tool.description.to_lowercase().replace(&tool.name.to_lowercase(), " ");
    let said = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    said.collect::<Vec<_>>().join(" ")
}

/// The words of a name in the singular, without articles and version marks.
fn stem(name: &str) -> String {
    let is_mark = |word: &String| {
        ["a", "an", "the", "new"].contains(&word.as_str())
            || word.strip_prefix('v').is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
    };
    let kept = words(name).into_iter().filter(|word| !is_mark(word));
    kept.map(|word| singular(&word)).collect::<Vec<_>>().join(" ")
}

/// What a schema lets in: names and types of its properties, words aside.
fn shape(input: &Value) -> String {
    let mut members: Vec<String> = input
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            format!("{name}:{}{}", schema["type"], schema.get("enum").unwrap_or(&Value::Null))
        })
        .collect();
    members.sort();
    members.join(",")
}
