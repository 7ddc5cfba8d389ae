//! One entry of `flows:`: a flow by name, forced errors with options, or a written case.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::Case;
use super::case::CaseFields;

/// One entry of `flows:`.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowEntry {
    /// A flow that needs no more than its name.
    Named(FlowName),
    /// Generated forced errors.
    ForcedErrors(ForcedErrors),
    /// A written case.
    Case(Box<Case>),
}

/// Flows that are asked for by name alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlowName {
    /// Discovery: identity, every list, resources, the capability summary, every list again.
    ColdStart,
    /// Valid calls of the tools.
    Calls,
    /// Generated forced errors, the bounded way.
    ForcedErrors,
    /// Every repair that a forced error offered.
    Repair,
    /// Walks of paged tools.
    Pages,
    /// Detail toggles.
    Detail,
    /// Defaults, omitted and given.
    Defaults,
    /// State around a repeated call.
    Idempotency,
    /// State around a call of a read-only tool.
    ReadOnly,
    /// JSON-RPC and lifecycle probes.
    Protocol,
}

/// How forced errors are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForcedErrors {
    /// How many a tool.
    #[serde(default)]
    pub per_tool: PerTool,
}

/// How many forced errors each tool gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PerTool {
    /// One property for every class of failure (the class breaks twice, with different values).
    #[default]
    EveryClass,
    /// Every constraint of every property.
    EveryConstraint,
}

/// The members of an entry that is a mapping.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryFields {
    #[serde(default)]
    forced_errors: Option<ForcedErrors>,
    #[serde(default)]
    case: Option<String>,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    setup: Vec<super::Action>,
    #[serde(default)]
    call: Option<super::CallSpec>,
    #[serde(default)]
    read: Option<String>,
    #[serde(default)]
    expect_error: Option<super::ErrorExpectation>,
    #[serde(default)]
    repair: Option<super::RepairPlan>,
    #[serde(default)]
    restore: Vec<super::Action>,
}

impl<'de> Deserialize<'de> for FlowEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = FlowEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a flow, `forced_errors: {...}`, or a case with its `call`")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FlowEntry, E> {
        let name = FlowName::deserialize(StrDeserializer::<E>::new(name))?;
        Ok(match name {
            FlowName::ForcedErrors => FlowEntry::ForcedErrors(ForcedErrors::default()),
            other => FlowEntry::Named(other),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FlowEntry, A::Error> {
        let fields = EntryFields::deserialize(MapAccessDeserializer::new(map))?;
        if let Some(forced) = fields.forced_errors {
            return match fields.case {
                None => Ok(FlowEntry::ForcedErrors(forced)),
                Some(case) => Err(A::Error::custom(format!(
                    "one entry cannot hold `forced_errors` and the case {case:?}; write two entries"
                ))),
            };
        }
        let name = fields.case.ok_or_else(|| A::Error::missing_field("case"))?;
        Case::of(CaseFields {
            name,
            mode: fields.mode,
            setup: fields.setup,
            call: fields.call,
            read: fields.read,
            expect_error: fields.expect_error,
            repair: fields.repair,
            restore: fields.restore,
        })
        .map(|case| FlowEntry::Case(Box::new(case)))
        .map_err(A::Error::custom)
    }
}
