//! The repair of arguments that break the input schema: the caller's own call with the smallest change.
//!
//! A value is derived only where the schema or the other arguments say how: the nearest member of an enumeration, the
//! default, a bound, another spelling of the same value, or leaving out what has a meaning when omitted. A mutating
//! call is never sent with less than the caller wanted to write. Where nothing can be derived there is no repair, except
//! that an issue number, or what an issue holds, can be looked up.

use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::validate::Arguments;
use crate::domain::Repair;

/// Longest text that a repair shortens to its bound; longer ones hold content that must not be cut silently.
const LONGEST_CUT: u64 = 256;
/// Least similarity (0 to 1) at which a misspelt name counts as the one that was meant.
const ALIKE: f64 = 0.5;

/// Arguments whose present value `github_get_issue` shows.
const FIELDS_OF_AN_ISSUE: &[&str] = &[
    "title",
    "state",
    "state_reason",
    "assignees",
    "labels",
    "add_labels",
    "remove_labels",
    "expected_version",
    "locked",
    "lock_reason",
];

/// One parameter that breaks the schema.
#[derive(Debug)]
pub struct Violation {
    /// Name of the parameter as the caller spelt it.
    pub field: String,
    /// What is wrong, without the value.
    pub reason: String,
    /// The accepted values, where they are a list.
    pub allowed: Vec<String>,
    kind: Kind,
}

#[derive(Debug, PartialEq)]
enum Kind {
    Value,
    Missing,
    Unknown,
}

impl Violation {
    /// A parameter whose value is refused.
    pub fn new(field: &str, reason: String) -> Self {
        Self { field: field.to_owned(), reason, allowed: Vec::new(), kind: Kind::Value }
    }

    /// The same for a required parameter that is absent.
    pub fn missing(self) -> Self {
        Self { kind: Kind::Missing, ..self }
    }

    /// The same for a parameter that does not exist.
    pub fn unknown(self) -> Self {
        Self { kind: Kind::Unknown, ..self }
    }

    /// The same with the values that are accepted.
    pub fn allowing(self, allowed: Vec<String>) -> Self {
        Self { allowed, ..self }
    }

    /// The name, safe to repeat: a caller chooses the names of unknown parameters.
    pub fn shown_field(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '?' };
        self.field.chars().take(64).map(plain).collect()
    }
}

/// The repair of `sent` against the tool's schema, if every violation can be mended.
pub fn repair(
    arguments: &Arguments,
    sent: &Map<String, Value>,
    violations: &[Violation],
) -> Option<Repair> {
    let schema = arguments.schema();
    let mut mended = sent.clone();
    let mut lost = Vec::new();
    for violation in violations {
        let field = violation.field.as_str();
        if violation.kind == Kind::Unknown {
            mended.shift_remove(field);
            continue;
        }
        let property = &schema["properties"][field];
        let value = match violation.kind {
            Kind::Missing => misspelt(property, field, sent, violations),
            _ => sent.get(field).and_then(|value| mend(property, field, value)),
        };
        let required = schema["required"]
            .as_array()
            .is_some_and(|names| names.iter().any(|name| name == field));
        match value.or_else(|| implied(field, sent)).or_else(|| property.get("default").cloned()) {
            Some(value) => {
                mended.insert(field.to_owned(), value);
            }
            None if !required && (!arguments.mutates() || says_nothing(sent.get(field))) => {
                mended.shift_remove(field);
            }
            None => lost.push(field),
        }
    }
    if lost.is_empty() {
        return arguments.accept(&mended).then_some(Repair {
            next_step: "correct_and_retry",
            tool: arguments.tool(),
            arguments: mended,
            alternative: None,
        });
    }
    let all_refused = violations
        .iter()
        .filter(|violation| lost.contains(&violation.field.as_str()))
        .all(|violation| violation.kind == Kind::Value);
    look_up(arguments, &mended, &lost).or_else(|| all_refused.then(|| look_at_contract(&lost)))
}

/// An issue number is found by listing the repository; what an edit should set, by reading what is there.
fn look_up(arguments: &Arguments, mended: &Map<String, Value>, lost: &[&str]) -> Option<Repair> {
    let (next_step, tool, names, extra) = match lost {
        ["issue_number"] => (
            "find_issue_then_retry",
            "github_find_issues",
            &["owner", "repo"][..],
            ("state", json!("all")),
        ),
        _ if arguments.mutates() && lost.iter().all(|field| FIELDS_OF_AN_ISSUE.contains(field)) => {
            let names = &["owner", "repo", "issue_number"][..];
            ("read_issue_then_retry", "github_get_issue", names, ("include_comments", json!(false)))
        }
        _ => return None,
    };
    let mut known = Map::new();
    for name in names {
        known.insert((*name).to_owned(), mended.get(*name)?.clone());
    }
    known.insert(extra.0.to_owned(), extra.1);
    let alternative =
        Some(format!("Then send the call again with a valid {}.", lost.join(" and ")));
    Some(Repair { next_step, tool, arguments: known, alternative })
}

