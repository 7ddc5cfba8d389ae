//! A3, probed half: a published default is the one that applies, and closed schemas are enforced
//! (rules `3.required-optional`, `3.closed-schemas`).

use std::collections::BTreeSet;

use super::carrier::is_unflagged;
use super::compare::{differences, in_role, is_masked, payload, succeeded};
use super::failure::Failure;
use super::violation::violations;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[("defaults-applied", defaults_applied)];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[("closed-schemas-enforced", closed_schemas_enforced)];

/// A call without a parameter and one with its published default give the same result.
fn defaults_applied(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let first = |role| in_role(case, role).into_iter().next();
    let (Some(omitted), Some(explicit)) = (first(Role::Omitted), first(Role::Explicit)) else {
        return Look::Skip("the two calls were not both made".into());
    };
    let Some(control) = first(Role::Control) else {
        return Look::Skip("no control shows what varies by itself".into());
    };
    let (Some(without), Some(again)) = (payload(omitted), payload(control)) else {
        return Look::Skip("a call was not answered by a result".into());
    };
    if !succeeded(omitted) || !succeeded(control) {
        return Look::Skip("the call without the parameter does not succeed".into());
    }
    let seq = [omitted.seqs(), explicit.seqs()].concat();
    if !succeeded(explicit) {
        let Some(failure) = Failure::read(view.contract, explicit) else {
            return Look::Skip("the call with the default was not answered".into());
        };
        if let Some(why) = failure.environment() {
            return Look::Skip(why.into());
        }
        return Look::Faulty(vec![Finding {
            seq,
            ..finding(
                subject,
                "",
                format!(
                    "{}: the published default is refused: {}",
                    subject.name,
                    failure.text.chars().take(120).collect::<String>()
                ),
                "the same result as without the parameter",
            )
        }]);
    }
    let masks = differences(&without, &again);
    if masks.contains("") {
        return Look::Skip("everything in the result varies by itself".into());
    }
    let with = payload(explicit).unwrap_or_default();
    let differing: BTreeSet<_> = differences(&without, &with)
        .into_iter()
        .filter(|pointer| !is_masked(pointer, &masks) && !is_minted(pointer))
        .collect();
    match differing.first() {
        None => Look::Fine,
        Some(pointer) => Look::Faulty(vec![Finding {
            severity: None,
            subject: subject.name.clone(),
            message: format!(
                "{}: the result differs at {} when the published default is given",
                subject.name,
                if pointer.is_empty() { "its root" } else { pointer }
            ),
            seq,
            pointer: "/result".into(),
            actual: with.pointer(pointer).cloned().unwrap_or_default(),
            expected: format!(
                "as without it: {}",
                without.pointer(pointer).unwrap_or(&serde_json::Value::Null)
            ),
        }]),
    }
}

/// Whether a pointer ends in a token that a server mints and may seal the request into.
fn is_minted(pointer: &str) -> bool {
    let last = pointer.rsplit('/').next().unwrap_or_default().to_lowercase();
    ["cursor", "token", "etag"].iter().any(|word| last.contains(word))
}

/// An argument that a closed schema does not declare is refused.
fn closed_schemas_enforced(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let broken = violations(view.contract, call);
    if broken.is_empty() || !broken.iter().all(|one| one.is_unknown_property()) {
        return Look::Skip("something else than an unknown argument is wrong".into());
    }
    if !call.is_success() || is_unflagged(view, call) {
        return Look::Fine;
    }
    Look::Faulty(vec![finding(
        subject,
        "",
        format!(
            "{} accepts {}, which its closed schema does not declare",
            call.name, broken[0].path
        ),
        "an error that names the unknown argument",
    )])
}
