//! The verdict: a type, never a boolean.

use serde::{Deserialize, Serialize};

/// What is said of an assertion or of a check. In JSON the tag `verdict` holds the name in
/// snake case and `reason` what goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "reason", rename_all = "snake_case")]
pub enum Verdict {
    /// Looked at, and nothing wrong.
    Pass,
    /// At least one finding stands behind it.
    Fail,
    /// The session never carried a subject for it.
    NotObserved(String),
    /// The contract does not have this surface.
    NotApplicable(String),
    /// Something needed was missing: permission, a judge, a second capture.
    NotRun(String),
    /// Only a person or a model can honestly decide; this is the question.
    NeedsJudge(String),
    /// The capture is truncated or the target died.
    Undecided(String),
}

impl Verdict {
    /// The name as in the JSON tag.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail => "fail",
            Verdict::NotObserved(_) => "not_observed",
            Verdict::NotApplicable(_) => "not_applicable",
            Verdict::NotRun(_) => "not_run",
            Verdict::NeedsJudge(_) => "needs_judge",
            Verdict::Undecided(_) => "undecided",
        }
    }

    /// The reason, cause or question, when there is one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Verdict::Pass | Verdict::Fail => None,
            Verdict::NotObserved(reason)
            | Verdict::NotApplicable(reason)
            | Verdict::NotRun(reason)
            | Verdict::NeedsJudge(reason)
            | Verdict::Undecided(reason) => Some(reason),
        }
    }
}
