//! A8, static half: what the listing itself says about effects (rules `3.honest-annotations`,
//! `3.annotation-defaults`, `3.ap-mode-annotations`).
//!
//! Presence of hints is said in jq; the checks here compare names, schemas and siblings.

use serde_json::Value;

use super::lexicon;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::Tool;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("verbs-agree-with-hints", verbs_agree_with_hints),
    ("sibling-hints-stated", sibling_hints_stated),
    ("sibling-hints-equal", sibling_hints_equal),
    ("modes-annotated-for-the-worst", modes_annotated_for_the_worst),
];

/// Verbs that change state (rule `3.honest-annotations`, static half).
const MUTATING: &[&str] = &["create", "add", "send", "post", "update", "delete", "set", "lock"];

/// Words that say that a created thing is a rendering or a file of the caller's own, whose
/// honesty only a judge can decide.
const ARTIFACTS: &[&str] = &[
    "chart",
    "diagram",
    "image",
    "plot",
    "graph",
    "map",
    "report",
    "preview",
    "export",
    "download",
    "file",
    "link",
    "url",
    "render",
    "visuali",
    "draft",
    "plan",
    "estimate",
    "temporary",
    "query",
    "prompt",
];

/// A verb that changes state is not marked read-only, and a create, send or post is not marked
/// idempotent without a required key that deduplicates.
fn verbs_agree_with_hints(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    if tool.annotations.is_none() {
        return Look::Skip("no annotations to compare with".into());
    }
    let parts = view.naming().parts(tool);
    let Some(verb) = parts.verb.as_deref().filter(|verb| MUTATING.contains(verb)) else {
        return Look::Skip("the name holds no verb that changes state".into());
    };
    let upserts = parts
        .nouns
        .iter()
        .any(|word| matches!(word.as_str(), "or" | "update" | "ensure" | "replace"));
    if upserts {
        return Look::Skip("the name says that it creates or updates".into());
    }
    if parts.nouns.is_empty() || takes_only_numbers(tool) {
        return Look::Skip("the name may be arithmetic rather than a change".into());
    }
    if tool.is_read_only() {
        let text = format!("{} {}", parts.nouns.join(" "), tool.description).to_lowercase();
        // To add may be arithmetic.
        if verb == "add" || ARTIFACTS.iter().any(|word| text.contains(word)) {
            return Look::Ask(format!(
                "{} is marked readOnlyHint: true; is what it makes gone when the response is used?",
                tool.name
            ));
        }
        return Look::Faulty(vec![finding(
            subject,
            "/annotations/readOnlyHint",
            format!("{} is marked read-only, and its name says `{verb}`", tool.name),
            "readOnlyHint: false, or a name that does not promise a change",
        )]);
    }
    let repeats = matches!(verb, "create" | "send" | "post");
    if repeats && tool.hint("idempotentHint") == Some(true) && !requires_dedup_key(tool) {
        return Look::Faulty(vec![finding(
            subject,
            "/annotations/idempotentHint",
            format!(
                "{} is marked idempotent, and no required key keeps a repeat from doing it again",
                tool.name
            ),
            "idempotentHint: false, or a required idempotency key",
        )]);
    }
    Look::Fine
}

fn takes_only_numbers(tool: &Tool) -> bool {
    let Some(properties) = properties(tool) else { return false };
    !properties.is_empty()
        && properties.values().all(|schema| {
            let kind = schema.get("type").and_then(Value::as_str);
            let items = schema.pointer("/items/type").and_then(Value::as_str);
            matches!(kind, Some("number" | "integer"))
                || matches!(items, Some("number" | "integer"))
        })
}

/// Whether a required argument keeps a repeat from doing it again: a key for that, or the identity
/// that the caller gives the new thing, which makes the second create a conflict.
fn requires_dedup_key(tool: &Tool) -> bool {
    let required = tool.input.get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str).any(|name| {
        let name = name.to_lowercase();
        let own_identity = ["id", "key", "name", "path", "slug", "uri"].contains(&name.as_str());
        own_identity
            || name.ends_with("_key")
            || ["idempoten", "dedup", "client_token", "request_id", "nonce"]
                .iter()
                .any(|part| name.contains(part))
    })
}

fn properties(tool: &Tool) -> Option<&serde_json::Map<String, Value>> {
    tool.input.get("properties")?.as_object()
}

/// Hints that mean something beside a value of `readOnlyHint`.
fn meaningful_hints(tool: &Tool) -> &'static [&'static str] {
    if tool.is_read_only() {
        &["openWorldHint"]
    } else {
        &["openWorldHint", "destructiveHint", "idempotentHint"]
    }
}

