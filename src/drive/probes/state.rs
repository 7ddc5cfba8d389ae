//! Probes of effects: the state of the target, read around a call.
//!
//! The state is what a few read-only calls that worked show, the nearest to the call first; each
//! read has the role of its moment, and the judge pairs reads by their arguments.
//!
//! - `read_only`, a case a tool: `before`, `control` (read again, nothing called), `call`, `after`.
//! - `idempotency`, a case a mutating tool, only when mutating is allowed: `before`, `control`,
//!   `call`, `after`, `repeat` (the same call), `after_repeat`. A tool with an idempotency key gets
//!   a second case, `TOOL: with KEY`, in which call and repeat carry the same key and a third call
//!   (role `other`) carries a new one.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::capture::{Flow, Role, Step};
use crate::contract::Tool;
use crate::drive::Reply;
use crate::drive::arguments::{argument_sets, base_of, fresh_keys, key_property};
use crate::drive::driver::{Driver, Stop};
use crate::schema::{required, simplified};

/// Reads that make up the state.
const READS: usize = 2;
/// Argument sets tried until a mutating call succeeds.
const ATTEMPTS: usize = 3;

/// Longer than the second that most clocks in results tick by.
const PAUSE: Duration = Duration::from_millis(1_200);
/// Pauses of one run.
const PAUSES: usize = 4;

/// A read of the state.
type Read = (String, Map<String, Value>);

/// What the reads of one moment showed.
type State = Vec<Option<Value>>;

/// Reads that were looked at alone, and whether they change by themselves.
#[derive(Default)]
struct Controls(Vec<(Read, bool)>);

/// Runs the flow `read_only`.
pub(in crate::drive) async fn read_only(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let mut controls = Controls::default();
    for tool in driver.tools() {
        if !tool.is_read_only() || driver.memory.proven(&tool.name).is_empty() {
            continue;
        }
        let Some((arguments, true)) = base_of(driver, &tool) else { continue };
        let reads = reads_near(driver, &tool, &arguments, &controls);
        if reads.is_empty()
            || !driver.is_usable(&tool.name)
            || !driver.may_go_on(Flow::ReadOnly, Some(&tool.name))
        {
            continue;
        }
        let step = Step::new(Flow::ReadOnly, &tool.name);
        let before = read(driver, &step.role(Role::Before), &reads).await?;
        read(driver, &step.role(Role::Control), &reads).await?;
        driver.call(&step.role(Role::Call), &tool.name, &arguments).await?;
        let after = read(driver, &step.role(Role::After), &reads).await?;
        controls.look_at(driver, &step, &reads, &before, &after).await?;
    }
    Ok(())
}

/// Runs the flow `idempotency`.
pub(in crate::drive) async fn idempotency(driver: &mut Driver<'_>) -> Result<(), Stop> {
    if !driver.policy.mutations() {
        return Ok(());
    }
    let mut tools: Vec<Tool> =
        driver.tools().into_iter().filter(|tool| !tool.is_read_only()).collect();
    let mut controls = Controls::default();
    // What destroys comes last: the others still find what they need.
    tools.sort_by_key(|tool| tool.hint("destructiveHint") != Some(false));
    for tool in tools {
        for arguments in argument_sets(driver, &tool).into_iter().take(ATTEMPTS) {
            if !driver.is_usable(&tool.name)
                || !driver.may_go_on(Flow::Idempotency, Some(&tool.name))
            {
                break;
            }
            if repeat(driver, &tool, &tool.name, &arguments, None, &mut controls).await? {
                if let Some(key) = key_property(&tool) {
                    let case = format!("{}: with {key}", tool.name);
                    repeat(driver, &tool, &case, &arguments, Some(&key), &mut controls).await?;
                }
                break;
            }
        }
    }
    Ok(())
}

