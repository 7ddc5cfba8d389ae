//! The driver of one run: the one place through which every request of every flow goes.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::budget::{Budget, Pace};
use super::listings::Listings;
use super::memory::Memory;
use super::payload::payload;
use super::policy::{Policy, Refusal, name_of};
use super::{Dialer, OpenError, Reply, Session};
use crate::capture::{Flow, Role, Step, WithheldKind};
use crate::contract::{Answer, Builder, Contract, Tool};
use crate::scenario::Scenario;
use crate::schema::{Validator, Validators};
use crate::target::TargetSpec;
use crate::wire::Revision;

/// Why a run cannot go on.
#[derive(Debug)]
pub(super) enum Stop {
    /// The target died too often, or could not be started again.
    Died(String),
}

/// Requests of one tool that may stay unanswered before it is left alone.
const SILENCES: u32 = 2;

/// Times that the target may hang before the run gives up: each costs a whole wait.
const HANGS: u32 = 2;

/// Requests in a row that may be left without an answer, whatever else came, before the target is
/// asked whether it can answer at all, and before a flow of many questions is left.
const UNANSWERED_ROW: u32 = 3;

/// Everything that the flows of one run share.
pub(super) struct Driver<'d> {
    dialer: &'d Dialer<'d>,
    spec: TargetSpec,
    session: Session<'d>,
    live: Arc<Mutex<Builder>>,
    deaths: u32,
    hangs: u32,
    /// Requests without an answer since the last one with, and since the last sign of life.
    unanswered_row: u32,
    since_a_sign: u32,
    silences: HashMap<String, u32>,
    killers: HashSet<String>,
    /// Time spent on each tool, forced errors apart: what works for long may still refuse at once.
    took: HashMap<(String, bool), Pace>,
    validators: Validators,
    /// What is to be done.
    pub(super) scenario: &'d Scenario,
    /// What the target showed during the cold start; flows plan from it.
    pub(super) contract: Contract,
    /// Which list of tools was left before its end, in words.
    pub(super) endless: Option<String>,
    /// What may be sent.
    pub(super) policy: Policy,
    /// What values mean something.
    pub(super) memory: Memory,
    /// How much may still be sent.
    pub(super) budget: Budget,
}

