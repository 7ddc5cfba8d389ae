//! The file models: one assertion a file, one edition of a set a file.
//!
//! Owns what may be written. What it means (does the rule exist, does the program compile) is the
//! catalog's.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::Each;
use crate::fault::{Match, Rule};
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
    /// Why no fault on the wire can turn it to `fail`, when none can.
    #[serde(default)]
    pub without_mutant: Option<String>,
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

/// A fault that breaks one promise on the wire: a fault rule that says which checks it kills. The
/// match and the simple changes are the fault rule's own; they are handed on as they are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutantFile {
    /// Id in kebab case, unique over all files.
    pub id: Spanned<String>,
    /// Checks of this file that must turn to `fail`.
    pub kills: Vec<Spanned<String>>,
    /// What it does, in words.
    pub note: String,
    /// The fixture that gives the server what the mutant breaks.
    #[serde(default)]
    pub fixture: Option<Spanned<String>>,
    /// The first revision in which it is a fault.
    #[serde(default)]
    pub since: Option<Spanned<String>>,
    /// The mutant that turns the same checks to `fail`, and why both are kept.
    #[serde(default)]
    pub twin: Option<TwinFile>,
    /// Which frames.
    pub on: Spanned<Match>,
    /// See [`Rule::jq`].
    #[serde(default)]
    pub jq: Option<Spanned<String>>,
    /// See [`Rule::delay`].
    #[serde(default)]
    pub delay: Option<u64>,
    /// See [`Rule::drop`].
    #[serde(default)]
    pub drop: bool,
    /// See [`Rule::duplicate`].
    #[serde(default)]
    pub duplicate: bool,
    /// See [`Rule::reorder`].
    #[serde(default)]
    pub reorder: bool,
    /// See [`Rule::truncate`].
    #[serde(default)]
    pub truncate: Option<usize>,
    /// See [`Rule::garbage`].
    #[serde(default)]
    pub garbage: Option<String>,
    /// See [`Rule::status`].
    #[serde(default)]
    pub status: Option<u16>,
    /// See [`Rule::headers`].
    #[serde(default)]
    pub headers: Option<BTreeMap<String, Option<String>>>,
    /// See [`Rule::close`].
    #[serde(default)]
    pub close: bool,
    /// See [`Rule::replace`].
    #[serde(default)]
    pub replace: Option<Value>,
}

/// A mutant that is told apart from another by what it does, not by what it kills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwinFile {
    /// The other mutant.
    pub of: String,
    /// Why both are kept.
    pub why: String,
}

/// `assertions/fixtures/ID.yaml`: fault rules that give a server a surface that it does not have, in
/// good order, so that mutants can break it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixtureFile {
    /// Id; the file's stem.
    pub id: Spanned<String>,
    /// What it adds, in one line.
    pub title: String,
    /// The rules, in the order in which they are applied.
    pub rules: Vec<FixtureRuleFile>,
}

/// One rule of a fixture: a program on the frames that it matches.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FixtureRuleFile {
    /// Which frames.
    pub on: Match,
    /// See [`Rule::jq`].
    pub jq: Spanned<String>,
}

impl MutantFile {
    /// The fault rule.
    pub fn into_rule(self) -> Rule {
        Rule {
            id: Some(self.id.value),
            kills: self.kills.into_iter().map(|kill| kill.value).collect(),
            note: Some(self.note),
            on: self.on.value,
            jq: self.jq.map(|jq| jq.value),
            delay: self.delay,
            drop: self.drop,
            duplicate: self.duplicate,
            reorder: self.reorder,
            truncate: self.truncate,
            garbage: self.garbage,
            status: self.status,
            headers: self.headers,
            close: self.close,
            replace: self.replace,
        }
    }
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

fn yes() -> bool {
    true
}
