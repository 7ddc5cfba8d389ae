//! How much a missing capability summary weighs, from what else was demonstrated (rule `2.summary`).

use std::collections::HashSet;

use super::lexicon::is_verb;
use super::prose::sentences;
use super::scope::{ABILITY, LIMITATION, SMALL_CATALOG, is_tool_negative};
use crate::contract::{CallView, Contract};
use crate::score::Severity;

/// The severity, and the evidence that placed it there.
///
/// Minor where a small catalog states in its own definitions what a summary would say, and the
/// first valid call of a cold start succeeded. Critical where nothing tells two tools apart or a
/// tool is not described at all: there an agent has nothing to choose by. Major between.
pub(super) fn weight(contract: &Contract) -> (Severity, String) {
    let tools = contract.tools.len();
    if let Some(doubt) = ambiguous(contract) {
        return (Severity::Critical, doubt);
    }
    if tools == 0 || tools > SMALL_CATALOG {
        return (Severity::Major, format!("{tools} tools to choose from"));
    }
    let untold = contract.tools.iter().find_map(|tool| {
        let said = &tool.description;
        let has = |holds: &dyn Fn(&str) -> bool| sentences(said).any(holds);
        let missing = if !has(&|s| ABILITY.is_match(s) || starts_with_a_verb(s)) {
            "what it does"
        } else if !has(&is_tool_negative) {
            "what it does not do"
        } else if !has(&|s| LIMITATION.is_match(s)) {
            "what it needs"
        } else {
            return None;
        };
        Some(format!("the description of {} does not say {missing} either", tool.name))
    });
    if let Some(untold) = untold {
        return (Severity::Major, untold);
    }
    match first_valid_call(contract) {
        Some(call) if call.is_success() => (
            Severity::Minor,
            format!(
                "the descriptions of all {tools} tools say what they do, do not do and need, and the first \
                 valid call, of {} [seq {}], succeeded",
                call.name, call.exchange.seq
            ),
        ),
        Some(call) => (
            Severity::Major,
            format!(
                "the first valid call, of {} [seq {}], did not succeed",
                call.name, call.exchange.seq
            ),
        ),
        None => {
            (Severity::Major, "no valid call was seen that shows that one can do without".into())
        }
    }
}

/// Why an agent cannot choose among the tools by their descriptions.
fn ambiguous(contract: &Contract) -> Option<String> {
    let mut seen = HashSet::new();
    for tool in contract.tools.iter().filter(|_| contract.tools.len() > 1) {
        let words = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.is_empty() {
            return Some(format!("{} has no description at all", tool.name));
        }
        if !seen.insert(words) {
            return Some(format!("{} is described in the very words of another tool", tool.name));
        }
    }
    None
}

/// Whether a sentence tells what is done: "Reads a note".
fn starts_with_a_verb(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    is_verb(&first) || first.strip_suffix('s').is_some_and(is_verb)
}

/// The first call whose arguments its tool's schema allows.
fn first_valid_call(contract: &Contract) -> Option<CallView<'_>> {
    contract.calls().find(|call| {
        let (Some(tool), Some(arguments)) = (call.tool, call.exchange.params.get("arguments"))
        else {
            return false;
        };
        let validator = contract.validator(&tool.input);
        validator.is_ok_and(|validator| validator.is_valid(arguments))
    })
}
