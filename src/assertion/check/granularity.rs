//! A1: tools complete tasks and do not mirror endpoints (rules `3.ap-endpoint-wrapping`,
//! `3.task-completing`, `3.hide-steps`).
//!
//! Code, because it needs the tools' names taken apart and compared with each other and with the
//! scenario's `upstream_endpoints`.

use serde_json::Value;

use super::lexicon::{self, Parts};
use super::{Builtin, Look, View, finding};
use crate::assertion::Subject;
use crate::contract::{Contract, Tool};
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("tool-count-fits-tasks", tool_count_fits_tasks),
    ("endpoints-folded", endpoints_folded),
    ("opposites-folded", opposites_folded),
    ("steps-hidden", steps_hidden),
];

/// Fewest endpoints for which mirroring means anything (rule `3.ap-endpoint-wrapping`).
const FEWEST_ENDPOINTS: usize = 8;

/// Words in a description that name a reason for a split.
const SPLIT_REASONS: &[&str] = &[
    "separate",
    "split",
    "because",
    "so that",
    "instead of",
    "unlike",
    "approval",
    "permission",
    "reversible",
    "destructive",
    "continu",
    "stream",
];

/// Pairs of verbs that are two steps of one task.
const STEP_PAIRS: &[(&str, &str)] = &[
    ("prepare", "commit"),
    ("begin", "finish"),
    ("begin", "commit"),
    ("upload", "finalize"),
    ("resolve", "apply"),
    ("init", "complete"),
];

/// A tool with its name taken apart.
type Named<'a> = (&'a Tool, Parts);

fn domain_tools(contract: &Contract) -> Vec<Named<'_>> {
    contract
        .tools
        .iter()
        .filter(|tool| !lexicon::is_discovery_tool(&tool.name))
        .map(|tool| (tool, lexicon::parts(contract, tool)))
        .collect()
}

fn endpoints(contract: &Contract) -> Option<Vec<&str>> {
    let listed = contract.params().get("upstream_endpoints")?.as_array()?;
    Some(listed.iter().filter_map(Value::as_str).collect())
}

/// The number of domain tools lies in the range that the scenario names. Outside of it, and
/// without a scenario, only a judge can say: a count alone never fails.
fn tool_count_fits_tasks(view: &View<'_>, _: &Subject<'_>) -> Look {
    let contract = view.contract;
    let tools = domain_tools(contract);
    let bound = |key: &str| contract.params().get("tools")?.get(key)?.as_u64();
    let facts = facts(&tools);
    match (endpoints(contract), bound("min"), bound("max")) {
        (Some(endpoints), Some(min), Some(max)) => {
            let count = tools.len() as u64;
            if (min.saturating_sub(1)..=max + 1).contains(&count) {
                return Look::Fine;
            }
            Look::Ask(format!(
                "{count} domain tools for {} endpoints, {min} to {max} were expected{facts}: does \
                 each tool complete a task?",
                endpoints.len()
            ))
        }
        _ => Look::Ask(format!(
            "does each of the {} domain tools complete a task, or do they mirror endpoints? No \
             scenario names the endpoints{facts}",
            tools.len()
        )),
    }
}