impl<'d> Driver<'d> {
    /// Opens the first session.
    pub(super) async fn open(
        dialer: &'d Dialer<'d>,
        spec: &TargetSpec,
        scenario: &'d Scenario,
        policy: Policy,
    ) -> Result<Driver<'d>, OpenError> {
        let live = Arc::new(Mutex::new(Builder::new()));
        let seen = Arc::clone(&live);
        dialer.recorder().observe(Box::new(move |event| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).see(event);
        }));
        let session = dialer.open(spec, &Step::new(Flow::ColdStart, "open")).await?;
        let contract = lock(&live).snapshot();
        Ok(Driver {
            dialer,
            spec: spec.clone(),
            session,
            contract,
            live,
            deaths: 0,
            hangs: 0,
            unanswered_row: 0,
            since_a_sign: 0,
            silences: HashMap::new(),
            killers: HashSet::new(),
            took: HashMap::new(),
            validators: Validators::default(),
            scenario,
            policy,
            endless: None,
            memory: Memory::new(scenario.examples.clone()),
            budget: Budget::new(&scenario.limits, Instant::now()),
        })
    }

    /// Takes a new look at what the target has shown so far.
    pub(super) fn look(&mut self) {
        self.contract = lock(&self.live).snapshot();
        self.policy.learn(Listings::settle(&mut self.contract));
    }

    /// The dialer of the run, for flows that need a session of their own.
    pub(super) fn dialer(&self) -> &'d Dialer<'d> {
        self.dialer
    }

    /// Bytes received from the target so far.
    pub(super) fn bytes_received(&self) -> u64 {
        self.dialer.recorder().counts().bytes_received
    }

    /// What is driven.
    pub(super) fn spec(&self) -> &TargetSpec {
        &self.spec
    }

    /// The revision of the session in use.
    pub(super) fn revision(&self) -> Revision {
        self.session.revision()
    }

    /// Uses another session from now on, and gives back the one in use.
    pub(super) fn swap_session(&mut self, session: Session<'d>) -> Session<'d> {
        std::mem::replace(&mut self.session, session)
    }

    /// Whether the server says that it has a capability.
    pub(super) fn has_capability(&self, name: &str) -> bool {
        self.session.capabilities().get(name).is_some_and(|value| !value.is_null())
    }

    /// Sends one request, if the policy lets it. `None` means that it was withheld.
    pub(super) async fn send(
        &mut self,
        step: &Step,
        method: &str,
        params: Value,
    ) -> Result<Option<Reply>, Stop> {
        if let Err(refusal) = self.policy.admit(&self.contract, method, &params) {
            self.policy.withhold(refusal);
            return Ok(None);
        }
        if self.session.death().is_some() {
            let step = Step::new(step.flow, "reopen");
            if let Err(error) = self.session.reopen(&step).await {
                return Err(Stop::Died(error.to_string()));
            }
        }
        let tool = params.get("name").and_then(Value::as_str).map(str::to_owned);
        self.budget.spend();
        let begun = Instant::now();
        let reply = self.session.request(step, method, params).await;
        if let Some(tool) = tool.as_ref().filter(|_| !reads_state(step)) {
            let forced = step.flow == Flow::ForcedError;
            self.took.entry((tool.clone(), forced)).or_default().add(begun.elapsed());
        }
        if reply.is_answered() {
            (self.unanswered_row, self.since_a_sign) = (0, 0);
        } else {
            self.unanswered_row += 1;
            self.since_a_sign += 1;
        }
        match reply.answer {
            Answer::Died => self.bury(tool)?,
            Answer::Unanswered => {
                if let Some(tool) = &tool {
                    *self.silences.entry(tool.clone()).or_default() += 1;
                }
                if reply.silent || self.since_a_sign >= UNANSWERED_ROW {
                    self.since_a_sign = 0;
                    self.look_for_life(step, &reply, method, tool).await?;
                }
            }
            Answer::Result(_) | Answer::Error(_) | Answer::Truncated => {}
        }
        Ok(Some(reply))
    }

    /// Tells a slow tool from a target that hangs: what follows would wait as long, request by
    /// request.
    async fn look_for_life(
        &mut self,
        step: &Step,
        left: &Reply,
        method: &str,
        tool: Option<String>,
    ) -> Result<(), Stop> {
        let step = Step::new(step.flow, "still there");
        if !self.session.still_answers(&step, left, method).await {
            self.hangs += 1;
        }
        if self.session.death().is_some() { self.bury(tool) } else { Ok(()) }
    }

    /// Counts a death, and gives up a target that does not stay alive.
    fn bury(&mut self, killer: Option<String>) -> Result<(), Stop> {
        self.deaths += 1;
        self.killers.extend(killer);
        if self.deaths <= self.scenario.limits.deaths && self.hangs < HANGS {
            return Ok(());
        }
        let last = self.session.death().map_or_else(String::new, ToString::to_string);
        let times = if self.deaths == 1 { "death" } else { "deaths" };
        Err(Stop::Died(format!("{} {times}; the last: {last}", self.deaths)))
    }

    /// Whether the cold start left something to drive: a target that died in it and has listed no
    /// tool is given up.
    pub(super) fn has_lived(&self) -> Result<(), Stop> {
        if self.deaths == 0 || !self.contract.tools.is_empty() {
            return Ok(());
        }
        Err(Stop::Died("it died during the cold start, before it listed a tool".to_owned()))
    }

    /// Calls a tool with arguments that are meant to be valid. What a success shows is remembered.
    pub(super) async fn call_well(
        &mut self,
        step: &Step,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<bool, Stop> {
        let reply = self.call(step, tool, arguments).await?;
        let Some(reply) = reply.filter(succeeded) else { return Ok(false) };
        if let Some(result) = reply.result() {
            self.memory.harvest(result);
        }
        self.memory.succeeded(tool, arguments, payload(&reply).as_ref());
        Ok(true)
    }

    /// Calls a tool.
    pub(super) async fn call(
        &mut self,
        step: &Step,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Option<Reply>, Stop> {
        let params = json!({"name": tool, "arguments": arguments});
        let reply = self.send(step, "tools/call", params).await?;
        if let Some(result) =
            reply.as_ref().filter(|reply| succeeded(reply)).and_then(Reply::result)
        {
            self.memory.harvest(result);
        }
        Ok(reply)
    }

    /// Whether generated calls of a tool still make sense: it neither ended the server, nor left
    /// requests unanswered, nor took more than its part of the time. What is left out for that reason is listed.
    pub(super) fn is_usable(&mut self, tool: &str) -> bool {
        self.is_worth_calling(tool, false)
    }

    /// The same for calls that should be refused: they have a part of the time of their own.
    pub(super) fn may_force(&mut self, tool: &str) -> bool {
        self.is_worth_calling(tool, true)
    }

    fn is_worth_calling(&mut self, tool: &str, forced: bool) -> bool {
        let pace = self.took.get(&(tool.to_owned(), forced));
        let what = if self.killers.contains(tool) {
            "further calls of tools that ended the server"
        } else if self.silences.get(tool).is_some_and(|count| *count >= SILENCES) {
            "further calls of tools that did not answer"
        } else if pace.is_some_and(|pace| pace.may_pass(self.budget.one_tool())) {
            "further calls of slow tools"
        } else {
            return true;
        };
        self.policy.withhold(Refusal {
            what: what.to_owned(),
            kind: WithheldKind::Other,
            tool: Some(tool.to_owned()),
            needs: "a server that answers them, and in time".to_owned(),
        });
        false
    }

    /// Whether one more generated case of a flow may begin. What is left out is listed.
    pub(super) fn may_go_on(&mut self, flow: Flow, tool: Option<&str>) -> bool {
        let what = format!("some cases of the flow {}", name_of(flow));
        self.has_left(what, WithheldKind::Flow(flow), tool)
    }

    /// Whether one more written case may begin.
    pub(super) fn may_go_on_with_cases(&mut self) -> bool {
        self.has_left("some written cases".to_owned(), WithheldKind::Case, None)
    }

    fn has_left(&self, what: String, kind: WithheldKind, tool: Option<&str>) -> bool {
        match self.budget.refuses(Instant::now()) {
            None => true,
            Some(limit) => {
                self.policy.withhold(Refusal {
                    what,
                    kind,
                    tool: tool.map(str::to_owned),
                    needs: format!("a larger `limits.{limit}` in the scenario"),
                });
                false
            }
        }
    }

    /// Whether the target answers enough for a flow of many questions to go on.
    pub(super) fn is_talking(&mut self, flow: Flow) -> bool {
        if self.unanswered_row < UNANSWERED_ROW {
            return true;
        }
        self.policy.withhold(Refusal {
            what: format!("some cases of the flow {}", name_of(flow)),
            kind: WithheldKind::Flow(flow),
            tool: None,
            needs: "a server that answers them".to_owned(),
        });
        false
    }

    /// The compiled input schema of a tool; nothing when it is no schema.
    pub(super) fn validator(&self, tool: &Tool) -> Option<Arc<Validator>> {
        self.validators.of(&tool.input).ok()
    }

    /// The compiled forms of all input schemas of a tool that was listed with several.
    pub(super) fn other_validators(&self, tool: &Tool) -> Vec<Arc<Validator>> {
        let schemas = self.policy.schemas(&tool.name).iter();
        schemas.filter_map(|schema| self.validators.of(schema).ok()).collect()
    }

    /// Whether arguments pass the tool's published schema; without a usable schema, everything does.
    pub(super) fn is_valid(&self, tool: &Tool, arguments: &Map<String, Value>) -> bool {
        self.validator(tool).is_none_or(|schema| schema.is_valid(&Value::Object(arguments.clone())))
    }

    /// The listed tools, each name once, to plan over while requests are sent.
    pub(super) fn tools(&self) -> Vec<Tool> {
        let mut names = HashSet::new();
        let listed = self.contract.tools.iter();
        listed.filter(|tool| names.insert(tool.name.as_str())).cloned().collect()
    }

    /// Begins a flow that may go up to a part of the run's bounds.
    pub(super) fn begin(&mut self, part: f64) {
        self.budget.up_to(part);
        self.unanswered_row = 0;
    }

    /// Ends the session in use.
    pub(super) async fn close(self) {
        self.session.close().await;
    }
}

fn lock(live: &Mutex<Builder>) -> std::sync::MutexGuard<'_, Builder> {
    // Whoever panicked with the lock left a usable view: events are seen one at a time.
    live.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a call is a read of the state for the sake of another call, which is no time spent on
/// the tool itself.
fn reads_state(step: &Step) -> bool {
    let around = [Role::Before, Role::Control, Role::After, Role::AfterRepeat];
    [Flow::ReadOnly, Flow::Idempotency].contains(&step.flow)
        && step.role.is_some_and(|role| around.contains(&role))
}

/// Whether a reply is a result that is not flagged as an error. Whether it means success is for
/// the judge; here it only decides what is worth trying next.
pub(super) fn succeeded(reply: &Reply) -> bool {
    reply.result().is_some_and(|result| {
        let result = result.get("toolResult").unwrap_or(result);
        result.get("isError") != Some(&Value::Bool(true))
            && result.get("resultType").is_none_or(|kind| kind == "complete")
    })
}
