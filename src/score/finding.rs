//! What one check saw wrong with one subject.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How much a finding matters, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// An agent is misled or harmed.
    Critical,
    /// An agent fails at a task that it should do.
    Major,
    /// An agent loses time.
    Minor,
    /// Taste with a reason.
    Nit,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(match self {
            Severity::Critical => "critical",
            Severity::Major => "major",
            Severity::Minor => "minor",
            Severity::Nit => "nit",
        })
    }
}

/// A finding with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// How much it matters: what was demonstrated may weigh more or less than the check does. The
    /// check's own severity unless the check derived one.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// The subject: a tool, a case, an exchange.
    pub subject: String,
    /// What is wrong, with names and figures.
    pub message: String,
    /// Event sequence numbers in the capture, at least one.
    pub seq: Vec<u64>,
    /// JSON pointer into the message of the last of these events.
    pub pointer: String,
    /// The value found there (null when it is absent), cut when it is long.
    pub actual: Value,
    /// What would satisfy the check.
    pub expected: String,
}

/// A finding of a scorecard: kept once, however often the same was seen of the same subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptFinding {
    /// The finding, with the evidence of the first time.
    #[serde(flatten)]
    pub finding: Finding,
    /// How often it was seen again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub again: u32,
}

impl std::ops::Deref for KeptFinding {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        &self.finding
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
