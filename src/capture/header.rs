//! What the first and the last event of a capture say about the whole run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Flow;

/// Format major: a reader refuses a newer one.
pub const FORMAT_MAJOR: u32 = 1;
/// Format minor: a reader accepts a newer one.
pub const FORMAT_MINOR: u32 = 0;

/// Version of a file format of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatVersion {
    /// Incompatible changes.
    pub major: u32,
    /// Compatible additions.
    pub minor: u32,
}

/// The `hallmark` member of the first event: everything about the run that judging needs and the
/// wire does not show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Capture format.
    pub capture: FormatVersion,
    /// Version of hallmark that recorded it.
    pub version: String,
    /// What was driven.
    pub target: TargetFacts,
    /// The revision asked for: a date, or `auto`.
    pub revision: String,
    /// The scenario, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<ScenarioFacts>,
    /// The sets that the run is to be scored by.
    pub sets: Vec<SetFacts>,
    /// What the run was allowed to do.
    pub permissions: Permissions,
    /// RFC 3339 instant of the start, UTC.
    pub started: String,
    /// Seed of everything generated.
    pub seed: u64,
}

/// What was driven, with no secret in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// `reference`, `stdio` or `http`.
    pub kind: String,
    /// Contract name, command line or URL (redacted).
    pub name: String,
}

/// The scenario as far as judging needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioFacts {
    /// Scenario id.
    pub id: String,
    /// `sha256:` and hex, over the bytes of the file.
    pub digest: String,
    /// The scenario's `params` and `budgets` (under the key `budgets`).
    #[serde(default)]
    pub params: Map<String, Value>,
    /// What the written cases expect, by case name.
    #[serde(default)]
    pub cases: BTreeMap<String, ExpectedCase>,
}

/// What a written case expects.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExpectedCase {
    /// Symbolic error code of the call; absent when success is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Number of repair hops that must be carried out; absent when no repair is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair_hops: Option<u32>,
    /// Whether the call after the repair must succeed.
    #[serde(default)]
    pub retry_succeeds: bool,
}

/// A set by id, edition and digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetFacts {
    /// Set id, such as `agent-facing`.
    pub id: String,
    /// Edition, a date.
    pub edition: String,
    /// `sha256:` and hex, over the set file and every assertion file that it names.
    pub digest: String,
}

/// What the run was allowed to do to the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permissions {
    /// Schema-valid calls of tools that may mutate.
    pub mutations: bool,
}

/// The `end` member of the last event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Why the run ended.
    pub cause: EndCause,
    /// In words, when the cause is not `complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Figures over the whole capture.
    pub counts: Counts,
    /// What was not sent, and what would allow it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// Last bytes of the target's standard error, redacted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// The plan was carried out.
    Complete,
    /// The target could not be kept alive.
    TargetDied,
    /// The run was interrupted by the user.
    Interrupted,
    /// A limit on time, bytes or messages ended it.
    Limit,
}

/// Figures over a whole capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Requests sent.
    pub requests: u64,
    /// Events in the capture, the last one included.
    pub events: u64,
    /// Bytes received from the target.
    pub bytes_received: u64,
}

/// Something that was not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withheld {
    /// What of the run it belongs to.
    #[serde(default)]
    pub kind: WithheldKind,
    /// What, in words: flow, case or tool.
    pub what: String,
    /// The flag or thing that would allow it.
    pub needs: String,
}

/// What of a run a withheld thing belongs to: by that the judge tells "not run" from "not seen".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithheldKind {
    /// Calls that may change the state of the target, which nobody permitted.
    Mutation,
    /// Cases of a flow, for want of time, requests or answers.
    Flow(Flow),
    /// A written case.
    Case,
    /// The rest of a native list.
    List,
    /// Anything else, and what captures of an earlier version say no kind of.
    #[default]
    Other,
}