/// What a caller wants to write cannot be derived from a value of the wrong type; the contract says
/// what is accepted instead.
fn look_at_contract(lost: &[&str]) -> Repair {
    Repair {
        next_step: "read_contract_then_retry",
        tool: "github_get_capabilities",
        arguments: Map::new(),
        alternative: Some(format!("Then send the call again with a valid {}.", lost.join(" and "))),
    }
}

/// A value that holds nothing that could be lost.
fn says_nothing(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        _ => false,
    }
}

/// The value of an unknown parameter whose name is close to that of a missing one.
fn misspelt(
    property: &Value,
    field: &str,
    sent: &Map<String, Value>,
    violations: &[Violation],
) -> Option<Value> {
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    violations
        .iter()
        .filter(|violation| violation.kind == Kind::Unknown)
        .map(|violation| {
            (
                strsim::normalized_damerau_levenshtein(&plain(field), &plain(&violation.field)),
                violation,
            )
        })
        .filter(|(likeness, violation)| {
            *likeness >= ALIKE || plain(field).contains(&plain(&violation.field))
        })
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .and_then(|(_, violation)| mend(property, field, &sent[&violation.field]))
}

/// What the other arguments say about this one.
fn implied(field: &str, sent: &Map<String, Value>) -> Option<Value> {
    let text = |name: &str| sent.get(name).and_then(Value::as_str);
    match field {
        "repo" => text("owner")?
            .split_once('/')
            .and_then(|(_, repo)| cleaned("repo", repo))
            .map(Value::from),
        "locked" => text("lock_reason").map(|_| true.into()),
        "state" => match text("state_reason")? {
            "completed" | "not_planned" => Some("closed".into()),
            "reopened" => Some("open".into()),
            _ => None,
        },
        _ => None,
    }
}

/// The value meant by `value` in the spelling that the property takes, if that is plain.
fn mend(property: &Value, field: &str, value: &Value) -> Option<Value> {
    match property["type"].as_str()? {
        "string" => text(value).and_then(|text| mend_text(property, field, &text)).map(Value::from),
        "integer" => {
            let number = match value {
                Value::String(digits) => digits.trim().trim_start_matches('#').parse().ok(),
                other => other.as_i64(),
            }?;
            (number >= property["minimum"].as_i64().unwrap_or(i64::MIN)).then(|| number.into())
        }
        "boolean" => match text(value)?.to_lowercase().as_str() {
            "true" | "1" => Some(true.into()),
            "false" | "0" => Some(false.into()),
            _ => None,
        },
        "array" => {
            let items = match value {
                Value::Array(items) => items.clone(),
                Value::String(encoded) => {
                    serde_json::from_str(encoded).unwrap_or_else(|_| vec![value.clone()])
                }
                other => vec![other.clone()],
            };
            let items: Vec<String> = items.iter().filter_map(text).collect();
            let least =
                usize::try_from(property["minItems"].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
            (items.len() >= least.max(1)).then(|| items.into())
        }
        _ => None,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn mend_text(property: &Value, field: &str, text: &str) -> Option<String> {
    if let Some(members) = property["enum"].as_array() {
        return nearest(members, text);
    }
    if property["format"] == "date-time" {
        return instant(text);
    }
    if property.get("pattern").is_some() {
        return cleaned(field, text);
    }
    let length = text.chars().count() as u64;
    match property["maxLength"].as_u64() {
        Some(most) if length > most && most <= LONGEST_CUT => {
            Some(text.chars().take(usize::try_from(most).ok()?).collect())
        }
        Some(most) if length > most => None,
        _ if length < property["minLength"].as_u64().unwrap_or(0) => None,
        _ => Some(text.to_owned()),
    }
}

fn nearest(members: &[Value], text: &str) -> Option<String> {
    let wanted = text.to_lowercase();
    members
        .iter()
        .filter_map(Value::as_str)
        .map(|member| (strsim::normalized_damerau_levenshtein(member, &wanted), member))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, member)| member.to_owned())
}

/// A date, or an instant without offset, read as UTC.
fn instant(text: &str) -> Option<String> {
    let text = text.trim().replace(' ', "T");
    [format!("{text}T00:00:00Z"), format!("{text}Z"), text]
        .into_iter()
        .find(|candidate| OffsetDateTime::parse(candidate, &Rfc3339).is_ok())
}

/// The part of an owner or repository name that its pattern takes; of a slug, the half that was asked for.
fn cleaned(field: &str, text: &str) -> Option<String> {
    let halves = text.trim().split_once('/');
    let kept: String = match field {
        "owner" => halves
            .map_or(text, |(owner, _)| owner)
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect(),
        "repo" => halves
            .map_or(text, |(_, repo)| repo)
            .chars()
            .filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
            .collect(),
        _ => return None,
    };
    let kept = if field == "owner" { kept.trim_matches('-').to_owned() } else { kept };
    (!kept.is_empty()).then_some(kept)
}
