//! W1: every server message is valid for its revision.

use serde_json::{Value, json};

use super::wire_facts::{finding_at, revision_of, server_capabilities};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::StrayKind;
use crate::wire::{Messages, SchemaFault};

/// The checks of this family.
pub(super) const CHECKS: &[(&str, Builtin)] = &[
    ("message-frame-valid", message_frame_valid),
    ("result-valid", result_valid),
    ("error-data-valid", error_data_valid),
    ("notification-valid", notification_valid),
    ("server-request-valid", server_request_valid),
];

/// Members that W3 judges; counting them here as well would charge one fault twice.
const JUDGED_BY_W3: [&str; 3] = ["/resultType", "/ttlMs", "/cacheScope"];

/// Frames of a session: `jsonrpc`, ids, exactly one of result and error, the error's own shape.
/// A builtin because the frame is taken apart before the contract is built.
fn message_frame_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Session(session) = subject.of else {
        return Look::Skip("not a session".to_owned());
    };
    let notes = view.contract.frames.iter().filter(|note| note.session == session.number);
    Look::of(
        notes
            .map(|note| {
                let times = match note.count {
                    1 => String::new(),
                    count => format!(" (in {count} messages)"),
                };
                finding_at(
                    subject,
                    vec![note.seq],
                    &note.fault.pointer(),
                    note.fault.actual().map_or(Value::Null, |text| {
                        serde_json::from_str(text).unwrap_or_else(|_| json!(text))
                    }),
                    format!("a message {}{times}", note.fault),
                    note.fault.expected(),
                )
            })
            .collect(),
    )
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

/// Codes that bind the shape of `data`: the finding says what is missing in it.
fn error_data_valid(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let (Some(error), Some(revision)) = (exchange.error(), revision_of(view, exchange)) else {
        return Look::Skip("no error, or no revision was agreed".to_owned());
    };
    let Some(code) = error.code.filter(|code| Messages::of(revision).binds_error(*code)) else {
        return Look::Skip("the code binds no data".to_owned());
    };
    let whole = match &error.data {
        Value::Null => json!({}),
        data => json!({ "data": data }),
    };
    let faults = Messages::of(revision).error(code, &whole);
    let whose = format!("error {code} of {}", exchange.method);
    Look::of(
        faults
            .into_iter()
            .map(|fault| {
                let actual = whole.pointer(&fault.pointer).cloned().unwrap_or(Value::Null);
                finding_at(
                    subject,
                    subject.seq.clone(),
                    &format!("/error{}", fault.pointer),
                    actual,
                    format!("{whose}: {} {}", fault.pointer, fault.what),
                    fault.expected,
                )
            })
            .collect(),
    )
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
    let Some(revision) = view.contract.session(session).and_then(|session| session.revision) else {
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
                let actual =
                    params.and_then(|params| params.pointer(&fault.pointer)).cloned();
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
