//! W1: every server message is valid for its revision.

use serde_json::Value;

use super::wire_facts::{
    FINDINGS_TOLD, agreed, finding_at, live_session, revision_of, server_capabilities,
};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{FrameFault, FrameFaultKind, StrayKind};
use crate::wire::{Messages, Revision, SchemaFault};

/// The checks of this family that look further than their subject.
pub(super) const CHECKS: &[(&str, Builtin)] =
    &[("message-frame-valid", message_frame_valid), ("result-valid", result_valid)];

/// The checks of this family that depend on the values of their subject alone.
pub(super) const OF_VALUES: &[(&str, Builtin)] = &[
    ("error-valid", error_valid),
    ("notification-valid", notification_valid),
    ("server-request-valid", server_request_valid),
];

/// Members that W3 judges; counting them here as well would charge one fault twice.
const JUDGED_BY_W3: [&str; 3] = ["/resultType", "/ttlMs", "/cacheScope"];

/// Frames of a session: the version member, one of result and error, no key twice, UTF-8, no batch
/// where the revision has none. A builtin because the builder takes the frames apart.
fn message_frame_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let session = match live_session(view, subject) {
        Ok(session) => session,
        Err(look) => return look,
    };
    let mut kinds: Vec<(&FrameFault, u64)> = Vec::new();
    for fault in view.contract.frame_faults.iter().filter(|f| f.session == session.number) {
        match kinds.iter().position(|(first, _)| first.kind == fault.kind) {
            Some(at) => kinds[at].1 += 1,
            None if kinds.len() < FINDINGS_TOLD => kinds.push((fault, 1)),
            None => {}
        }
    }
    let findings = kinds.into_iter().filter_map(|(fault, count)| {
        let (pointer, what, expected) = frame_words(&fault.kind)?;
        let times = if count > 1 { format!(" ({count} messages do so)") } else { String::new() };
        let message = format!("a message {what}{times}");
        Some(finding_at(subject, vec![fault.seq], &pointer, Value::Null, message, expected))
    });
    Look::of(findings.collect())
}

/// Pointer, predicate and what would be right; nothing for what the specification allows.
fn frame_words(kind: &FrameFaultKind) -> Option<(String, String, &'static str)> {
    Some(match kind {
        FrameFaultKind::Version(None) => {
            ("/jsonrpc".to_owned(), "has no jsonrpc member".to_owned(), "\"jsonrpc\": \"2.0\"")
        }
        FrameFaultKind::Version(Some(found)) => {
            ("/jsonrpc".to_owned(), format!("has jsonrpc {found}"), "\"jsonrpc\": \"2.0\"")
        }
        FrameFaultKind::ResultAndError => (
            "/error".to_owned(),
            "carries both result and error".to_owned(),
            "exactly one of result and error",
        ),
        FrameFaultKind::RepeatedKey(pointer) => {
            (pointer.clone(), format!("repeats the key {pointer}"), "every key once in an object")
        }
        FrameFaultKind::NotUtf8 => (String::new(), "is not valid UTF-8".to_owned(), "UTF-8 text"),
        FrameFaultKind::Batch => (
            String::new(),
            "is a batch, which the session's revision does not have".to_owned(),
            "one message a line (batches exist in 2025-03-26 alone)",
        ),
        // JSON-RPC forbids neither members of its own making nor depth.
        FrameFaultKind::UnknownMember(_) | FrameFaultKind::Unreadable(_) => return None,
    })
}

/// A result against the message schema of its revision and method.
fn result_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let Some(result) = exchange.result() else {
        return Look::Skip("not answered by a result".to_owned());
    };
    let Some(revision) = revision_of(view, exchange) else {
        return Look::Skip("no revision was agreed".to_owned());
    };
    let messages = Messages::of(revision);
    let extends = view
        .contract
        .session(exchange.session)
        .and_then(|session| server_capabilities(view, session))
        .and_then(|capabilities| capabilities.get("extensions"))
        .and_then(Value::as_object)
        .is_some_and(|extensions| !extensions.is_empty());
    let mut faults = messages.result(&exchange.method, result, extends);
    faults.retain(|fault| {
        !(revision.is_stateless() && JUDGED_BY_W3.contains(&&*fault.pointer))
            || (fault.pointer == "/resultType" && result.get("resultType").is_some())
    });
    let whose = format!("{} result ({revision})", exchange.method);
    Look::of(faults.into_iter().map(|fault| told(subject, &whose, fault)).collect())
}

/// An error object: integer code, string message, and the data that some codes bind.
fn error_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let Some(error) = exchange.error() else {
        return Look::Skip("not answered by an error".to_owned());
    };
    // Without an agreed revision the oldest one binds: what it asks for holds in all of them.
    let revision = revision_of(view, exchange).unwrap_or(Revision::V2024_11_05);
    let faults = Messages::of(revision).error(&error.whole);
    let told = faults.into_iter().map(|fault| {
        let actual = error.whole.pointer(&fault.pointer).cloned().unwrap_or(Value::Null);
        let message =
            format!("error of {}: error{} {}", exchange.method, fault.pointer, fault.what);
        let pointer = format!("/error{}", fault.pointer);
        finding_at(subject, subject.seq.clone(), &pointer, actual, message, fault.expected)
    });
    Look::of(told.collect())
}

/// A notification's params against the message schema.
fn notification_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Stray(stray) = subject.of else {
        return Look::Skip("not a notification".to_owned());
    };
    let StrayKind::Notification { method, params } = &stray.kind else {
        return Look::Skip("not a notification".to_owned());
    };
    unsolicited(view, subject, stray.session, method, params, Direction::Notification)
}

/// A server request's params against the message schema.
fn server_request_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Stray(stray) = subject.of else {
        return Look::Skip("not a server request".to_owned());
    };
    let StrayKind::Request { method, params } = &stray.kind else {
        return Look::Skip("not a server request".to_owned());
    };
    unsolicited(view, subject, stray.session, method, params, Direction::Request)
}

#[derive(Clone, Copy)]
enum Direction {
    Notification,
    Request,
}

fn unsolicited(
    view: &View<'_>,
    subject: &Subject<'_>,
    session: u32,
    method: &str,
    params: &Value,
    direction: Direction,
) -> Look {
    let Some(revision) = agreed(view, session) else {
        return Look::Skip("no revision was agreed".to_owned());
    };
    let messages = Messages::of(revision);
    let params = (!params.is_null()).then_some(params);
    let faults = match direction {
        Direction::Notification => messages.notification(method, params),
        Direction::Request => messages.request(method, params),
    };
    let Ok(faults) = faults else {
        // An extension may add methods of its own; the revision says nothing about their shape.
        return Look::Skip(format!("{method} is not defined in {revision}"));
    };
    let whose = format!("{method} ({revision})");
    Look::of(
        faults
            .into_iter()
            .map(|fault| {
                let actual = params.and_then(|params| params.pointer(&fault.pointer)).cloned();
                finding_at(
                    subject,
                    subject.seq.clone(),
                    &format!("/params{}", fault.pointer),
                    actual.unwrap_or(Value::Null),
                    format!("{whose}: params{} {}", fault.pointer, fault.what),
                    fault.expected,
                )
            })
            .collect(),
    )
}

fn told(subject: &Subject<'_>, whose: &str, fault: SchemaFault) -> crate::score::Finding {
    let place = if fault.pointer.is_empty() { "it" } else { &fault.pointer };
    finding(
        subject,
        &fault.pointer,
        format!("{whose}: {place} {}", fault.what),
        fault.expected.clone(),
    )
}
