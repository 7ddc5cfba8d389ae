//! A4: failures have stable symbolic codes (rules `6.symbolic-codes`, `3.failure-contract`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::compare::{in_role, succeeded};
use super::failure::Failure;
use super::lexicon::words;
use super::prose::{pattern, sentences};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::contract::{Contract, Dialect, EnvelopeCarrier, Exchange, Part};
use crate::score::Finding;
use crate::wire::Revision;
use crate::yaml::nearest;

/// The checks of this family that look further than their subject.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("errors-are-structured", errors_are_structured),
    ("two-failure-modes", two_failure_modes),
    ("same-cause-same-code", same_cause_same_code),
    ("expected-codes-seen", expected_codes_seen),
];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("errors-carry-symbolic-code", errors_carry_symbolic_code),
    ("described-recovery-in-error", described_recovery_in_error),
];

/// Codes that name no failure (rule `6.symbolic-codes`).
const GENERIC: &[&str] =
    &["error", "failed", "failure", "unknown", "unknown_error", "internal_error", "internal"];

/// At least one error result of a tool carries an envelope; prose alone is no contract.
fn errors_are_structured(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let contract = view.contract;
    let failures: Vec<_> = contract
        .calls_of(&tool.name)
        .filter(|exchange| exchange.result().is_some())
        .filter_map(|exchange| Failure::read(contract, exchange))
        .collect();
    if failures.is_empty() {
        return Look::Skip("no error result of the tool was seen".into());
    }
    if failures.iter().any(|failure| failure.envelope.is_some()) {
        return Look::Fine;
    }
    let own: Vec<_> = failures.iter().filter(|failure| failure.environment().is_none()).collect();
    let Some(first) = own.first() else {
        return Look::Skip("every error of the tool was about this environment".into());
    };
    let revision = contract.revision_of(first.exchange).or(contract.revision);
    let has_structured = revision.is_none_or(Revision::has_structured_content);
    Look::Faulty(vec![Finding {
        severity: None,
        subject: tool.name.clone(),
        message: format!(
            "{} fails in {} ({} errors seen)",
            tool.name,
            first.form(),
            failures.len()
        ),
        seq: first.exchange.seqs(),
        pointer: "/result".into(),
        actual: first.said(),
        expected: format!(
            "{} with code, message, details, temporary, retry_after_ms",
            if has_structured { "structuredContent" } else { "a text block of JSON" }
        ),
    }])
}

/// The code of an envelope is a symbol that an agent can branch on.
fn errors_carry_symbolic_code(view: &View<'_>, subject: &Subject<'_>) -> Look {
    static SYMBOL: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[A-Za-z][A-Za-z0-9_.-]*$"));
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    if failure.call.is_some_and(|call| call.tool.is_none()) {
        return Look::Skip("the tool is not listed: a protocol rejection".into());
    }
    let Some(envelope) = &failure.envelope else {
        return Look::Skip("prose without an envelope".into());
    };
    let wanted = "a string such as issue_not_found, the same for the same cause";
    let fault = match failure.part(Part::Code) {
        Some(Value::String(code)) if SYMBOL.is_match(code) => return Look::Fine,
        Some(Value::String(_)) => "its code is no symbol",
        Some(_) => "its code is no string",
        None if envelope.dialect == Dialect::TsCore => "it has a number for a code and no reason",
        None => "it has no symbolic code",
    };
    let message = format!("{}: {fault}", subject.name);
    let mut found = failure.finding(subject, Part::Code, message, wanted);
    if envelope.carrier == EnvelopeCarrier::StructuredContent
        && found.actual.is_null()
        && let Some(number) = envelope.object.pointer("/error/code")
    {
        found.actual = number.clone();
        found.pointer.push_str("/error/code");
    }
    Look::Faulty(vec![found])
}

/// At least two failure modes are told apart by their codes.
fn two_failure_modes(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let mut codes: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let (mut of_arguments, mut of_state) = (false, false);
    for failure in view.contract.exchanges.iter().filter_map(|e| Failure::read(view.contract, e)) {
        let known = failure.call.is_some_and(|call| call.tool.is_some() && call.result().is_some());
        let Some(code) = failure.code().filter(|_| known) else { continue };
        codes.entry(code.to_owned()).or_insert_with(|| failure.exchange.seqs());
        if codes.len() > 1 {
            return Look::Fine;
        }
        match failure.violations().is_empty() {
            true => of_state = true,
            false => of_arguments = true,
        }
    }
    let Some((code, seq)) = codes.into_iter().next() else {
        return Look::Skip("no error with a symbolic code was seen".into());
    };
    if !(of_arguments && of_state && GENERIC.contains(&code.to_lowercase().as_str())) {
        return Look::Skip("one failure mode only was seen".into());
    }
    Look::Faulty(vec![Finding {
        seq,
        actual: Value::from(code.as_str()),
        ..finding(
            subject,
            "",
            format!("invalid arguments and failures of valid calls share the generic code {code}"),
            "a code for each failure mode",
        )
    }])
}

