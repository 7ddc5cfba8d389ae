//! W3: results carry the members that the revision makes obligatory, and lists keep their order.

use std::collections::HashSet;

use serde_json::Value;

use super::wire_facts::{finding_at, revision_of};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{Exchange, ListWalk};

/// The checks of this family.
pub(super) const CHECKS: &[(&str, Builtin)] = &[
    ("result-type-present", result_type_present),
    ("cache-hints-present", cache_hints_present),
    ("cache-hints-only-there", cache_hints_only_there),
    ("cache-scope-uniform", cache_scope_uniform),
    ("list-order-stable", list_order_stable),
];

/// Methods whose complete results must carry cache hints (2026-07-28, "Caching").
const CACHEABLE: [&str; 6] = [
    "server/discover",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
];

/// A result of the stateless era, or why it is none.
fn stateless_result<'a>(
    view: &View<'_>,
    subject: &Subject<'a>,
) -> Result<(&'a Exchange, &'a Value), Look> {
    let Of::Exchange(exchange) = subject.of else {
        return Err(Look::Skip("not an exchange".to_owned()));
    };
    let Some(result) = exchange.result() else {
        return Err(Look::Skip("not answered by a result".to_owned()));
    };
    match revision_of(view, exchange) {
        Some(revision) if revision.is_stateless() => Ok((exchange, result)),
        Some(_) => Err(Look::Inapplicable("results before 2026-07-28 name no kind".to_owned())),
        None => Err(Look::Skip("no revision was agreed".to_owned())),
    }
}

/// Every result names its kind. The value is judged with the message schemas (`result-valid`).
fn result_type_present(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let (exchange, result) = match stateless_result(view, subject) {
        Ok(found) => found,
        Err(look) => return look,
    };
    let message = match result.get("resultType") {
        Some(Value::String(_)) => return Look::Fine,
        Some(_) => format!("{} result: resultType is not a string", exchange.method),
        None => format!("{} result has no resultType", exchange.method),
    };
    Look::Faulty(vec![finding(subject, "/resultType", message, "\"resultType\": \"complete\"")])
}

/// Complete results of the six cacheable methods carry `ttlMs` and `cacheScope`.
fn cache_hints_present(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let (exchange, result) = match stateless_result(view, subject) {
        Ok(found) => found,
        Err(look) => return look,
    };
    if !CACHEABLE.contains(&&*exchange.method) {
        return Look::Skip("its results carry no cache hints".to_owned());
    }
    if !is_complete(result) {
        return Look::Skip("an interim result".to_owned());
    }
    let mut findings = Vec::new();
    let ttl_is_good = match result.get("ttlMs") {
        // JSON has one kind of number: `60000.0` is an integer too.
        Some(Value::Number(ttl)) => {
            ttl.as_f64().is_some_and(|ttl| ttl >= 0.0 && ttl.fract() == 0.0)
        }
        _ => false,
    };
    if !ttl_is_good {
        let what = absent_or(result, "ttlMs");
        let message = format!("{} result: ttlMs {what}", exchange.method);
        findings.push(finding(subject, "/ttlMs", message, "an integer of milliseconds, 0 or more"));
    }
    let scope = result.get("cacheScope").and_then(Value::as_str);
    if !matches!(scope, Some("public" | "private")) {
        let what = absent_or(result, "cacheScope");
        let message = format!("{} result: cacheScope {what}", exchange.method);
        findings.push(finding(subject, "/cacheScope", message, "\"public\" or \"private\""));
    }
    Look::of(findings)
}

/// Interim results carry no cache hints; on other methods they mean nothing.
fn cache_hints_only_there(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let (exchange, result) = match stateless_result(view, subject) {
        Ok(found) => found,
        Err(look) => return look,
    };
    // A task's own `ttlMs` is how long the task lives.
    let is_task = exchange.method.starts_with("tasks/") || result.get("taskId").is_some();
    if is_task || (CACHEABLE.contains(&&*exchange.method) && is_complete(result)) {
        return Look::Skip("cache hints belong there".to_owned());
    }
    let whose = if is_complete(result) { "" } else { "interim " };
    let extra = ["ttlMs", "cacheScope"].into_iter().filter(|member| result.get(member).is_some());
    Look::of(
        extra
            .map(|member| {
                let message = format!("{whose}{} result carries {member}", exchange.method);
                let expected = "cache hints on complete list, read and discover results alone";
                finding(subject, &format!("/{member}"), message, expected)
            })
            .collect(),
    )
}

