//! Whether a tool enforces its own input schema, and whether its calls end (clause
//! `spec.tool-inputs`, rule `7.execution-mode`).

use super::carrier::is_unflagged;
use super::violation::{Violation, violations};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::Answer;

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("required-arguments-enforced", required_arguments_enforced),
    ("constraints-enforced", constraints_enforced),
];

/// The checks of this family that look further.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("calls-do-not-hang", calls_do_not_hang),
    ("cancelled-calls-stay-silent", cancelled_calls_stay_silent),
];

/// How long a call may take without a sign, in milliseconds, unless the scenario says otherwise.
const LONG_CALL_MS: u64 = 30_000;

fn required_arguments_enforced(view: &View<'_>, subject: &Subject<'_>) -> Look {
    judge(view, subject, |one| one.keyword == "required", "a result without its required")
}

fn constraints_enforced(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let constraint = |one: &Violation| one.keyword != "required" && !one.is_unknown_property();
    judge(view, subject, constraint, "a result from a forbidden value of")
}

/// No call that breaks a constraint of the kind is answered by a success.
fn judge(
    view: &View<'_>,
    subject: &Subject<'_>,
    is_of_the_kind: impl Fn(&Violation) -> bool,
    how: &str,
) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let broken = violations(view.contract, call);
    let Some(of_the_kind) = broken.iter().find(|one| is_of_the_kind(one)) else {
        return Look::Skip("no such constraint is broken".into());
    };
    if !call.is_success() || is_unflagged(view, call) {
        return Look::Fine;
    }
    let path = &of_the_kind.path;
    Look::Faulty(vec![finding(
        subject,
        "",
        format!("{} computes {how} {path} ({})", call.name, of_the_kind.keyword),
        "an error that names the argument",
    )])
}

/// How long an answer may still be on its way when its request is cancelled, in microseconds.
const GRACE_US: u64 = 1_000_000;

/// Nothing answers a call that was cancelled, but for what was on its way already.
fn cancelled_calls_stay_silent(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let exchange = call.exchange;
    let Some(cancelled_us) = exchange.cancelled_us else {
        return Look::Skip("the call was not cancelled".into());
    };
    if exchange.answer_seq.is_none() || exchange.waited_us < cancelled_us + GRACE_US {
        return Look::Fine;
    }
    let after = (exchange.waited_us - cancelled_us) as f64 / 1e6;
    Look::Faulty(vec![finding(
        subject,
        "",
        format!("{} is answered {after:.1} s after it was cancelled", call.name),
        "no answer to a cancelled request",
    )])
}

/// A call that is given up after the limit had told of progress before.
fn calls_do_not_hang(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let limit = view.contract.params().get("long_call_ms").and_then(serde_json::Value::as_u64);
    let limit_us = limit.unwrap_or(LONG_CALL_MS) * 1_000;
    let exchange = call.exchange;
    match exchange.answer {
        Answer::Result(_) | Answer::Error(_) if exchange.waited_us < limit_us => return Look::Fine,
        Answer::Unanswered if exchange.waited_us >= limit_us => {}
        Answer::Unanswered => return Look::Skip("it was not waited for as long".into()),
        Answer::Died | Answer::Truncated => return Look::Skip("the session ended over it".into()),
        // Without a token nobody may report progress: a slow answer is not held against the server.
        Answer::Result(_) | Answer::Error(_) => return Look::Skip("slow, and answered".into()),
    }
    if !exchange.notifications.is_empty() {
        return Look::Fine;
    }
    let seconds = exchange.waited_us as f64 / 1e6;
    // What it waits for may be something that the run could not reach.
    if call.tool.is_none_or(|tool| tool.hint("openWorldHint") != Some(false)) {
        return Look::Ask(format!(
            "{} gave no answer and no other sign in {seconds:.1} s. Does it wait for something behind \
             the server that this run could not reach?",
            call.name
        ));
    }
    Look::Faulty(vec![finding(
        subject,
        "",
        format!("{} gave no answer and no other sign in {seconds:.1} s", call.name),
        "an answer, progress, or a task",
    )])
}
