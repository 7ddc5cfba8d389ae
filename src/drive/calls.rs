//! Valid calls of read-only tools. What they show feeds every later flow.
//!
//! One case a tool, named after it: at most a few calls until one succeeds, then the required
//! arguments alone and a richer set, so that the default result and a varied one are both seen.

use serde_json::{Map, Value};

use super::arguments::{argument_sets, minimal};
use super::driver::{Driver, Stop};
use super::policy::Refusal;
use crate::capture::{Flow, Role, Step, WithheldKind};
use crate::contract::Tool;
use crate::schema::required;

/// Attempts at a first success in each of the two rounds.
const ATTEMPTS: usize = 3;
/// Successful calls of one tool.
const SUCCESSES: usize = 3;

/// Runs the flow.
pub(super) async fn calls(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let mut tools = driver.tools();
    tools.sort_by_key(|tool| required(&tool.input).len());
    let (callable, others): (Vec<Tool>, Vec<Tool>) =
        tools.into_iter().partition(|tool| tool.is_read_only());
    if !driver.policy.mutations() {
        for tool in others {
            driver.policy.withhold(Refusal {
                what: "valid calls of tools without readOnlyHint: true".to_owned(),
                kind: WithheldKind::Mutation,
                tool: Some(tool.name),
                needs: "--allow-mutations".to_owned(),
            });
        }
    }
    let mut tried: Vec<Vec<Map<String, Value>>> = vec![Vec::new(); callable.len()];
    // The second round knows what the first one has brought to light.
    for _ in 0..2 {
        for (tool, tried) in callable.iter().zip(&mut tried) {
            if driver.memory.proven(&tool.name).is_empty() {
                first_success(driver, tool, tried).await?;
            }
        }
    }
    for (tool, tried) in callable.iter().zip(&mut tried) {
        if !driver.memory.proven(&tool.name).is_empty() {
            variations(driver, tool, tried).await?;
        }
    }
    Ok(())
}

async fn first_success(
    driver: &mut Driver<'_>,
    tool: &Tool,
    tried: &mut Vec<Map<String, Value>>,
) -> Result<(), Stop> {
    let sets = argument_sets(driver, tool);
    let fresh: Vec<_> = sets.into_iter().filter(|set| !tried.contains(set)).collect();
    for arguments in fresh.into_iter().take(ATTEMPTS) {
        if try_call(driver, tool, arguments, tried).await? {
            return Ok(());
        }
    }
    Ok(())
}

async fn variations(
    driver: &mut Driver<'_>,
    tool: &Tool,
    tried: &mut Vec<Map<String, Value>>,
) -> Result<(), Stop> {
    let bare = minimal(driver, tool);
    let sets = bare.into_iter().chain(argument_sets(driver, tool));
    let mut fresh: Vec<Map<String, Value>> = Vec::new();
    for set in sets {
        if !tried.contains(&set) && !fresh.contains(&set) {
            fresh.push(set);
        }
    }
    for arguments in fresh {
        if driver.memory.proven(&tool.name).len() >= SUCCESSES {
            return Ok(());
        }
        try_call(driver, tool, arguments, tried).await?;
    }
    Ok(())
}

async fn try_call(
    driver: &mut Driver<'_>,
    tool: &Tool,
    arguments: Map<String, Value>,
    tried: &mut Vec<Map<String, Value>>,
) -> Result<bool, Stop> {
    if !driver.is_usable(&tool.name) || !driver.may_go_on(Flow::Calls, Some(&tool.name)) {
        return Ok(false);
    }
    let step = Step::new(Flow::Calls, &tool.name).role(Role::Call);
    let success = driver.call_well(&step, &tool.name, &arguments).await?;
    tried.push(arguments);
    Ok(success)
}