/// What a judge of the catalog should know, beginning with a separator; empty without facts.
fn facts(tools: &[Named<'_>]) -> String {
    let splits = splits(tools);
    if splits.is_empty() {
        return String::new();
    }
    let pairs: Vec<_> =
        splits.iter().map(|split| format!("{} / {}", split.0.name, split.1.name)).collect();
    let shown = pairs.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    let more = pairs.len().saturating_sub(5);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("; tools that split one task: {shown}{rest}")
}

/// There are fewer tools than endpoints, and most endpoints have no tool of the same name.
fn endpoints_folded(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Some(endpoints) = endpoints(view.contract) else {
        return Look::Skip("the scenario names no upstream_endpoints".into());
    };
    if endpoints.len() < FEWEST_ENDPOINTS {
        return Look::Inapplicable(format!("only {} upstream endpoints", endpoints.len()));
    }
    let tools = domain_tools(view.contract);
    let (count, of) = (tools.len(), endpoints.len());
    let mirrored: Vec<_> = endpoints
        .iter()
        .filter_map(|endpoint| {
            let mut words = lexicon::words(endpoint).into_iter();
            let verb = words.next()?;
            let nouns: Vec<_> = words.map(|word| lexicon::singular(&word)).collect();
            let (tool, _) = tools
                .iter()
                .find(|(_, parts)| parts.verb.as_ref() == Some(&verb) && parts.nouns == nouns)?;
            Some(tool.name.as_str())
        })
        .collect();
    let mut findings = Vec::new();
    if count >= of {
        findings.push(finding(
            subject,
            "",
            format!("{count} domain tools for {of} endpoints: nothing is folded"),
            "far fewer tools than endpoints",
        ));
    }
    if mirrored.len() * 10 > of * 7 {
        let names = mirrored.join(", ");
        findings.push(finding(
            subject,
            "",
            format!(
                "{} of {of} endpoints have a tool of the same verb and noun: {names}",
                mirrored.len()
            ),
            "at most 70% of the endpoints mirrored one to one",
        ));
    }
    Look::of(findings)
}

/// Opposite verbs, or a list and a search, over one noun are one tool (or two with a reason).
fn opposites_folded(view: &View<'_>, subject: &Subject<'_>) -> Look {
    if endpoints(view.contract).is_none() {
        return Look::Skip("the scenario names no upstream_endpoints".into());
    }
    let tools = domain_tools(view.contract);
    let findings = splits(&tools).into_iter().map(|(left, right)| Finding {
        message: format!(
            "{} and {} do one task on one noun, and neither description names the reason for the split",
            left.name, right.name
        ),
        subject: left.name.clone(),
        seq: vec![left.seq.min(right.seq), left.seq.max(right.seq)],
        pointer: right.pointer.clone(),
        ..finding(subject, "", "", "one tool with a parameter, or a description that says why there are two")
    });
    Look::of(findings.collect())
}

/// Pairs of tools that look like one task, without a reason in either description.
fn splits<'a>(tools: &[Named<'a>]) -> Vec<(&'a Tool, &'a Tool)> {
    let mut pairs = Vec::new();
    for (index, (left, of_left)) in tools.iter().enumerate() {
        for (right, of_right) in &tools[index + 1..] {
            let (Some(one), Some(two)) = (&of_left.verb, &of_right.verb) else { continue };
            let is_twin = matches!(
                (one.as_str(), two.as_str()),
                ("list" | "find", "search") | ("search", "list" | "find")
            );
            let same_noun = !of_left.nouns.is_empty() && of_left.nouns == of_right.nouns;
            if same_noun && (is_twin || lexicon::are_opposites(one, two)) && !excused(left, right) {
                pairs.push((*left, *right));
            }
        }
    }
    pairs
}

/// Whether a description names a reason for two tools: it speaks of the other and gives one.
fn excused(left: &Tool, right: &Tool) -> bool {
    [(left, right), (right, left)].into_iter().any(|(tool, other)| {
        let text = tool.description.to_lowercase();
        text.contains(&other.name.to_lowercase())
            && SPLIT_REASONS.iter().any(|reason| text.contains(reason))
    })
}

/// Advisory: tools that look like steps of one task are a question for a judge.
fn steps_hidden(view: &View<'_>, _: &Subject<'_>) -> Look {
    let tools = domain_tools(view.contract);
    if tools.len() < 2 {
        return Look::Inapplicable("a server with one tool has no steps to hide".into());
    }
    let mut pairs = Vec::new();
    for (first, of_first) in &tools {
        for (second, of_second) in &tools {
            let (Some(one), Some(two)) = (&of_first.verb, &of_second.verb) else { continue };
            if of_first.nouns == of_second.nouns
                && STEP_PAIRS.contains(&(one.as_str(), two.as_str()))
            {
                pairs.push(format!("{} then {}", first.name, second.name));
            }
        }
    }
    if pairs.is_empty() {
        return Look::Fine;
    }
    Look::Ask(format!("is each of these steps useful by itself: {}?", pairs.join("; ")))
}
