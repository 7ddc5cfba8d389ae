//! A written case: one call, what it must answer, and what follows.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::capture::{ExpectedCase, Flow};

/// A written case.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Name, unique in the scenario.
    pub name: String,
    /// The mode that the target must run in; absent means as started.
    pub mode: Option<String>,
    /// Brings the target into the state that the case needs.
    pub setup: Vec<Action>,
    /// The call or read that the case is about.
    pub request: Request,
    /// The failure that must come back; absent means success.
    pub expect_error: Option<ErrorExpectation>,
    /// The repair to carry out.
    pub repair: Option<RepairPlan>,
    /// Brings the target back.
    pub restore: Vec<Action>,
}

/// What a case or an action sends.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// `tools/call`.
    Call(CallSpec),
    /// `resources/read` of a URI.
    Read(String),
}

/// A tool call. A string argument `${name}` is replaced by the value saved under that name, of
/// whatever type; inside a longer string it is replaced by the value's text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallSpec {
    /// Tool name.
    pub tool: String,
    /// Arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
}

/// A step of `setup` or `restore`: a call or a read, and what to keep of its result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// A tool call.
    #[serde(default)]
    pub call: Option<CallSpec>,
    /// A resource to read.
    #[serde(default)]
    pub read: Option<String>,
    /// Name to JSON pointer into the result.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// The failure that must come back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorExpectation {
    /// Symbolic code.
    pub code: String,
}

/// The repair to carry out after the failure.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairPlan {
    /// How many repairs in a row.
    #[serde(deserialize_with = "super::numbers::whole::<_, _, 0, 100>")]
    pub hops: u32,
    /// Name to JSON pointer into the last repair's result.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
    /// What follows the last repair.
    #[serde(default)]
    pub then: Then,
    /// Arguments that the retry changes.
    #[serde(default, rename = "with")]
    pub corrected: Map<String, Value>,
    /// What the retry must answer.
    #[serde(default)]
    pub expect: Option<Expectation>,
}

/// What follows the last repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// Nothing: the repair is the corrected call, or no automatic retry makes sense.
    #[default]
    Stop,
    /// The original call, with the corrections of `with`.
    RetryOriginal,
}

/// What a call must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// A result that is not an error.
    Success,
}

/// The members of a case as they were read.
pub(super) struct CaseFields {
    pub(super) name: String,
    pub(super) mode: Option<String>,
    pub(super) setup: Vec<Action>,
    pub(super) call: Option<CallSpec>,
    pub(super) read: Option<String>,
    pub(super) expect_error: Option<ErrorExpectation>,
    pub(super) repair: Option<RepairPlan>,
    pub(super) restore: Vec<Action>,
}

impl Request {
    /// Exactly one of `call` and `read`; `owner` names who should have had it.
    fn of(call: Option<CallSpec>, read: Option<String>, owner: &str) -> Result<Request, String> {
        match (call, read) {
            (Some(call), None) => Ok(Request::Call(call)),
            (None, Some(uri)) => Ok(Request::Read(uri)),
            (None, None) => Err(format!("{owner} needs `call` or `read`")),
            (Some(_), Some(_)) => Err(format!("{owner} has both `call` and `read`; keep one")),
        }
    }
}

impl Action {
    /// What the action sends; the loader has made sure that there is exactly one thing.
    pub fn request(&self) -> Result<Request, String> {
        Request::of(self.call.clone(), self.read.clone(), "a step of `setup` or `restore`")
    }
}

impl Case {
    pub(super) fn of(fields: CaseFields) -> Result<Case, String> {
        let owner = format!("the case {:?}", fields.name);
        for action in fields.setup.iter().chain(&fields.restore) {
            action.request()?;
        }
        if fields.repair.is_some() && fields.expect_error.is_none() {
            return Err(format!("{owner} has a `repair` and no `expect_error` to repair"));
        }
        if let Some(repair) = &fields.repair {
            if repair.hops == 0 {
                return Err(format!("{owner} has a `repair` of 0 hops; leave `repair` out"));
            }
            let idle = repair.then == Then::Stop
                && (repair.expect.is_some() || !repair.corrected.is_empty());
            if idle {
                return Err(format!(
                    "{owner}: `expect` and `with` of a repair need `then: retry_original`"
                ));
            }
        }
        Ok(Case {
            request: Request::of(fields.call, fields.read, &owner)?,
            name: fields.name,
            mode: fields.mode,
            setup: fields.setup,
            expect_error: fields.expect_error,
            repair: fields.repair,
            restore: fields.restore,
        })
    }

    /// The flow that its events belong to.
    pub fn flow(&self) -> Flow {
        match (&self.expect_error, &self.repair) {
            (_, Some(_)) => Flow::Repair,
            (Some(_), None) => Flow::ForcedError,
            (None, None) => Flow::Calls,
        }
    }

    /// What the judge is told to expect.
    pub fn expected(&self) -> ExpectedCase {
        ExpectedCase {
            error: self.expect_error.as_ref().map(|expected| expected.code.clone()),
            repair_hops: self.repair.as_ref().map(|repair| repair.hops),
            retry_succeeds: self.repair.as_ref().is_some_and(|repair| {
                repair.then == Then::RetryOriginal && repair.expect == Some(Expectation::Success)
            }),
        }
    }
}