/// A tool states every hint that all its siblings state.
fn sibling_hints_stated(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let siblings = view.naming().siblings(tool);
    let Some(siblings) = siblings.filter(|all| others(view, tool, &all.all).next().is_some())
    else {
        return Look::Skip("no other tool has the same verb and readOnlyHint".into());
    };
    let missing = meaningful_hints(tool).iter().filter(|hint| {
        tool.hint(hint).is_none() && others(view, tool, siblings.with(hint, None)).next().is_none()
    });
    let names: Vec<_> =
        others(view, tool, &siblings.all).take(3).map(|t| t.name.as_str()).collect();
    Look::of(
        missing
            .map(|hint| {
                finding(
                    subject,
                    &format!("/annotations/{hint}"),
                    format!("{} leaves out {hint}, which {} state", tool.name, names.join(", ")),
                    format!("{hint} stated as on its siblings"),
                )
            })
            .collect(),
    )
}

/// Advisory: siblings with different explicit hints are a question for a judge.
fn sibling_hints_equal(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let siblings = view.naming().siblings(tool);
    let Some(siblings) = siblings.filter(|all| others(view, tool, &all.all).next().is_some())
    else {
        return Look::Skip("no other tool has the same verb and readOnlyHint".into());
    };
    for hint in ["destructiveHint", "idempotentHint"] {
        let Some(own) = tool.hint(hint) else { continue };
        if let Some(other) = others(view, tool, siblings.with(hint, Some(!own))).next() {
            return Look::Ask(format!(
                "{} and {} share a verb and differ in {hint}: does the difference have a reason?",
                tool.name, other.name
            ));
        }
    }
    Look::Fine
}

/// The tools at places of the list that have another name than a tool.
fn others<'a>(view: &View<'a>, tool: &Tool, places: &[usize]) -> impl Iterator<Item = &'a Tool> {
    let tools = &view.contract.tools;
    places.iter().map(|place| &tools[*place]).filter(|other| other.name != tool.name)
}

/// Names of parameters that choose what a tool does (rule `3.ap-mode-annotations`).
const MODE_NAMES: &[&str] = &["action", "mode", "operation", "op", "command", "method"];
/// First words of mode values that read.
const READING: &[&str] = &["get", "list", "read", "show", "search", "status", "describe", "check"];
/// First words of mode values that change.
const CHANGING: &[&str] = &["create", "add", "update", "set", "delete", "remove", "send", "lock"];

/// Whether a tool speaks of what is allowed rather than doing it.
fn asks_about_permission(tool: &Tool) -> bool {
    let text =
        format!("{} {}", tool.name.replace(['_', '-'], " "), tool.description).to_lowercase();
    [
        "whether",
        "can i",
        "allowed",
        "permission",
        "permitted",
        "authoriz",
        "may perform",
        "dry run",
        "simulat",
        "explain",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// A tool whose mode argument both reads and changes is annotated for its worst mode and says so.
fn modes_annotated_for_the_worst(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let mode = properties(tool).into_iter().flatten().find_map(|(name, schema)| {
        let values: Vec<_> =
            schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
        let begins = |verbs: &[&str]| {
            values.iter().copied().find(|value| {
                lexicon::words(value).first().is_some_and(|word| verbs.contains(&word.as_str()))
            })
        };
        let named = MODE_NAMES.contains(&name.to_lowercase().as_str());
        let (reads, changes) = (begins(READING)?, begins(CHANGING)?);
        named.then_some((name, reads, changes, begins(&["delete", "remove"])))
    });
    let Some((name, reads, changes, deletes)) = mode else {
        return Look::Inapplicable("no mode argument both reads and changes".into());
    };
    if tool.is_read_only() && asks_about_permission(tool) {
        return Look::Ask(format!(
            "does {} only ask whether {name}={changes} is allowed?",
            tool.name
        ));
    }
    let mut findings = Vec::new();
    if tool.is_read_only() {
        findings.push(finding(
            subject,
            "/annotations/readOnlyHint",
            format!("{} is marked read-only, and {name}={changes} changes state", tool.name),
            "readOnlyHint: false, or two tools",
        ));
    }
    if let Some(deletes) = deletes.filter(|_| tool.hint("destructiveHint") == Some(false)) {
        findings.push(finding(
            subject,
            "/annotations/destructiveHint",
            format!("{} is marked not destructive, and {name}={deletes} deletes", tool.name),
            "destructiveHint: true, or a tool of its own for deleting",
        ));
    }
    let says_so = {
        let text = tool.description.to_lowercase();
        ["annotation", "hint", "worst", "whole tool", "every mode", "all modes"]
            .iter()
            .any(|word| text.contains(word))
    };
    if findings.is_empty() && !says_so {
        findings.push(finding(
            subject,
            "/description",
            format!(
                "{} both reads ({name}={reads}) and changes ({name}={changes}), and its \
                 description does not say that the annotations are for the whole tool",
                tool.name
            ),
            "a sentence that the annotations hold for the worst mode, or two tools",
        ));
    }
    Look::of(findings)
}
