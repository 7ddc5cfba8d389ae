//! Calls that the published contract says must fail.
//!
//! A case is one broken constraint of one tool, named `TOOL: CLASS PATH`; it is broken twice, with
//! different values, so that the same cause can be seen to give the same code. Everything else in
//! the call is valid, and worked before where something did. Tools that may mutate and must not be
//! run get both a required property left out and wrong types, and nothing else.

use serde_json::{Map, Value, json};

use super::arguments::{base_of, fresh_keys, is_call_key, is_continuation};
use super::driver::{Driver, Stop};
use super::payload::{Repair, code_of, repair_of};
use super::policy::Refusal;
use crate::capture::{Flow, Role, Step, WithheldKind};
use crate::contract::Tool;
use crate::scenario::PerTool;
use crate::schema::{
    BreakClass, Breakage, breakages, breaks_required_or_type, plausible, properties, required,
    simplified, types, union_types, unmistakable,
};

/// Fewest calls that a tool of a large catalog gets.
const FEWEST: usize = 3;

/// One case.
#[derive(Debug, Clone)]
struct Forced {
    tool: String,
    class: &'static str,
    path: String,
    variants: Vec<Map<String, Value>>,
}

/// A failure that came with a repair.
#[derive(Debug, Clone)]
pub(super) struct Repairable {
    /// Name of the case.
    pub(super) case: String,
    /// The tool that failed.
    pub(super) tool: String,
    /// The arguments that made it fail.
    pub(super) arguments: Map<String, Value>,
    /// The same call without the fault.
    pub(super) corrected: Map<String, Value>,
    /// What the failure said.
    pub(super) code: Option<String>,
    /// What it recommends.
    pub(super) repair: Repair,
}

/// Runs the flow; gives the failures that came with a repair.
pub(super) async fn forced_error(
    driver: &mut Driver<'_>,
    per_tool: PerTool,
) -> Result<Vec<Repairable>, Stop> {
    let tools = driver.tools();
    let fair = usize::try_from(driver.budget.left()).unwrap_or(usize::MAX) / tools.len().max(1);
    let most = (driver.scenario.limits.forced_errors as usize).min(fair.max(FEWEST));
    let mut plans: Vec<(Map<String, Value>, Vec<Forced>)> = Vec::new();
    for tool in &tools {
        plans.push(plan(driver, tool, per_tool, most));
    }
    let mut found = Vec::new();
    // One case of every tool, then the next: a bound that cuts in leaves no tool out entirely.
    let rounds = plans.iter().map(|(_, cases)| cases.len()).max().unwrap_or(0);
    for round in 0..rounds {
        for (base, cases) in &plans {
            let Some(case) = cases.get(round) else { continue };
            if driver.may_force(&case.tool) && driver.may_go_on(Flow::ForcedError, Some(&case.tool))
            {
                found.extend(force(driver, case, base).await?);
            }
        }
    }
    Ok(found)
}

async fn force(
    driver: &mut Driver<'_>,
    case: &Forced,
    base: &Map<String, Value>,
) -> Result<Option<Repairable>, Stop> {
    let name = format!("{}: {} {}", case.tool, case.class, case.path);
    let step = Step::new(Flow::ForcedError, &name).role(Role::Call);
    let mut found = None;
    let tool = driver.contract.tool(&case.tool).cloned();
    let with_keys = |driver: &mut Driver<'_>, arguments: &Map<String, Value>| match &tool {
        Some(tool) => fresh_keys(driver, tool, base, arguments.clone()),
        None => arguments.clone(),
    };
    for (at, arguments) in case.variants.iter().enumerate() {
        if at > 0 && !driver.may_force(&case.tool) {
            break;
        }
        let arguments = with_keys(driver, arguments);
        let Some(reply) = driver.call(&step, &case.tool, &arguments).await? else { continue };
        if let (None, Some(repair)) = (&found, repair_of(&reply)) {
            found = Some(Repairable {
                case: name.clone(),
                tool: case.tool.clone(),
                arguments,
                corrected: with_keys(driver, base),
                code: code_of(&reply),
                repair,
            });
        }
        if reply.is_dead() {
            break;
        }
    }
    Ok(found)
}

