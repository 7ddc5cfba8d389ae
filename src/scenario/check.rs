//! What the types of the model cannot say: names that must be unique or declared.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Action, Case, Request, Scenario};
use crate::yaml::suggest;

/// An inconsistency of a scenario.
pub(super) struct Fault {
    /// What is wrong.
    pub(super) message: String,
    /// A word of the file near the place.
    pub(super) near: String,
    /// What to do.
    pub(super) advice: Option<String>,
}

impl Fault {
    pub(super) fn new(message: String, near: &str) -> Self {
        Fault { message, near: near.to_owned(), advice: None }
    }
}

/// Checks what deserialising cannot.
pub(super) fn check(scenario: &Scenario) -> Result<(), Fault> {
    check_id(&scenario.id)?;
    super::numbers::check_numbers(scenario)?;
    if scenario.flows.is_empty() {
        return Err(Fault::new("`flows` is empty: nothing would be sent".to_owned(), "flows:"));
    }
    if let Some(target) = &scenario.target {
        let given = [target.reference.is_some(), target.command.is_some(), target.url.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            let message = "`target` needs exactly one of `reference`, `command`, `url`".to_owned();
            return Err(Fault::new(message, "target:"));
        }
    }
    let mut names = BTreeSet::new();
    for case in scenario.cases() {
        if !names.insert(case.name.as_str()) {
            return Err(Fault::new(format!("two cases are named {:?}", case.name), &case.name));
        }
        check_mode(scenario, case)?;
        check_saved(case)?;
    }
    Ok(())
}

/// Captures are named after the scenario, so its id must be no path.
fn check_id(id: &str) -> Result<(), Fault> {
    const LONGEST: usize = 100;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let begins = id.starts_with(|c: char| c.is_ascii_alphanumeric());
    if begins && id.chars().all(is_part) && id.len() <= LONGEST {
        return Ok(());
    }
    let mut fault = Fault::new(format!("the id {id:?} cannot name a file"), "id:");
    fault.advice = Some(format!(
        "use letters, digits, `-`, `_` and `.`, at most {LONGEST}, a letter or digit first"
    ));
    Err(fault)
}

fn check_mode(scenario: &Scenario, case: &Case) -> Result<(), Fault> {
    match &case.mode {
        Some(mode) if !scenario.modes.contains_key(mode) => {
            let message = format!("the case {:?} needs the undeclared mode `{mode}`", case.name);
            let mut fault = Fault::new(message, &format!("mode: {mode}"));
            let known: Vec<&String> = scenario.modes.keys().collect();
            fault.advice = Some(match known.is_empty() {
                true => format!("declare it under `modes:` as `{mode}:`"),
                false => suggest(mode, &known),
            });
            Err(fault)
        }
        _ => Ok(()),
    }
}

/// Every `${name}` must have been saved before it is used.
fn check_saved(case: &Case) -> Result<(), Fault> {
    let mut saved = BTreeSet::new();
    for action in &case.setup {
        check_action(action, &saved, case)?;
        check_pointers(&action.save, case)?;
        saved.extend(action.save.keys().cloned());
    }
    check_request(&case.request, &saved, case)?;
    if let Some(repair) = &case.repair {
        check_pointers(&repair.save, case)?;
        saved.extend(repair.save.keys().cloned());
        check_value(&Value::Object(repair.corrected.clone()), &saved, case)?;
    }
    for action in &case.restore {
        check_action(action, &saved, case)?;
        saved.extend(action.save.keys().cloned());
    }
    Ok(())
}

fn check_action(action: &Action, saved: &BTreeSet<String>, case: &Case) -> Result<(), Fault> {
    match action.request() {
        Ok(request) => check_request(&request, saved, case),
        Err(message) => Err(Fault::new(message, &case.name)),
    }
}

fn check_request(request: &Request, saved: &BTreeSet<String>, case: &Case) -> Result<(), Fault> {
    match request {
        Request::Call(call) => check_value(&Value::Object(call.arguments.clone()), saved, case),
        Request::Read(uri) => check_value(&Value::String(uri.clone()), saved, case),
    }
}

fn check_pointers(save: &BTreeMap<String, String>, case: &Case) -> Result<(), Fault> {
    match save.iter().find(|(_, pointer)| !pointer.starts_with('/')) {
        None => Ok(()),
        Some((name, pointer)) => {
            let message = format!("the case {:?} saves `{name}` from {pointer:?}", case.name);
            let mut fault = Fault::new(message, pointer);
            fault.advice = Some("write a JSON pointer, such as /structuredContent/id".to_owned());
            Err(fault)
        }
    }
}

fn check_value(value: &Value, saved: &BTreeSet<String>, case: &Case) -> Result<(), Fault> {
    match value {
        Value::String(text) => {
            for name in references(text) {
                if !saved.contains(name) {
                    let message = format!("the case {:?} uses `{name}` unsaved", case.name);
                    let mut fault = Fault::new(message, &format!("${{{name}}}"));
                    let known: Vec<&String> = saved.iter().collect();
                    fault.advice = Some(match known.is_empty() {
                        true => "save it in a step of `setup`".to_owned(),
                        false => suggest(name, &known),
                    });
                    return Err(fault);
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(|item| check_value(item, saved, case)),
        Value::Object(members) => {
            members.values().try_for_each(|member| check_value(member, saved, case))
        }
        _ => Ok(()),
    }
}

/// The names in `${name}` of a text, in order.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}
