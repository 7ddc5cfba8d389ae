//! A1: tools complete tasks and do not mirror endpoints (rules `3.ap-endpoint-wrapping`,
//! `3.task-completing`, `3.hide-steps`).
//!
//! Code, because it needs the tools' names taken apart and compared with each other and with the
//! scenario's `upstream_endpoints`.

use std::collections::HashMap;

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

fn domain_tools<'a>(view: &View<'a>) -> Vec<Named<'a>> {
    let tools = view.contract.tools.iter();
    tools
        .filter(|tool| !lexicon::is_discovery_tool(&tool.name))
        .map(|tool| (tool, view.naming().parts(tool)))
        .collect()
}

/// Where the tools of each verb and nouns are, in list order.
fn by_task<'n>(tools: &'n [Named<'_>]) -> HashMap<(&'n str, &'n [String]), Vec<usize>> {
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, (_, parts)) in tools.iter().enumerate() {
        if let Some(verb) = &parts.verb {
            places.entry((verb.as_str(), &parts.nouns[..])).or_default().push(at);
        }
    }
    places
}

fn endpoints(contract: &Contract) -> Option<Vec<&str>> {
    let listed = contract.params().get("upstream_endpoints")?.as_array()?;
    Some(listed.iter().filter_map(Value::as_str).collect())
}

/// The number of domain tools lies in the range that the scenario names. Outside of it, and
/// without a scenario, only a judge can say: a count alone never fails.
fn tool_count_fits_tasks(view: &View<'_>, _: &Subject<'_>) -> Look {
    let contract = view.contract;
    let tools = domain_tools(view);
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
    let tools = domain_tools(view);
    let (count, of) = (tools.len(), endpoints.len());
    let places = by_task(&tools);
    let mirrored: Vec<_> = endpoints
        .iter()
        .filter_map(|endpoint| {
            let mut words = lexicon::words(endpoint).into_iter();
            let verb = words.next()?;
            let nouns: Vec<_> = words.map(|word| lexicon::singular(&word)).collect();
            let first = places.get(&(verb.as_str(), &nouns[..]))?.first()?;
            Some(tools[*first].0.name.as_str())
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
    let tools = domain_tools(view);
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
    let places = by_task(tools);
    let mut pairs = Vec::new();
    for (at, (left, parts)) in tools.iter().enumerate() {
        let Some(verb) = parts.verb.as_deref().filter(|_| !parts.nouns.is_empty()) else {
            continue;
        };
        let twins: &[&str] = match verb {
            "list" | "find" => &["search"],
            "search" => &["list", "find"],
            _ => &[],
        };
        let others = twins.iter().copied().chain(lexicon::opposites_of(verb));
        let others = others.filter_map(|other| places.get(&(other, &parts.nouns[..])));
        let mut later: Vec<usize> = others.flatten().copied().filter(|other| *other > at).collect();
        later.sort_unstable();
        let later = later.into_iter().map(|other| tools[other].0);
        pairs.extend(later.filter(|right| !excused(left, right)).map(|right| (*left, right)));
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
    let tools = domain_tools(view);
    if tools.len() < 2 {
        return Look::Inapplicable("a server with one tool has no steps to hide".into());
    }
    let places = by_task(&tools);
    let mut pairs = Vec::new();
    for (first, parts) in &tools {
        let Some(verb) = parts.verb.as_deref() else { continue };
        let next = STEP_PAIRS.iter().filter(|(one, _)| *one == verb);
        let next = next.filter_map(|(_, two)| places.get(&(*two, &parts.nouns[..])));
        let mut seconds: Vec<usize> = next.flatten().copied().collect();
        seconds.sort_unstable();
        pairs.extend(seconds.iter().map(|at| format!("{} then {}", first.name, tools[*at].0.name)));
    }
    if pairs.is_empty() {
        return Look::Fine;
    }
    Look::Ask(format!("is each of these steps useful by itself: {}?", pairs.join("; ")))
}
