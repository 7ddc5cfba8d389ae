//! A8, probed half: calls behave as their hints say (rules `3.honest-annotations`,
//! `3.mutation-scope`).
//!
//! Code, because states are compared with what changes by itself taken out.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::compare::{differences, in_role, is_masked, payload, same_request, succeeded};
use super::prose::pattern;
use super::rows::is_partial;
use super::{Builtin, Look, View};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::contract::{Contract, Exchange, Tool};
use crate::score::Finding;

/// The checks of this family that look further than their subject.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("read-only-calls-change-nothing", read_only_calls_change_nothing),
    ("idempotent-repeats-change-nothing", idempotent_repeats_change_nothing),
    ("non-destructive-calls-only-add", non_destructive_calls_only_add),
];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[("artifacts-expire", artifacts_expire)];

/// The state is the same before and after a call of a read-only tool.
fn read_only_calls_change_nothing(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let Some((tool, call)) = called_tool(view.contract, case, Role::Call) else {
        return Look::Skip("the case calls no listed tool".into());
    };
    if !tool.is_read_only() {
        return Look::Skip("the tool is not marked read-only".into());
    }
    if !succeeded(call) {
        return Look::Skip("the call did not succeed".into());
    }
    compare_states(view, subject, case, (Role::Before, Role::After), |pointer| {
        format!(
            "{} is marked read-only, and a read shows a change at {pointer} after it",
            tool.name
        )
    })
}

/// The state after a call is the state after its repeat.
fn idempotent_repeats_change_nothing(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let Some((tool, call)) = called_tool(view.contract, case, Role::Call) else {
        return Look::Skip("the case calls no listed tool".into());
    };
    if tool.hint("idempotentHint") != Some(true) {
        return Look::Skip("the tool is not marked idempotent".into());
    }
    let Some(repeat) = in_role(case, Role::Repeat).into_iter().next() else {
        return Look::Skip("the call was not repeated".into());
    };
    if !succeeded(call) || !same_request(call, repeat) {
        return Look::Skip("no successful call was repeated unchanged".into());
    }
    compare_states(view, subject, case, (Role::After, Role::AfterRepeat), |pointer| {
        format!("{} is marked idempotent, and its repeat changed {pointer}", tool.name)
    })
}

/// What was there before a call of a tool that is marked not destructive is there after it.
fn non_destructive_calls_only_add(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let Some((tool, call)) = called_tool(view.contract, case, Role::Call) else {
        return Look::Skip("the case calls no listed tool".into());
    };
    if tool.hint("destructiveHint") != Some(false) || tool.is_read_only() {
        return Look::Skip("the tool is not marked as changing without destroying".into());
    }
    if !succeeded(call) {
        return Look::Skip("the call did not succeed".into());
    }
    let pairs = match states(case, Role::Before, Role::After) {
        Ok(pairs) => pairs,
        Err(why) => return Look::Skip(why.into()),
    };
    let masks = masks(view, case);
    let mut findings = Vec::new();
    for (before, after) in &pairs {
        let mut lost = Vec::new();
        content_lost(&before.1, &after.1, false, &mut String::new(), &mut lost);
        lost.retain(|(pointer, _)| !is_masked(pointer, &masks));
        findings.extend(lost.into_iter().take(3).map(|(pointer, old)| Finding {
            severity: None,
            subject: subject.name.clone(),
            message: format!(
                "{} is marked not destructive, and {pointer} lost what it held",
                tool.name
            ),
            seq: [before.0.seqs(), vec![call.seq], after.0.seqs()].concat(),
            pointer: "/result".into(),
            actual: old,
            expected: "destructiveHint: true, or only additions".into(),
        }));
    }
    Look::of(findings)
}

