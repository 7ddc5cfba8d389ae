//! The scorecard: all verdicts of one run as versioned JSON.

use serde::{Deserialize, Serialize};

use super::{KeptFinding, Severity, Tally, Verdict};
use crate::capture::{FormatVersion, Withheld};

/// All verdicts of one run. Every report is rendered from it, and nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scorecard {
    /// Who made it.
    pub hallmark: ToolInfo,
    /// What was judged.
    pub target: TargetRef,
    /// The revision spoken, when one was agreed.
    pub revision: Option<String>,
    /// RFC 3339 instant at which the capture was started; absent in foreign captures.
    pub started: Option<String>,
    /// The scenario, when there was one.
    pub scenario: Option<ScenarioRef>,
    /// The first scored set.
    pub set: SetRef,
    /// Its tally.
    pub score: Tally,
    /// Its assertions.
    pub assertions: Vec<AssertionScore>,
    /// The `wire` set, always judged, scored apart.
    pub wire: SetScore,
    /// Further sets that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<SetScore>,
    /// What was reached.
    pub coverage: Coverage,
    /// What it costs an agent.
    pub cost: Cost,
    /// What was not sent, and what would allow it.
    pub withheld: Vec<Withheld>,
    /// Why the run ended early, when it did: `target_died: ...`, `truncated`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
}

/// The tool and the format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// Scorecard format.
    pub scorecard: ScorecardVersion,
    /// Version of hallmark that judged.
    pub version: String,
}

/// The scorecard format that this version writes.
pub const SCORECARD_FORMAT: ScorecardVersion = ScorecardVersion { major: 1, minor: 0 };

/// Version of the scorecard format.
pub type ScorecardVersion = FormatVersion;

/// What was judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetRef {
    /// `reference`, `stdio`, `http` or `capture`.
    pub kind: String,
    /// Contract, command or URL.
    pub name: String,
    /// Who the server says it is.
    pub server: ServerRef,
}

/// Who the server says it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerRef {
    /// Name, when stated.
    pub name: Option<String>,
    /// Version, when stated.
    pub version: Option<String>,
}

/// A scenario by id and digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioRef {
    /// Id.
    pub id: String,
    /// `sha256:` and hex.
    pub digest: String,
}

/// A set by id, edition and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetRef {
    /// Id.
    pub id: String,
    /// Edition, a date.
    pub edition: String,
    /// `sha256:` and hex.
    pub digest: String,
}

/// One set with its tally and assertions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetScore {
    /// Which set.
    pub set: SetRef,
    /// Its tally.
    pub score: Tally,
    /// Its assertions.
    pub assertions: Vec<AssertionScore>,
}

/// One assertion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssertionScore {
    /// Id, such as `A9`.
    pub id: String,
    /// Title.
    pub title: String,
    /// Verdict (members `verdict` and `reason`).
    #[serde(flatten)]
    pub verdict: Verdict,
    /// One line, with figures and sequence numbers.
    pub evidence: String,
    /// Its checks.
    pub checks: Vec<CheckScore>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckScore {
    /// Id.
    pub id: String,
    /// Rule id of the registry.
    pub rule: String,
    /// Severity of its findings.
    pub severity: Severity,
    /// Whether it can fail its assertion.
    pub required: bool,
    /// Verdict (members `verdict` and `reason`).
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Subjects looked at.
    pub subjects: u32,
    /// Subjects passed over, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<(String, u32)>,
    /// Sequence numbers of some of the subjects looked at, as evidence (at most 5).
    pub seq: Vec<u64>,
    /// Findings, in capture order.
    pub findings: Vec<KeptFinding>,
    /// How many further findings are not kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// What was reached.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Tools.
    pub tools: ToolCoverage,
    /// Symbolic error codes.
    pub error_codes: CodeCoverage,
    /// Rules of the registry.
    pub rules: RuleCoverage,
}

/// How many tools were reached.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolCoverage {
    /// Listed.
    pub listed: u32,
    /// Called at least once.
    pub called: u32,
    /// Succeeded at least once.
    pub succeeded: u32,
    /// Answered at least one forced error.
    pub forced_error: u32,
}

/// Symbolic error codes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CodeCoverage {
    /// Named by the server's own documentation, sorted.
    pub documented: Vec<String>,
    /// Seen on the wire, sorted.
    pub observed: Vec<String>,
}

/// Rules of the registry.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RuleCoverage {
    /// With a pass or a fail in this run.
    pub judged: u32,
    /// In the registry.
    pub of: u32,
}

/// What it costs an agent before its first useful call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Bytes of discovery: identity, lists, summary.
    pub discovery_bytes: u64,
    /// The same in tokens.
    pub discovery_tokens: u64,
    /// Tokenizer that counted.
    pub tokenizer: String,
    /// Requests sent in the whole run.
    pub requests: u64,
    /// Microseconds from the first to the last event.
    pub wall_us: u64,
}
