//! Written cases of the scenario: setup, the call, its repair carried out, the retry, and back.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::driver::{Driver, Stop, succeeded};
use super::payload::repair_of;
use super::policy::Refusal;
use super::{Reply, Session};
use crate::capture::{Flow, Role, Step, WithheldKind};
use crate::scenario::{Action, Case, Mode, RepairPlan, Request, Then};
use crate::target::TargetSpec;

/// Values saved by name.
type Saved = BTreeMap<String, Value>;

/// Runs the cases that need no mode, then those of each mode in a session of its own.
pub(super) async fn cases(driver: &mut Driver<'_>) -> Result<(), Stop> {
    let scenario = driver.scenario;
    for case in scenario.cases().filter(|case| case.mode.is_none()) {
        run_case(driver, case).await?;
    }
    for (name, mode) in &scenario.modes {
        let cases: Vec<&Case> =
            scenario.cases().filter(|case| case.mode.as_ref() == Some(name)).collect();
        if !cases.is_empty() {
            in_mode(driver, name, mode, &cases).await?;
        }
    }
    Ok(())
}

async fn in_mode<'d>(
    driver: &mut Driver<'d>,
    name: &str,
    mode: &Mode,
    cases: &[&Case],
) -> Result<(), Stop> {
    let Some(spec) = started_in(driver.spec(), mode) else {
        withhold(driver, cases, "a target that is started as a command");
        return Ok(());
    };
    let step = Step::new(Flow::Calls, format!("mode {name}"));
    let session: Session<'d> = match driver.dialer().open(&spec, &step).await {
        Ok(session) => session,
        Err(_) => {
            withhold(driver, cases, &format!("a target that starts in the mode {name}"));
            return Ok(());
        }
    };
    let main = driver.swap_session(session);
    let mut outcome = Ok(());
    for case in cases {
        outcome = run_case(driver, case).await;
        if outcome.is_err() {
            break;
        }
    }
    driver.swap_session(main).close().await;
    outcome
}

/// A stdio target with the arguments and variables of a mode.
fn started_in(spec: &TargetSpec, mode: &Mode) -> Option<TargetSpec> {
    match spec.clone() {
        TargetSpec::Stdio { command, mut args, mut env, cwd } => {
            args.extend(mode.args.iter().cloned());
            env.extend(mode.env.iter().map(|(name, value)| (name.clone(), value.clone())));
            Some(TargetSpec::Stdio { command, args, env, cwd })
        }
        TargetSpec::Http { .. } => None,
    }
}

fn withhold(driver: &mut Driver<'_>, cases: &[&Case], needs: &str) {
    for case in cases {
        driver.policy.withhold(Refusal {
            what: format!("the case {:?}", case.name),
            kind: WithheldKind::Case,
            tool: None,
            needs: needs.to_owned(),
        });
    }
}

async fn run_case(driver: &mut Driver<'_>, case: &Case) -> Result<(), Stop> {
    if !driver.may_go_on_with_cases() {
        return Ok(());
    }
    let step = Step::new(case.flow(), &case.name);
    let mut saved = Saved::new();
    for action in &case.setup {
        if !act(driver, &step, action, &mut saved).await? {
            withhold(driver, &[case], "a target on which the `setup` of the case succeeds");
            return Ok(());
        }
    }
    let reply = send(driver, &step.role(Role::Call), &case.request, &saved).await?;
    if let (Some(reply), Some(plan)) = (reply, &case.repair) {
        carry_out(driver, &step, case, plan, reply, &mut saved).await?;
    }
    for action in &case.restore {
        act(driver, &step, action, &mut saved).await?;
    }
    Ok(())
}

