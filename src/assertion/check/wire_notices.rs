//! W2, second half: notifications come only where somebody wants them.

use std::collections::HashMap;

use serde_json::Value;

use super::wire_facts::{
    META_LOG_LEVEL, META_PROGRESS, agreed, at_most_told, finding_at, meta, server_capabilities,
    strays,
};
use super::wire_rpc::garbage;
use super::{Builtin, Look, View};
use crate::assertion::{Of, Subject};
use crate::contract::{Exchange, Session, Stray, StrayKind};
use crate::score::Finding;
use crate::wire::Revision;

/// The checks of this family.
pub(super) const CHECKS: &[(&str, Builtin)] = &[
    ("log-messages-wanted", log_messages_wanted),
    ("changes-subscribed", changes_subscribed),
    ("progress-follows-token", progress_follows_token),
];

/// A session with its agreed revision, or why there is nothing to judge.
fn settled<'a>(view: &View<'a>, subject: &Subject<'a>) -> Result<(&'a Session, Revision), Look> {
    let Of::Session(session) = subject.of else {
        return Err(Look::Skip("not a session".to_owned()));
    };
    match agreed(view, session.number) {
        Some(revision) => Ok((session, revision)),
        None => Err(Look::Skip("no revision was agreed".to_owned())),
    }
}

/// Notifications of a session: sequence number, method, params.
fn notifications<'a>(
    view: &View<'a>,
    session: &Session,
) -> impl Iterator<Item = (&'a Stray, &'a str, &'a Value)> {
    strays(view, session).filter_map(|stray| match &stray.kind {
        StrayKind::Notification { method, params } => Some((stray, &**method, &**params)),
        _ => None,
    })
}

fn requests<'a>(view: &View<'a>, session: &Session) -> impl Iterator<Item = &'a Exchange> {
    view.contract.exchanges_of(session.number)
}

/// Log messages: in the stateless era only for a request that set a log level; before, only from a
/// server that advertises `logging`.
fn log_messages_wanted(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let (session, revision) = match settled(view, subject) {
        Ok(found) => found,
        Err(look) => return look,
    };
    let mut messages = notifications(view, session).filter(|(stray, method, _)| {
        *method == "notifications/message" && !provoked_by_garbage(view, session, stray)
    });
    let unwanted: Vec<_> = if revision.is_stateless() {
        let wanted = requests(view, session)
            .filter(|exchange| meta(exchange, META_LOG_LEVEL).is_some())
            .map(|exchange| (exchange.seq, exchange.answer_seq.unwrap_or(u64::MAX)));
        let wanted = Spans::of(wanted);
        let Some(first) = messages.next() else {
            return Look::Skip("no log messages".to_owned());
        };
        std::iter::once(first)
            .chain(messages)
            .filter(|(stray, ..)| wanted.first_around(stray.seq).is_none())
            .collect()
    } else {
        let logging =
            server_capabilities(view, session).is_some_and(|caps| caps.get("logging").is_some());
        let all: Vec<_> = messages.collect();
        if all.is_empty() {
            return Look::Skip("no log messages".to_owned());
        }
        if logging { Vec::new() } else { all }
    };
    let Some((first, ..)) = unwanted.first() else {
        return Look::Fine;
    };
    let count = unwanted.len();
    let (message, expected) = if revision.is_stateless() {
        let message = format!("{count} log messages for no request that set a log level");
        (message, "notifications/message only for a request with a log level in its _meta")
    } else {
        let message = format!("{count} log messages from a server that does not advertise logging");
        (message, "the capability logging, or no notifications/message")
    };
    let actual = Value::from("notifications/message");
    Look::Faulty(vec![finding_at(subject, vec![first.seq], "/method", actual, message, expected)])
}

/// Whether the last line before a notification was no message: no client sends such a line but to
/// probe, so what a server says of it is nobody's trouble.
fn provoked_by_garbage(view: &View<'_>, session: &Session, stray: &Stray) -> bool {
    let Some(line) = garbage(view, session).take_while(|sent| sent.seq < stray.seq).last() else {
        return false;
    };
    let next = view.contract.exchanges.partition_point(|exchange| exchange.seq < line.seq);
    let later = view.contract.exchanges[next..].iter();
    !later
        .take_while(|exchange| exchange.seq < stray.seq)
        .any(|exchange| exchange.session == session.number)
}

/// Change notifications: in the stateless era only to a listener that asked for the kind; before,
/// list changes only where `listChanged` is advertised, updates only of subscribed resources.
fn changes_subscribed(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let (session, revision) = match settled(view, subject) {
        Ok(found) => found,
        Err(look) => return look,
    };
    let capabilities = server_capabilities(view, session);
    let listeners: Vec<&Exchange> = requests(view, session)
        .filter(|e| matches!(&*e.method, "subscriptions/listen" | "resources/subscribe"))
        .collect();
    let mut looked_at = 0;
    let mut findings: Vec<Finding> = Vec::new();
    for (stray, method, params) in notifications(view, session) {
        let Some((kind, filter)) = change_kind(method) else {
            continue;
        };
        looked_at += 1;
        let mut before = listeners.iter().take_while(|exchange| exchange.seq < stray.seq);
        let is_wanted = if revision.is_stateless() {
            before.any(|exchange| asks_for(&exchange.params, filter))
        } else if method == "notifications/resources/updated" {
            before.any(|exchange| exchange.params.get("uri") == params.get("uri"))
        } else {
            let listed = capabilities.and_then(|caps| caps.get(kind)?.get("listChanged"));
            listed == Some(&Value::Bool(true))
        };
        if is_wanted {
            continue;
        }
        let (message, expected) = if revision.is_stateless() {
            let message = format!("{method} without a listener that asked for it");
            (message, format!("{method} only after subscriptions/listen with {filter}"))
        } else if method == "notifications/resources/updated" {
            let message = format!("{method} for a resource that nobody subscribed to");
            (message, "updates of subscribed resources alone".to_owned())
        } else {
            let message = format!("{method} though {kind}.listChanged is not advertised");
            (message, format!("{kind}.listChanged: true among the capabilities"))
        };
        let actual = Value::from(method);
        findings.push(finding_at(subject, vec![stray.seq], "/method", actual, message, expected));
    }
    if looked_at == 0 {
        return Look::Skip("no change notifications".to_owned());
    }
    Look::of(at_most_told(findings))
}