/// A read-only call that leaves an artifact says when it goes.
fn artifacts_expire(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let structured = call.structured().unwrap_or(&Value::Null);
    let artifacts: Vec<_> = ["artifact", "artifacts"]
        .iter()
        .filter_map(|key| structured.get(key))
        .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice))
        .filter_map(Value::as_object)
        .filter(|members| ["path", "uri", "file"].iter().any(|key| members.contains_key(*key)))
        .collect();
    if artifacts.is_empty() {
        return Look::Inapplicable("no result names an artifact".into());
    }
    if !call.tool.is_some_and(Tool::is_read_only) {
        return Look::Skip("the tool is not marked read-only".into());
    }
    let expires = |key: &String| {
        let key = key.to_lowercase();
        ["ttl", "expir", "lifetime"].iter().any(|word| key.contains(word))
    };
    let findings =
        artifacts.into_iter().filter(|members| !members.keys().any(expires)).map(|members| {
            Finding {
                message: format!(
                    "{} is read-only, left an artifact, and does not say when it goes",
                    call.name
                ),
                actual: Value::Object(members.clone()),
                ..super::finding(
                    subject,
                    "/structuredContent",
                    "",
                    "a ttl or an expiry beside the artifact",
                )
            }
        });
    Look::of(findings.collect())
}

/// The listed tool that the case calls in a role, with the first such call.
fn called_tool<'a>(
    contract: &'a Contract,
    case: &[&'a Exchange],
    role: Role,
) -> Option<(&'a Tool, &'a Exchange)> {
    let call =
        in_role(case, role).into_iter().find(|exchange| &*exchange.method == "tools/call")?;
    let tool = contract.tool(call.params.get("name")?.as_str()?)?;
    Some((tool, call))
}

/// A read of the state and what it showed.
type State<'a> = (&'a Exchange, Value);

/// The reads of two roles that asked the same and succeeded, in pairs.
fn states<'a>(
    case: &[&'a Exchange],
    first: Role,
    second: Role,
) -> Result<Vec<(State<'a>, State<'a>)>, &'static str> {
    let seconds = in_role(case, second);
    let shown = |read: &'a Exchange| Some((read, payload(read).filter(|_| succeeded(read))?));
    let pairs: Vec<_> = in_role(case, first)
        .into_iter()
        .filter_map(|one| {
            let two = seconds.iter().find(|two| same_request(one, two))?;
            Some((shown(one)?, shown(two)?))
        })
        .collect();
    match pairs.is_empty() {
        true => Err("the state was not read on both sides of the call"),
        false => Ok(pairs),
    }
}

/// What changes by itself in the reads of a case.
fn masks(view: &View<'_>, case: &[&Exchange]) -> BTreeSet<String> {
    let own = case.first().and_then(|exchange| exchange.step.as_deref());
    let reads = in_role(case, Role::Before).into_iter();
    reads.flat_map(|read| view.controls().masks(read, own)).collect()
}

fn compare_states(
    view: &View<'_>,
    subject: &Subject<'_>,
    case: &[&Exchange],
    (first, second): (Role, Role),
    message: impl Fn(&str) -> String,
) -> Look {
    let pairs = match states(case, first, second) {
        Ok(pairs) => pairs,
        Err(why) => return Look::Skip(why.into()),
    };
    let masks = masks(view, case);
    if masks.contains("") {
        return Look::Skip("everything changes by itself".into());
    }
    let mut findings = Vec::new();
    for ((one, a), (two, b)) in &pairs {
        let changed = differences(a, b);
        let Some(pointer) = changed.iter().find(|pointer| !is_masked(pointer, &masks)) else {
            continue;
        };
        let shown = if pointer.is_empty() { "the whole result" } else { pointer };
        findings.push(Finding {
            severity: None,
            subject: subject.name.clone(),
            message: message(shown),
            seq: [one.seqs(), two.seqs()].concat(),
            pointer: "/result".into(),
            actual: b.pointer(pointer).cloned().unwrap_or(Value::Null),
            expected: format!("as before: {}", a.pointer(pointer).unwrap_or(&Value::Null)),
        });
    }
    Look::of(findings)
}