/// One case of repetition; says whether the first call succeeded.
async fn repeat(
    driver: &mut Driver<'_>,
    tool: &Tool,
    case: &str,
    arguments: &Map<String, Value>,
    key: Option<&str>,
    controls: &mut Controls,
) -> Result<bool, Stop> {
    // Without a key of the probe there is none, or one that every call of the tool needs.
    let arguments = fresh_keys(driver, tool, arguments, arguments.clone());
    let keyed = |value: &str| {
        let mut arguments = arguments.clone();
        if let Some(key) = key {
            arguments.insert(key.to_owned(), json!(value));
        }
        arguments
    };
    let first = keyed("hallmark-key-1");
    let reads = reads_near(driver, tool, &first, controls);
    let step = Step::new(Flow::Idempotency, case);
    read(driver, &step.role(Role::Before), &reads).await?;
    read(driver, &step.role(Role::Control), &reads).await?;
    if !driver.call_well(&step.role(Role::Call), &tool.name, &first).await? {
        return Ok(false);
    }
    let after = read(driver, &step.role(Role::After), &reads).await?;
    driver.call(&step.role(Role::Repeat), &tool.name, &first).await?;
    let after_repeat = read(driver, &step.role(Role::AfterRepeat), &reads).await?;
    if tool.hint("idempotentHint") == Some(true) {
        controls.look_at(driver, &step, &reads, &after, &after_repeat).await?;
    }
    if key.is_some() {
        driver.call(&step.role(Role::Other), &tool.name, &keyed("hallmark-key-2")).await?;
    }
    Ok(true)
}

async fn read(driver: &mut Driver<'_>, step: &Step, reads: &[Read]) -> Result<State, Stop> {
    let mut state = State::new();
    for (tool, arguments) in reads {
        let reply = driver.call(step, tool, arguments).await?;
        state.push(reply.as_ref().and_then(shown));
    }
    Ok(state)
}

/// What a read shows: its data, or its content blocks when it has none.
fn shown(reply: &Reply) -> Option<Value> {
    let result = reply.result()?;
    result.get("structuredContent").or_else(|| result.get("content")).cloned()
}

impl Controls {
    /// Looks at every read that changed, alone and for longer than the case took, so that what
    /// changes by itself can be told from what the call changed.
    async fn look_at(
        &mut self,
        driver: &mut Driver<'_>,
        step: &Step,
        reads: &[Read],
        one: &State,
        two: &State,
    ) -> Result<(), Stop> {
        for ((read_call, one), two) in reads.iter().zip(one).zip(two) {
            let known = self.0.iter().any(|(known, _)| known == read_call);
            if one == two || known || self.0.len() >= PAUSES {
                continue;
            }
            let step = Step::new(step.flow, format!("{}: control", step.case));
            let reads = std::slice::from_ref(read_call);
            let before = read(driver, &step.role(Role::Before), reads).await?;
            tokio::time::sleep(PAUSE).await;
            let control = read(driver, &step.role(Role::Control), reads).await?;
            self.0.push((read_call.clone(), before != control));
        }
        Ok(())
    }

    /// Whether a read is known to change by itself.
    fn is_restless(&self, read: &Read) -> bool {
        self.0.iter().any(|(known, restless)| *restless && known == read)
    }
}

/// Reads that show what a call may change: read-only tools that worked and whose required
/// arguments the call has (with the call's own values), the more of them the nearer; then any
/// others that worked. Those that change by themselves are left out.
fn reads_near(
    driver: &Driver<'_>,
    tool: &Tool,
    arguments: &Map<String, Value>,
    controls: &Controls,
) -> Vec<Read> {
    let mut ranked: Vec<((usize, bool), Read)> = Vec::new();
    for reader in driver.contract.tools.iter().filter(|reader| reader.is_read_only()) {
        // The fewer arguments, the more it tends to show.
        let proven = driver.memory.proven(&reader.name).iter();
        let Some(worked) = proven.min_by_key(|worked| worked.arguments.len()) else { continue };
        if reader.name == tool.name {
            continue;
        }
        let Some(root) = simplified(&reader.input, &reader.input) else { continue };
        let needed = required(&root);
        let shared: Option<Map<String, Value>> = needed
            .iter()
            .map(|name| Some(((*name).to_owned(), arguments.get(*name)?.clone())))
            .collect();
        let read = match shared.filter(|shared| !shared.is_empty()) {
            Some(shared) => ((needed.len(), false), (reader.name.clone(), shared)),
            // What needs no arguments tends to show everything.
            None => ((0, needed.is_empty()), (reader.name.clone(), worked.arguments.clone())),
        };
        ranked.push(read);
    }
    // Stable: among equals, the order of the catalog.
    ranked.sort_by_key(|(nearness, _)| std::cmp::Reverse(*nearness));
    let reads = ranked.into_iter().map(|(_, read)| read);
    reads.filter(|read| !controls.is_restless(read)).take(READS).collect()
}
