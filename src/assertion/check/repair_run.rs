//! A4: a repair that was carried out to the letter worked (rules `6.repair-callable`,
//! `6.repair-intent`).

use serde_json::Value;

use super::codes::unlisted;
use super::compare::{in_role, succeeded};
use super::failure::Failure;
use super::{Builtin, Look, View};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::contract::{Contract, Exchange};
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] =
    &[("repair-works", repair_works), ("expected-repairs-work", expected_repairs_work)];

/// The recommended call is admissible, and does not end in the failure that it repairs.
fn repair_works(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let contract = view.contract;
    let hops = in_role(case, Role::Repair);
    let Some(call) = in_role(case, Role::Call).into_iter().next() else {
        return Look::Skip("the failing call was not sent".into());
    };
    let mut findings = Vec::new();
    let mut unproven = None;
    let mut judged = 0;
    let mut failed = call;
    for hop in hops {
        let Some(failure) = Failure::read(contract, failed) else { break };
        // Only what was sent as the repair says, to the letter, says something about the repair.
        if !is_to_the_letter(&failure, hop) {
            return Look::Skip("the call that was made is not the repair".into());
        }
        judged += 1;
        findings.extend(fault(contract, subject, &failure, hop));
        unproven = other_error(contract, hop);
        failed = hop;
    }
    if judged == 0 {
        return Look::Skip("no repair was carried out".into());
    }
    match unproven {
        Some(why) if findings.is_empty() => Look::Skip(why),
        _ => Look::of(findings),
    }
}

/// Why the last repair of a case, though no fault, is none that was seen to work.
fn other_error(contract: &Contract, hop: &Exchange) -> Option<String> {
    if succeeded(hop) {
        return None;
    }
    let Some(outcome) = Failure::read(contract, hop) else {
        return Some("the repair was not answered".into());
    };
    Some(match outcome.code() {
        Some(code) => format!("the repair ended in another error, {code}"),
        None => "the repair ended in an error without a code".into(),
    })
}

fn is_to_the_letter(failure: &Failure<'_>, hop: &Exchange) -> bool {
    let Some(repair) = failure.repair() else { return false };
    let arguments = hop.params.get("arguments");
    repair.get("tool") == hop.params.get("name")
        && match (repair.get("arguments"), arguments) {
            (Some(recommended), Some(sent)) => recommended == sent,
            (Some(recommended), None) => {
                recommended.as_object().is_some_and(|none| none.is_empty())
            }
            (None, sent) => {
                sent.is_none_or(|sent| sent.as_object().is_some_and(|none| none.is_empty()))
            }
        }
}

fn fault(
    contract: &Contract,
    subject: &Subject<'_>,
    failed: &Failure<'_>,
    hop: &Exchange,
) -> Option<Finding> {
    let tool = hop.params.get("name").and_then(Value::as_str).unwrap_or_default();
    let outcome = Failure::read(contract, hop)?;
    if outcome.environment().is_some() {
        return None;
    }
    let said = outcome.code().unwrap_or(outcome.text);
    let why = if hop.error().is_some() {
        format!("is refused as a request: {said}")
    } else if !outcome.violations().is_empty() {
        format!("is refused for its arguments: {said}")
    } else if outcome.code().is_some()
        && outcome.code() == failed.code()
        && same_tool(failed.exchange, hop)
    {
        format!("ends in {said} again")
    } else {
        return None;
    };
    Some(Finding {
        severity: None,
        subject: subject.name.clone(),
        message: format!("the repair by {tool} {why}"),
        seq: [failed.exchange.seqs(), hop.seqs()].concat(),
        pointer: if hop.error().is_some() { "/error".into() } else { "/result".into() },
        actual: said.chars().take(200).collect::<String>().into(),
        expected: "success, or at least another failure than the one it repairs".into(),
    })
}

fn same_tool(left: &Exchange, right: &Exchange) -> bool {
    left.params.get("name") == right.params.get("name")
}

/// A written case takes as many repairs as the scenario expects, and the call after them succeeds.
fn expected_repairs_work(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let scenario = view.contract.header.as_ref().and_then(|header| header.scenario.as_ref());
    let Some(expected) = scenario.and_then(|scenario| scenario.cases.get(&subject.name)) else {
        return Look::Skip("the scenario expects nothing of the case".into());
    };
    let Some(hops) = expected.repair_hops.filter(|hops| *hops > 0) else {
        return Look::Skip("the case expects no repair".into());
    };
    let Some(call) = in_role(case, Role::Call).into_iter().next() else {
        return Look::Skip("the call of the case was not sent".into());
    };
    if let Some(typo) = unlisted(view.contract, call) {
        return Look::Skip(typo);
    }
    let wrong = |exchange: &Exchange, message: String, expected: &str| {
        Look::Faulty(vec![Finding {
            severity: None,
            subject: subject.name.clone(),
            message,
            seq: [call.seqs(), exchange.seqs()].concat(),
            pointer: "/result".into(),
            actual: Value::Null,
            expected: expected.to_owned(),
        }])
    };
    let repairs = in_role(case, Role::Repair);
    let last = repairs.last().copied().unwrap_or(call);
    if repairs.len() < hops as usize {
        return match Failure::read(view.contract, last) {
            Some(failure) if failure.repair().is_some() => {
                Look::Skip("the repair was not carried out".into())
            }
            _ => wrong(
                last,
                format!("after {} of {hops} repairs nothing says how to go on", repairs.len()),
                "a repair",
            ),
        };
    }
    if !expected.retry_succeeds {
        return Look::Fine;
    }
    match in_role(case, Role::Retry).into_iter().next() {
        Some(retry) if succeeded(retry) => Look::Fine,
        Some(retry) => {
            let said = Failure::read(view.contract, retry);
            let said =
                said.as_ref().map_or("no answer", |failure| failure.code().unwrap_or(failure.text));
            wrong(retry, format!("the call after the repair ends in {said}"), "success")
        }
        None => Look::Skip("the call was not tried again".into()),
    }
}