/// Two calls of a tool that break the same one constraint get the same code.
fn same_cause_same_code(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let mut groups: BTreeMap<String, Vec<(String, Vec<u64>)>> = BTreeMap::new();
    for exchange in view.contract.calls_of(&tool.name) {
        let Some(failure) = Failure::read(view.contract, exchange) else { continue };
        let Some(code) = failure.code() else { continue };
        // Most calls are valid, and seeing that is cheaper than reading what the failure says.
        if let [one] = &failure.violations()[..]
            && failure.environment().is_none()
        {
            let cause = format!("{} of {}", one.keyword, one.path);
            groups.entry(cause).or_default().push((code.to_owned(), exchange.seqs()));
        }
    }
    groups.retain(|_, seen| seen.len() > 1);
    if groups.is_empty() {
        return Look::Skip("no failure of the tool was caused twice".into());
    }
    let findings = groups.iter().filter_map(|(cause, seen)| {
        let codes: BTreeSet<_> = seen.iter().map(|(code, _)| code.as_str()).collect();
        (codes.len() > 1).then(|| Finding {
            severity: None,
            subject: tool.name.clone(),
            message: format!(
                "{} answers a broken {cause} with {} different codes",
                tool.name,
                codes.len()
            ),
            seq: seen.iter().flat_map(|(_, seq)| seq.clone()).collect(),
            pointer: "/result/structuredContent/code".into(),
            actual: codes.into_iter().collect(),
            expected: "one code for one cause".into(),
        })
    });
    Look::of(findings.collect())
}

/// What a description says to do about a code, the error itself says too.
fn described_recovery_in_error(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let Some((tool, code)) = failure.call.and_then(|call| call.tool).zip(failure.code()) else {
        return Look::Skip("no coded failure of a listed tool".into());
    };
    let names = |sentence: &str, name: &str| symbols(sentence).any(|word| word == name);
    let properties = tool.input.get("properties").and_then(Value::as_object);
    let guidance = sentences(&tool.description).find(|sentence| {
        if !names(sentence, code) {
            return false;
        }
        let other = symbols(sentence).any(|word| view.contract.tool(word).is_some());
        let own = properties.is_some_and(|known| {
            // A bare common word is no mention of a parameter.
            known.keys().any(|name| words(name).len() > 1 && names(sentence, name))
        });
        other || own
    });
    let Some(guidance) = guidance else {
        return Look::Skip("no description tells what to do about the code".into());
    };
    if failure.repair().is_some() || !failure.fields().is_empty() {
        return Look::Fine;
    }
    Look::Faulty(vec![failure.finding(
        subject,
        Part::Repair,
        format!(
            "{}: the description tells what to do about {code}, the error does not: {guidance:?}",
            tool.name
        ),
        "a repair, or details that name the parameter",
    )])
}

/// The words of a sentence, a symbol such as `issue_number` being one.
fn symbols(sentence: &str) -> impl Iterator<Item = &str> {
    sentence.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// What is wrong with a written call of a tool that the target does not list: a mistake of the
/// scenario, and none of the server.
pub(super) fn unlisted(contract: &Contract, call: &Exchange) -> Option<String> {
    let name = call.params.get("name").filter(|_| &*call.method == "tools/call")?.as_str()?;
    // An incomplete list supports no absence.
    contract.complete_walk("tools/list")?;
    if contract.tool(name).is_some() {
        return None;
    }
    let listed = contract.tools.iter().map(|tool| tool.name.as_str());
    let advice = nearest(name, listed).map(|near| format!("; did you mean `{near}`?"));
    let advice = advice.unwrap_or_default();
    Some(format!("the scenario calls `{name}`, which the target does not list{advice}"))
}

/// A written case fails with the code that the scenario expects, or succeeds as it expects.
fn expected_codes_seen(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let scenario = view.contract.header.as_ref().and_then(|header| header.scenario.as_ref());
    let Some(expected) = scenario.and_then(|scenario| scenario.cases.get(&subject.name)) else {
        return Look::Skip("the scenario expects nothing of the case".into());
    };
    let Some(call) = in_role(case, Role::Call).into_iter().next() else {
        return Look::Skip("the call of the case was not sent".into());
    };
    if let Some(typo) = unlisted(view.contract, call) {
        return Look::Skip(typo);
    }
    let failure = Failure::read(view.contract, call);
    let seen = match &failure {
        Some(failure) => failure.code().unwrap_or("a failure without a code").to_owned(),
        None if succeeded(call) => "success".to_owned(),
        None => return Look::Skip("the call of the case was not answered".into()),
    };
    let wanted = expected.error.as_deref().unwrap_or("success");
    if seen == wanted {
        return Look::Fine;
    }
    Look::Faulty(vec![Finding {
        severity: None,
        subject: subject.name.clone(),
        message: format!("the case {:?} should end in {wanted} and ended in {seen}", subject.name),
        seq: call.seqs(),
        pointer: failure
            .as_ref()
            .and_then(|failure| Some(failure.envelope.as_ref()?.pointer(Part::Code)))
            .unwrap_or_else(|| "/result".into()),
        actual: seen.into(),
        expected: wanted.to_owned(),
    }])
}
