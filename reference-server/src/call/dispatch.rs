//! Tool names to operations.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::validate::Arguments;
use crate::contract::surface::Surface;
use crate::contract::tools::{CAPABILITIES_TOOL, NAMES};
use crate::domain::{Code, Domain, Failure};
use crate::store::Store;

/// The tools of the contract, ready to be called.
#[derive(Debug)]
pub struct Tools {
    store: Arc<Store>,
    summary: Value,
    arguments: BTreeMap<&'static str, Arguments>,
}

impl Tools {
    /// The tools of `surface` over `store`.
    pub fn new(surface: &Surface, store: Arc<Store>) -> Self {
        let arguments = NAMES
            .iter()
            .zip(&surface.tools)
            .map(|(name, tool)| {
                let reads = tool.annotations.as_ref().and_then(|hints| hints.read_only_hint);
                let schema = Value::Object(tool.input_schema.as_ref().clone());
                (*name, Arguments::new(name, reads != Some(true), schema))
            })
            .collect();
        Self { store, summary: surface.summary.clone(), arguments }
    }

    /// Runs the tool; `None` when no tool has that name. The value is the structured content of a success.
    pub fn call(&self, name: &str, sent: Map<String, Value>) -> Option<Result<Value, Failure>> {
        let arguments = self.arguments.get(name)?;
        Some(match arguments.check(&sent) {
            Ok(()) => self.run(name, sent),
            Err(failure) => Err(self.with_names(failure, &sent)),
        })
    }

    /// An owner or repository that is missing or malformed cannot be derived, but those that exist can be listed.
    fn with_names(&self, mut failure: Failure, sent: &Map<String, Value>) -> Failure {
        if self.store.shows_names()
            && let Ok(domain) = self.store.domain()
        {
            match failure.field.as_deref() {
                Some("owner") => failure.allowed = domain.complete_owner(""),
                Some("repo") => {
                    failure.allowed =
                        domain.complete_repo(sent.get("owner").and_then(Value::as_str), "");
                }
                _ => {}
            }
        }
        failure
    }

    fn run(&self, name: &str, sent: Map<String, Value>) -> Result<Value, Failure> {
        if name == CAPABILITIES_TOOL {
            return Ok(self.summary.clone());
        }
        let store = self.store.as_ref();
        match name {
            "github_find_issues" => operate(store, sent, Domain::find_issues),
            "github_get_issue" => operate(store, sent, Domain::get_issue),
            "github_list_comments" => operate(store, sent, Domain::list_comments),
            "github_create_issue" => operate(store, sent, Domain::create_issue),
            "github_update_issue" => operate(store, sent, Domain::update_issue),
            "github_add_comment" => operate(store, sent, Domain::add_comment),
            "github_set_issue_lock" => operate(store, sent, Domain::set_issue_lock),
            _ => unreachable!("only published tools have arguments"),
        }
    }
}

fn operate<I: DeserializeOwned, O: Serialize>(
    store: &Store,
    sent: Map<String, Value>,
    operation: impl FnOnce(&Domain, &I) -> Result<O, Failure>,
) -> Result<Value, Failure> {
    // The schema is stricter than the domain's types; should they ever part, the caller still gets a coded failure.
    let input: I = serde_json::from_value(Value::Object(sent)).map_err(|_| {
        Failure::new(Code::InvalidField, "The arguments cannot be read; nothing was done.")
    })?;
    let output = operation(store.admitting()?, &input)?;
    Ok(serde_json::to_value(output).expect("results hold text, numbers and lists"))
}
