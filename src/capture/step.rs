//! Which flow and case an event belongs to.

use serde::{Deserialize, Serialize};

/// A sequence of requests with a purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Discovery: discover or handshake, all pages of all lists, resources, the summary.
    ColdStart,
    /// Calls that the contract says must fail.
    ForcedError,
    /// A failing call, its repair carried out, and the corrected call.
    Repair,
    /// A call with a defaulted parameter omitted, then given explicitly.
    Defaults,
    /// A call at the brief and at the full level of detail.
    Detail,
    /// Every page of a paged tool.
    Pages,
    /// A call repeated, with the state read in between.
    Idempotency,
    /// State read before and after a call of a read-only tool.
    ReadOnly,
    /// Successful calls of read-only tools.
    Calls,
    /// JSON-RPC and lifecycle probes: unknown method, unknown tool, a broken cursor, garbage.
    Protocol,
}

/// What an event is within its case. The judge checks it against the bytes before using it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The call that the case is about.
    Call,
    /// The same call again, unchanged: a control for what varies by itself.
    Control,
    /// `defaults`: the parameter is left out.
    Omitted,
    /// `defaults`: the parameter is given its published default.
    Explicit,
    /// `defaults`: the parameter is given another legal value.
    Other,
    /// `detail`: the brief level.
    Brief,
    /// `detail`: the full level.
    Full,
    /// `pages`: one page of the walk.
    Page,
    /// State read before the call.
    Before,
    /// State read after the call.
    After,
    /// `idempotency`: the same call repeated.
    Repeat,
    /// State read after the repeat.
    AfterRepeat,
    /// `repair`: the repair carried out to the letter.
    Repair,
    /// `repair`: the original call with the correction.
    Retry,
    /// Anything that brings the target into the state that the case needs, or back.
    Setup,
}

/// The place of an event in the plan of the run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    /// The flow.
    pub flow: Flow,
    /// The case within the flow, unique in it; events with the same flow and case belong together.
    pub case: String,
    /// What the event is within the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

impl Step {
    /// A step of a case that needs no role.
    pub fn new(flow: Flow, case: impl Into<String>) -> Self {
        Step { flow, case: case.into(), role: None }
    }

    /// The same case in another role.
    pub fn role(&self, role: Role) -> Self {
        Step { flow: self.flow, case: self.case.clone(), role: Some(role) }
    }
}
