//! The file models: one assertion a file, one edition of a set a file (DESIGN section 6).
//!
//! Owns what may be written. What it means (does the rule exist, does the program compile) is the
//! catalog's.

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::Each;
use crate::score::Severity;

/// `assertions/ID.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssertionFile {
    /// Id; the file's stem.
    pub id: Spanned<String>,
    /// The statement, in one line.
    pub title: String,
    /// What an agent loses when it does not hold.
    pub why: String,
    /// Wire lines that keep it.
    pub example_ok: String,
    /// Wire lines that break it.
    pub example_bad: String,
    /// Every version that a set has ever named, oldest first.
    pub versions: Vec<VersionFile>,
    /// Faults that prove that the checks can fail.
    #[serde(default)]
    pub mutants: Vec<MutantFile>,
}

/// One version of an assertion.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionFile {
    /// Number, from 1.
    pub version: Spanned<u32>,
    /// The checks that make it up.
    pub checks: Vec<CheckFile>,
}

/// One check.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckFile {
    /// Id in kebab case, unique over all files.
    pub id: Spanned<String>,
    /// Rule id of the registry.
    pub rule: Spanned<String>,
    /// Severity of its findings.
    pub severity: Severity,
    /// Whether it can fail its assertion.
    #[serde(default = "yes")]
    pub required: bool,
    /// Whether its assertion cannot pass while it has no subject.
    #[serde(default)]
    pub essential: bool,
    /// The first revision that it binds.
    #[serde(default)]
    pub since: Option<Spanned<String>>,
    /// Its subjects.
    pub each: Each,
    /// How it looks at one.
    #[serde(rename = "use")]
    pub how: How,
    /// The program, with `use: jq`.
    #[serde(default)]
    pub jq: Option<Spanned<String>>,
    /// The schema, with `use: schema`.
    #[serde(default)]
    pub schema: Option<Spanned<Value>>,
    /// Place and pattern, with `use: regex`.
    #[serde(default)]
    pub regex: Option<RegexFile>,
    /// Parameters for a built-in or a program.
    #[serde(default)]
    pub with: Map<String, Value>,
    /// What a finding says, unless the check says it itself. `{name}`, `{actual}`, `{expected}`.
    pub message: String,
    /// What would satisfy the check.
    pub expected: String,
    /// What the evidence line says of a pass. `{n}` is the number of subjects looked at.
    pub pass: String,
}

/// How a check looks at a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// The built-in function of the same id.
    Builtin,
    /// A jq program.
    Jq,
    /// A JSON Schema.
    Schema,
    /// A regular expression.
    Regex,
}

/// Where to look and what must match there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegexFile {
    /// JSON pointer below the subject's value.
    #[serde(default)]
    pub at: String,
    /// The expression.
    #[serde(rename = "match")]
    pub pattern: Spanned<String>,
}

/// A fault that breaks one promise on the wire.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutantFile {
    /// Id in kebab case, unique over all files.
    pub id: Spanned<String>,
    /// Checks of this file that must turn to `fail`.
    pub kills: Vec<Spanned<String>>,
    /// What it does, in words.
    pub note: String,
    /// Which frames, as in a fault rule.
    pub on: Value,
    /// The change: a jq program over the message.
    #[serde(default)]
    pub jq: Option<Spanned<String>>,
    /// The change: hold the frame back.
    #[serde(default)]
    pub delay: Option<Value>,
    /// The change: swallow the frame.
    #[serde(default)]
    pub drop: Option<Value>,
    /// The change: send the frame twice.
    #[serde(default)]
    pub duplicate: Option<Value>,
    /// The change: let the next frame overtake.
    #[serde(default)]
    pub reorder: Option<Value>,
    /// The change: cut the frame short.
    #[serde(default)]
    pub truncate: Option<Value>,
    /// The change: text that is no message before the frame.
    #[serde(default)]
    pub garbage: Option<Value>,
    /// The change: another HTTP status.
    #[serde(default)]
    pub status: Option<Value>,
    /// The change: close the connection.
    #[serde(default)]
    pub close: Option<Value>,
    /// The change: another frame in its place.
    #[serde(default)]
    pub replace: Option<Value>,
}

/// `assertions/sets/ID@EDITION.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetFile {
    /// Set id.
    pub id: Spanned<String>,
    /// Edition, a date.
    pub edition: Spanned<String>,
    /// In one line.
    pub title: String,
    /// The assertions, in the order of reports.
    pub assertions: Vec<MemberFile>,
}

/// One assertion of a set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberFile {
    /// Assertion id.
    pub id: Spanned<String>,
    /// Its version.
    pub version: u32,
}

impl MutantFile {
    /// The match and the change as one fault rule.
    pub fn into_rule(self) -> Value {
        let changes = [
            ("jq", self.jq.map(|jq| Value::String(jq.value))),
            ("delay", self.delay),
            ("drop", self.drop),
            ("duplicate", self.duplicate),
            ("reorder", self.reorder),
            ("truncate", self.truncate),
            ("garbage", self.garbage),
            ("status", self.status),
            ("close", self.close),
            ("replace", self.replace),
        ];
        let mut rule = Map::from_iter([("on".to_owned(), self.on)]);
        for (name, change) in changes {
            if let Some(change) = change {
                rule.insert(name.to_owned(), change);
            }
        }
        Value::Object(rule)
    }
}

fn yes() -> bool {
    true
}
