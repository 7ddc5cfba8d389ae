//! What a check sees and says.

use serde_json::{Map, Value};

use super::{Controls, Naming, Survey};
use crate::assertion::Subject;
use crate::contract::Contract;
use crate::score::{Cost, Finding};

/// What a check may look at beside its subject.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The contract.
    pub contract: &'a Contract,
    /// The check's own parameters from the assertion file (`with:`).
    pub with: &'a Map<String, Value>,
    /// What discovery costs an agent, counted by the engine before it judges.
    pub cost: &'a Cost,
    /// What several checks ask of the whole contract, worked out once.
    pub survey: &'a Survey,
}

impl<'a> View<'a> {
    /// The names of all tools, taken apart.
    pub fn naming(&self) -> &'a Naming {
        self.survey.naming(self.contract)
    }

    /// What changes by itself between two reads.
    pub fn controls(&self) -> &'a Controls {
        self.survey.controls(self.contract)
    }
}

/// What a check says of one subject.
#[derive(Debug, Clone, PartialEq)]
pub enum Look {
    /// Looked at, nothing wrong.
    Fine,
    /// Looked at, these findings.
    Faulty(Vec<Finding>),
    /// Not a subject after all, or the evidence is missing: why. Never counts as looked at.
    Skip(String),
    /// The surface is not there: why. Like `Skip`, but it says "not applicable".
    Inapplicable(String),
    /// The check itself went wrong over the subject: how. Then it passes nothing.
    GaveUp(String),
    /// Only a judge can say: the question, with the facts.
    Ask(String),
}

impl Look {
    /// `Fine` without findings, else `Faulty`.
    pub fn of(findings: Vec<Finding>) -> Look {
        if findings.is_empty() { Look::Fine } else { Look::Faulty(findings) }
    }
}

/// A built-in check.
pub type Builtin = for<'a> fn(&View<'a>, &Subject<'a>) -> Look;

/// How far a check looks beyond its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// What it says depends on the values of its subject alone: on the session, on the request and
    /// on the answer, and on what holds for the whole contract (tools, schemas, scenario). Of
    /// subjects with equal values it is asked once. It must not compare with other messages, and
    /// must look at no sequence number, time, step or HTTP head, except to cite it in a finding.
    Values,
    /// It looks at anything in the capture.
    Capture,
}

/// Makes a finding about a subject at a JSON pointer below the subject's own, with the value found
/// there (null when absent).
pub fn finding(
    subject: &Subject<'_>,
    below: &str,
    message: impl Into<String>,
    expected: impl Into<String>,
) -> Finding {
    Finding {
        severity: None,
        subject: subject.name.clone(),
        message: message.into(),
        seq: subject.seq.clone(),
        pointer: format!("{}{below}", subject.pointer),
        actual: subject.value.pointer(below).cloned().unwrap_or(Value::Null),
        expected: expected.into(),
    }
}
