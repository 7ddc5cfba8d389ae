//! What a scenario file says as a whole.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::FlowEntry;
use super::numbers::whole;
use crate::capture::ScenarioFacts;

/// One scenario: what to do to a target, and which set scores it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Id, kebab-case; equals the file stem of a built-in scenario.
    pub id: String,
    /// What sort of scenario it is.
    pub kind: Kind,
    /// One line for people.
    pub title: String,
    /// The target, when the scenario was written for one; the command line overrides it.
    #[serde(default)]
    pub target: Option<TargetChoice>,
    /// The assertion set, `ID` or `ID@EDITION`.
    #[serde(default)]
    pub set: Option<String>,
    /// Parameters of the checks.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Budgets that the judge compares with what was measured, such as `discovery_bytes`.
    #[serde(default)]
    pub budgets: Map<String, Value>,
    /// Bounds of the drive.
    #[serde(default)]
    pub limits: RunLimits,
    /// Ways to start the target differently, by name, for the cases that need one.
    #[serde(default)]
    pub modes: BTreeMap<String, Mode>,
    /// Arguments that are known to mean something to the target, by tool, best first.
    #[serde(default)]
    pub examples: BTreeMap<String, Vec<Map<String, Value>>>,
    /// What to do, in order of writing; the driver orders flows by what they need.
    pub flows: Vec<FlowEntry>,
    /// `sha256:` and hex over the bytes of the file; filled in by the loader.
    #[serde(skip)]
    pub digest: String,
}

/// Sorts of scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Drives a live target through flows and cases.
    Server,
}

/// The target that a scenario was written for: exactly one member is given.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetChoice {
    /// A bundled reference server, by contract name.
    #[serde(default)]
    pub reference: Option<String>,
    /// A command with its arguments, spoken to over stdio.
    #[serde(default)]
    pub command: Option<Vec<String>>,
    /// A streamable HTTP endpoint.
    #[serde(default)]
    pub url: Option<String>,
}

/// A way to start a stdio target differently. A case in a mode gets a session of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// Arguments appended to the command.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment variables set for the child.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// Bounds of the drive. What they leave out is listed as withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunLimits {
    /// Requests sent in the whole run.
    #[serde(deserialize_with = "whole::<_, _, 1, 1000000>")]
    pub requests: u64,
    /// Seconds of wall time after which no new case begins.
    #[serde(deserialize_with = "whole::<_, _, 1, 86400>")]
    pub seconds: u64,
    /// Generated forced errors a tool.
    #[serde(deserialize_with = "whole::<_, _, 0, 10000>")]
    pub forced_errors: u32,
    /// Pages of one walk, native or a tool's own.
    #[serde(deserialize_with = "whole::<_, _, 1, 100000>")]
    pub pages: u32,
    /// Resources read.
    #[serde(deserialize_with = "whole::<_, _, 0, 100000>")]
    pub resources: u32,
    /// Times that the target may die before the run gives up.
    #[serde(deserialize_with = "whole::<_, _, 0, 1000>")]
    pub deaths: u32,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits {
            requests: 4_000,
            seconds: 240,
            forced_errors: 32,
            pages: 100,
            resources: 24,
            deaths: 8,
        }
    }
}

impl Scenario {
    /// What the capture's header says about the scenario, so that judging needs no file.
    pub fn facts(&self) -> ScenarioFacts {
        let mut params = self.params.clone();
        if !self.budgets.is_empty() {
            params.insert("budgets".to_owned(), Value::Object(self.budgets.clone()));
        }
        ScenarioFacts {
            id: self.id.clone(),
            digest: self.digest.clone(),
            params,
            cases: self.cases().map(|case| (case.name.clone(), case.expected())).collect(),
        }
    }

    /// The written cases, in order.
    pub fn cases(&self) -> impl Iterator<Item = &super::Case> {
        self.flows.iter().filter_map(|entry| match entry {
            FlowEntry::Case(case) => Some(case.as_ref()),
            FlowEntry::Named(_) | FlowEntry::ForcedErrors(_) => None,
        })
    }

    /// Whether a flow without a case of its own is asked for.
    pub fn has(&self, name: super::FlowName) -> bool {
        self.flows.iter().any(|entry| matches!(entry, FlowEntry::Named(flow) if *flow == name))
    }

    /// How forced errors are to be generated, when they are.
    pub fn forced_errors(&self) -> Option<super::ForcedErrors> {
        self.flows.iter().find_map(|entry| match entry {
            FlowEntry::ForcedErrors(forced) => Some(*forced),
            FlowEntry::Named(_) | FlowEntry::Case(_) => None,
        })
    }
}