/// Capability and subscription filter of a change notification.
fn change_kind(method: &str) -> Option<(&'static str, &'static str)> {
    match method {
        "notifications/tools/list_changed" => Some(("tools", "toolsListChanged")),
        "notifications/prompts/list_changed" => Some(("prompts", "promptsListChanged")),
        "notifications/resources/list_changed" => Some(("resources", "resourcesListChanged")),
        "notifications/resources/updated" => Some(("resources", "resourceSubscriptions")),
        _ => None,
    }
}

fn asks_for(params: &Value, filter: &str) -> bool {
    match params.get("notifications").and_then(|filters| filters.get(filter)) {
        Some(Value::Bool(wanted)) => *wanted,
        Some(Value::Array(uris)) => !uris.is_empty(),
        _ => false,
    }
}

/// Stretches of a session from a request to its answer, in the order of their beginnings.
struct Spans {
    starts: Vec<u64>,
    /// The latest end of this one and all before it.
    latest: Vec<u64>,
}

impl Spans {
    fn of(spans: impl IntoIterator<Item = (u64, u64)>) -> Spans {
        let mut made = Spans { starts: Vec::new(), latest: Vec::new() };
        for (start, end) in spans {
            made.starts.push(start);
            made.latest.push(made.latest.last().map_or(end, |latest| end.max(*latest)));
        }
        made
    }

    /// The beginning of the first stretch that a sequence number lies in.
    fn first_around(&self, seq: u64) -> Option<u64> {
        // The first whose latest end is late enough is the first that ends late enough itself.
        let at = self.latest.partition_point(|latest| *latest < seq);
        self.starts.get(at).copied().filter(|start| *start <= seq)
    }
}

/// Progress names the token of a request that is being worked on, and grows.
fn progress_follows_token(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let (session, _) = match settled(view, subject) {
        Ok(found) => found,
        Err(look) => return look,
    };
    let mut reports = notifications(view, session)
        .filter(|(_, method, _)| *method == "notifications/progress")
        .peekable();
    if reports.peek().is_none() {
        return Look::Skip("no progress notifications".to_owned());
    }
    let mut tokens: HashMap<String, Vec<(u64, u64)>> = HashMap::new();
    for exchange in requests(view, session) {
        let Some(token) = meta(exchange, META_PROGRESS) else {
            continue;
        };
        // A task goes on after the answer that names it.
        let is_task = exchange.result().is_some_and(|result| {
            result.get("task").is_some() || result.get("resultType") == Some(&Value::from("task"))
        });
        let until = if is_task { None } else { exchange.answer_seq };
        let span = (exchange.seq, until.unwrap_or(u64::MAX));
        tokens.entry(token.to_string()).or_default().push(span);
    }
    let tokens: HashMap<String, Spans> =
        tokens.into_iter().map(|(token, spans)| (token, Spans::of(spans))).collect();
    let mut last: HashMap<(String, u64), f64> = HashMap::new();
    let mut findings = Vec::new();
    for (stray, _, params) in reports {
        let Some(token) = params.get("progressToken") else {
            continue; // `notification-valid` says that it is missing.
        };
        let key = token.to_string();
        let spans = tokens.get(&key);
        let Some(start) = spans.and_then(|spans| spans.first_around(stray.seq)) else {
            let message = if spans.is_none() {
                format!("progress for the token {key}, which no request carried")
            } else {
                format!("progress for the token {key} after its request was answered")
            };
            let expected = "progress for the token of a request in progress";
            let pointer = "/params/progressToken";
            let seq = vec![stray.seq];
            findings.push(finding_at(subject, seq, pointer, token.clone(), message, expected));
            continue;
        };
        let Some(progress) = params.get("progress").and_then(Value::as_f64) else {
            continue;
        };
        let before = last.insert((key.clone(), start), progress);
        if let Some(before) = before.filter(|before| progress <= *before) {
            let message = format!("progress for {key} goes from {before} to {progress}");
            let actual = Value::from(progress);
            let seq = vec![stray.seq];
            let pointer = "/params/progress";
            let expected = "a progress value that increases with each notification";
            findings.push(finding_at(subject, seq, pointer, actual, message, expected));
        }
    }
    Look::of(at_most_told(findings))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stretch_around_a_number_is_found() {
        let spans = [(1, 4), (3, 20), (5, 6), (8, 30), (40, 50)];
        for seq in 0..60 {
            let slow = spans.iter().find(|s| (s.0..=s.1).contains(&seq)).map(|s| s.0);
            assert_eq!(Spans::of(spans).first_around(seq), slow, "{seq}");
        }
    }
}