/// Where content that was there is gone: members and rows removed, and prose replaced. Flags,
/// numbers, instants and tokens change with every honest addition and are looked past. So are rows
/// of a list of which one of the reads shows a part only (`partial`, or what stands beside the list
/// says so): an addition pushes them to another page.
fn content_lost(
    before: &Value,
    after: &Value,
    partial: bool,
    at: &mut String,
    lost: &mut Vec<(String, Value)>,
) {
    match (before, after) {
        (Value::Object(one), Value::Object(two)) => {
            let partial = partial || is_partial(one) || is_partial(two);
            for (key, old) in one.iter().filter(|(_, old)| !old.is_null()) {
                let length = at.len();
                at.push('/');
                at.push_str(key);
                match two.get(key) {
                    Some(new) => content_lost(old, new, partial, at, lost),
                    None if is_content(old) => lost.push((at.clone(), old.clone())),
                    None => {}
                }
                at.truncate(length);
            }
        }
        (Value::Array(_), Value::Array(_)) if partial => {}
        (Value::Array(one), Value::Array(two)) => {
            for old in one.iter().filter(|old| is_content(old)) {
                let id = identity(old);
                let kept =
                    two.iter().any(|new| new == old || (id.is_some() && identity(new) == id));
                if !kept && two.len() <= one.len() {
                    lost.push((at.clone(), old.clone()));
                }
            }
        }
        (Value::String(_), new) if is_content(before) && before != new => {
            lost.push((at.clone(), before.clone()));
        }
        _ => {}
    }
}

/// What identifies a row.
pub fn identity(row: &Value) -> Option<&Value> {
    let members = row.as_object()?;
    let exact = ["id", "key", "name", "uri", "url", "path", "number"]
        .iter()
        .find_map(|key| members.get(*key));
    exact.or_else(|| {
        let named = |key: &str| {
            ["_id", "Id", "_number", "_key", "_name"].iter().any(|end| key.ends_with(end))
        };
        members.iter().find(|(key, _)| named(key)).map(|(_, value)| value)
    })
}

fn is_content(value: &Value) -> bool {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\S{0,64}$|^\d{4}-\d\d-\d\d[T ]"));
    match value {
        Value::String(text) => !TOKEN.is_match(text),
        Value::Array(rows) => rows.iter().any(is_content),
        Value::Object(members) => members.values().any(is_content),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lost(before: Value, after: Value) -> Vec<String> {
        let mut lost = Vec::new();
        content_lost(&before, &after, false, &mut String::new(), &mut lost);
        lost.into_iter().map(|(pointer, _)| pointer).collect()
    }

    #[test]
    fn prose_and_rows_that_go_are_lost() {
        let before = json!({ "title": "Crash on save", "rows": [{ "id": 1, "text": "a b" }, { "id": 2, "text": "c d" }] });
        let after = json!({ "title": "Another title", "rows": [{ "id": 2, "text": "c d" }] });
        assert_eq!(lost(before, after), ["/title", "/rows"]);
    }

    #[test]
    fn rows_that_leave_a_page_are_not_lost_and_rows_of_a_whole_list_are() {
        let row = |id: u64| json!({ "id": id, "text": "a b" });
        let page = |rows: [u64; 2], more: Value| {
            let mut page = json!({ "title": "Newest first", "issues": rows.map(row) });
            page.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            page
        };
        for more in [
            json!({ "has_more": true }),
            json!({ "next_cursor": "p2" }),
            json!({ "nextCursor": 7 }),
            json!({ "issues_truncated": true }),
            json!({ "total": 3 }),
            json!({ "pagination": { "total_count": 3 } }),
            json!({ "pageInfo": { "hasNextPage": true } }),
        ] {
            let after = page([3, 2], more.clone());
            assert!(lost(page([2, 1], json!({})), after.clone()).is_empty(), "{more}");
            // The page as a whole is held to what it says.
            let mut renamed = after;
            renamed["title"] = json!("Another title");
            assert_eq!(lost(page([2, 1], json!({})), renamed), ["/title"], "{more}");
        }
        for more in [
            json!({ "has_more": false, "next_cursor": null, "total": 2 }),
            json!({ "next_cursor": "", "prev_cursor": "p0", "truncated": false }),
        ] {
            let (before, after) = (page([2, 1], more.clone()), page([3, 2], more.clone()));
            assert_eq!(lost(before, after), ["/issues"], "{more}");
        }
    }

    #[test]
    fn counters_stamps_tokens_flags_and_additions_lose_nothing() {
        let before = json!({ "count": 3, "locked": false, "version": "v:1", "updated_at": "2026-01-01T00:00:00Z", "rows": [{ "id": 1, "text": "a b" }] });
        let after = json!({ "count": 4, "locked": true, "version": "v:2", "updated_at": "2026-01-02T00:00:00Z", "rows": [{ "id": 1, "text": "a b", "edited": true }, { "id": 2 }] });
        assert!(lost(before, after).is_empty());
    }
}