/// Every page of a walk has the scope of the first.
fn cache_scope_uniform(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Walk(walk) = subject.of else {
        return Look::Skip("not a walk of a list".to_owned());
    };
    if walk.pages.len() < 2 {
        return Look::Skip("one page".to_owned());
    }
    let scopes = walk.pages.iter().filter_map(|page| {
        let exchange = view.contract.exchanges.get(page.exchange)?;
        let is_stateless = revision_of(view, exchange)?.is_stateless();
        let scope = exchange.result()?.get("cacheScope")?.as_str()?;
        is_stateless.then_some((exchange, scope))
    });
    let mut scopes = scopes.peekable();
    let Some((first, scope)) = scopes.peek().copied() else {
        return Look::Skip("no page carries a scope".to_owned());
    };
    let Some((other, changed)) = scopes.find(|(_, other)| *other != scope) else {
        return Look::Fine;
    };
    let seqs = [first.seqs(), other.seqs()].concat();
    let message = format!(
        "pages of one {} walk differ in cacheScope: {scope:?}, then {changed:?}",
        walk.method
    );
    let actual = Value::String(changed.to_owned());
    let expected = "the same cacheScope on every page";
    Look::Faulty(vec![finding_at(subject, seqs, "/result/cacheScope", actual, message, expected)])
}

/// Records that two walks share come in the same order in both. Only the common ones count, so
/// that a catalog that changed in between is not called unstable.
fn list_order_stable(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Walk(walk) = subject.of else {
        return Look::Skip("not a walk of a list".to_owned());
    };
    let same = |other: &&ListWalk| other.session == walk.session && other.method == walk.method;
    let Some(first) = view.contract.lists.iter().find(same).filter(|f| !std::ptr::eq(*f, walk))
    else {
        return Look::Skip("nothing to compare with: the first walk of its session".to_owned());
    };
    if &*walk.method == "resources/list" {
        return Look::Skip("resources may be sorted by recency".to_owned());
    }
    let (before, after) = (keys(first), keys(walk));
    let shared: HashSet<&str> = before.iter().copied().collect();
    let again: HashSet<&str> = after.iter().copied().filter(|key| shared.contains(key)).collect();
    let order = |keys: &[&'_ str]| -> Vec<String> {
        keys.iter().filter(|key| again.contains(**key)).map(|key| (*key).to_owned()).collect()
    };
    let (before, after) = (order(&before), order(&after));
    if before.len() < 2 {
        return Look::Skip("fewer than two records in common".to_owned());
    }
    let Some(at) = (0..before.len().min(after.len())).find(|at| before[*at] != after[*at]) else {
        return Look::Fine;
    };
    let seqs = [last_seqs(view, first), last_seqs(view, walk)].concat();
    let message = format!(
        "{} lists its records in another order the second time: {:?} stands where {:?} stood",
        walk.method, after[at], before[at]
    );
    let actual = Value::from(after[at..after.len().min(at + 5)].to_vec());
    let expected = "the same order while the catalog is unchanged";
    Look::Faulty(vec![finding_at(subject, seqs, "/result", actual, message, expected)])
}

fn keys(walk: &ListWalk) -> Vec<&str> {
    walk.pages.iter().flat_map(|page| page.keys.iter().map(|key| &**key)).collect()
}

fn last_seqs(view: &View<'_>, walk: &ListWalk) -> Vec<u64> {
    let first = walk.pages.first().and_then(|page| view.contract.exchanges.get(page.exchange));
    first.map(Exchange::seqs).unwrap_or_default()
}

fn is_complete(result: &Value) -> bool {
    result.get("resultType").is_none_or(|kind| kind == "complete")
}

fn absent_or(result: &Value, member: &str) -> String {
    match result.get(member) {
        None => "is absent".to_owned(),
        Some(value) => format!("is {value}"),
    }
}