/// The cases of one tool, in the order of their worth, and the valid arguments that they break.
fn plan(
    driver: &mut Driver<'_>,
    tool: &Tool,
    per_tool: PerTool,
    most: usize,
) -> (Map<String, Value>, Vec<Forced>) {
    let base = base_of(driver, tool);
    let may_run = tool.is_read_only() || driver.policy.mutations();
    let schema = driver.validator(tool);
    let input = &*tool.input;
    let others = driver.other_validators(tool);
    // A tool that is listed twice may go by either schema: only what breaks both must fail.
    let valid = |arguments: &Value| {
        let own = match &schema {
            Some(schema) => schema.is_valid(arguments),
            None => !breaks_required_or_type(input, arguments),
        };
        own || others.iter().any(|other| other.is_valid(arguments))
    };
    let mut cases = Vec::new();
    match &base {
        Some((base, proven)) if may_run => {
            let mut broken = chosen(breakages(input, base, &valid), per_tool);
            let rest = broken.split_off(broken.partition_point(|(rank, _)| *rank == 0));
            cases.extend(broken.into_iter().map(|(rank, broken)| forced(tool, broken, rank)));
            cases.extend(bad_tokens(tool, base));
            if *proven {
                cases.extend(unknown_values(tool, base));
            }
            cases.extend(rest.into_iter().map(|(rank, broken)| forced(tool, broken, rank)));
        }
        other => {
            let nothing = Map::new();
            let base = other.as_ref().map_or(&nothing, |(base, _)| base);
            cases.extend(unmistakable(input, base, &valid).map(|broken| forced(tool, broken, 0)));
        }
    }
    if cases.is_empty() {
        driver.policy.withhold(Refusal {
            what: "forced errors of tools without a constraint to break".to_owned(),
            kind: WithheldKind::Other,
            tool: Some(tool.name.clone()),
            needs: if may_run { "a schema with constraints" } else { "--allow-mutations" }
                .to_owned(),
        });
    }
    let mut calls = 0;
    let all = cases.len();
    cases.retain(|case| {
        calls += case.variants.len();
        calls <= most.max(2)
    });
    if cases.len() < all {
        driver.policy.withhold(Refusal {
            what: format!("forced errors beyond {most} calls a tool"),
            kind: WithheldKind::Other,
            tool: Some(tool.name.clone()),
            needs: "a larger `limits.forced_errors` in the scenario".to_owned(),
        });
    }
    (base.map(|(base, _)| base).unwrap_or_default(), cases)
}

/// A class is broken twice, with different values, where it first occurs, so that its code can be
/// seen to be stable; further properties need one call each.
fn forced(tool: &Tool, broken: Breakage, rank: usize) -> Forced {
    let mut variants = broken.variants;
    variants.truncate(if rank == 0 { 2 } else { 1 });
    Forced { tool: tool.name.clone(), class: broken.class.as_str(), path: broken.path, variants }
}

/// Orders breakages so that the first of every class come before the second of any; keeps a few of
/// each class, or all. Gives each with its rank in its class.
fn chosen(broken: Vec<Breakage>, per_tool: PerTool) -> Vec<(usize, Breakage)> {
    let mut ranked: Vec<(usize, Breakage)> = Vec::new();
    let mut counts: Vec<(BreakClass, usize)> = Vec::new();
    for breakage in broken {
        let rank = match counts.iter_mut().find(|(class, _)| *class == breakage.class) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                counts.push((breakage.class, 0));
                0
            }
        };
        let kept = match (per_tool, breakage.class) {
            (PerTool::EveryConstraint, _) => usize::MAX,
            (PerTool::EveryClass, BreakClass::MissingRequired | BreakClass::WrongType) => 2,
            // `null` is what lenient servers read as absent: only the thorough run sends it.
            (PerTool::EveryClass, BreakClass::Null) => 0,
            (PerTool::EveryClass, _) => 1,
        };
        if rank < kept {
            ranked.push((rank, breakage));
        }
    }
    ranked.sort_by_key(|(rank, breakage)| (*rank, breakage.class));
    ranked
}

/// Continuation tokens that no server gave: text, and nothing like one.
fn bad_tokens(tool: &Tool, base: &Map<String, Value>) -> Option<Forced> {
    let root = simplified(&tool.input, &tool.input)?;
    let (name, node) = properties(&root).find(|(name, node)| {
        is_continuation(name)
            && node.get("format").is_none()
            && union_types(&tool.input, node).contains(&"string")
    })?;
    let values = ["hallmark-not-a-token", "aGFsbG1hcms6bm90LWEtdG9rZW4="];
    let variants: Vec<_> = values
        .iter()
        .map(|value| json!(value))
        .filter(|value| plausible(node, value))
        .map(|value| with(base, name, value))
        .collect();
    (!variants.is_empty()).then(|| Forced {
        tool: tool.name.clone(),
        class: "bad_token",
        path: name.clone(),
        variants,
    })
}

/// Identifiers that are well formed and name nothing: the failures of a tool's own semantics.
fn unknown_values(tool: &Tool, base: &Map<String, Value>) -> Vec<Forced> {
    let Some(root) = simplified(&tool.input, &tool.input) else { return Vec::new() };
    let names = required(&root);
    let mut out = Vec::new();
    for (name, schema) in properties(&root).filter(|(name, _)| names.contains(&name.as_str())) {
        let Some(node) = simplified(&tool.input, schema) else { continue };
        // A key that is new is what a server wants, and no failure.
        if is_call_key(tool, name) {
            continue;
        }
        if node.get("enum").is_some() || node.get("const").is_some() || !base.contains_key(name) {
            continue;
        }
        let kinds = types(&node);
        let offers = if kinds.contains(&"string") {
            vec![json!("hallmark-no-such-thing"), json!("hallmark-nothing-here")]
        } else if kinds.contains(&"integer") {
            vec![json!(987_654_321), json!(876_543_219)]
        } else {
            continue;
        };
        let variants: Vec<_> = offers
            .into_iter()
            .filter(|value| plausible(&node, value))
            .map(|value| with(base, name, value))
            .collect();
        if !variants.is_empty() {
            let path = name.clone();
            out.push(Forced { tool: tool.name.clone(), class: "unknown_value", path, variants });
        }
        if out.len() == 3 {
            break;
        }
    }
    out
}

fn with(base: &Map<String, Value>, name: &str, value: Value) -> Map<String, Value> {
    let mut arguments = base.clone();
    arguments.insert(name.to_owned(), value);
    arguments
}