/// Carries out the repairs to the letter, hop by hop, and then what the plan says.
async fn carry_out(
    driver: &mut Driver<'_>,
    step: &Step,
    case: &Case,
    plan: &RepairPlan,
    failure: Reply,
    saved: &mut Saved,
) -> Result<(), Stop> {
    let mut last = failure;
    for _ in 0..plan.hops {
        let Some(repair) = repair_of(&last) else { return Ok(()) };
        let reply = driver.call(&step.role(Role::Repair), &repair.tool, &repair.arguments).await?;
        let Some(reply) = reply else { return Ok(()) };
        last = reply;
    }
    if plan.then == Then::RetryOriginal && keep(&plan.save, &last, saved) {
        let mut request = case.request.clone();
        if let Request::Call(call) = &mut request {
            for (name, value) in &plan.corrected {
                call.arguments.insert(name.clone(), value.clone());
            }
        }
        send(driver, &step.role(Role::Retry), &request, saved).await?;
    }
    Ok(())
}

/// Carries out a step of `setup` or `restore`; says whether it succeeded and
/// everything to be saved was there.
async fn act(
    driver: &mut Driver<'_>,
    step: &Step,
    action: &Action,
    saved: &mut Saved,
) -> Result<bool, Stop> {
    let request = action.request().expect("the loader checks that there is exactly one");
    match send(driver, &step.role(Role::Setup), &request, saved).await? {
        Some(reply) => Ok(succeeded(&reply) && keep(&action.save, &reply, saved)),
        None => Ok(false),
    }
}

fn keep(save: &BTreeMap<String, String>, reply: &Reply, saved: &mut Saved) -> bool {
    save.iter().all(|(name, pointer)| {
        match reply.result().and_then(|result| result.pointer(pointer)) {
            Some(value) => {
                saved.insert(name.clone(), value.clone());
                true
            }
            None => false,
        }
    })
}

async fn send(
    driver: &mut Driver<'_>,
    step: &Step,
    request: &Request,
    saved: &Saved,
) -> Result<Option<Reply>, Stop> {
    match request {
        Request::Call(call) => {
            let arguments: Map<String, Value> = call
                .arguments
                .iter()
                .map(|(name, value)| (name.clone(), filled(value, saved)))
                .collect();
            driver.call(step, &call.tool, &arguments).await
        }
        Request::Read(uri) => {
            let uri = filled(&json!(uri), saved);
            driver.send(step, "resources/read", json!({"uri": uri})).await
        }
    }
}

/// A written value with every `${name}` replaced: by the saved value itself when there is nothing
/// else in the string, by its text otherwise.
fn filled(value: &Value, saved: &Saved) -> Value {
    match value {
        Value::String(text) => {
            let whole = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
            if let Some(value) = whole.and_then(|name| saved.get(name)) {
                return value.clone();
            }
            let filled = saved.iter().fold(text.clone(), |text, (name, value)| {
                let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.replace(&format!("${{{name}}}"), &shown)
            });
            Value::String(filled)
        }
        Value::Array(items) => items.iter().map(|item| filled(item, saved)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), filled(value, saved))).collect(),
        ),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_values_keep_their_type_when_alone() {
        let saved: Saved = [("n".to_owned(), json!(7)), ("c".to_owned(), json!("abc"))].into();
        let value = json!({"a": "${n}", "b": "${c}x", "d": ["#${n}"], "e": 1});
        assert_eq!(filled(&value, &saved), json!({"a": 7, "b": "abcx", "d": ["#7"], "e": 1}));
    }

    #[test]
    fn modes_add_to_the_command() {
        let spec = TargetSpec::Stdio {
            command: "server".to_owned(),
            args: vec!["serve".to_owned()],
            env: Vec::new(),
            cwd: None,
        };
        let mode = Mode { args: vec!["--no-token".to_owned()], env: BTreeMap::new() };
        let Some(TargetSpec::Stdio { args, .. }) = started_in(&spec, &mode) else {
            panic!("a stdio target can be started in a mode")
        };
        assert_eq!(args, ["serve", "--no-token"]);
        let http = TargetSpec::Http { url: "http://localhost/".to_owned(), headers: Vec::new() };
        assert_eq!(started_in(&http, &mode), None);
    }
}
