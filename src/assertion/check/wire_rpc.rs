//! W4, first half: who answers what. Ids come back as they were sent, and every request gets one
//! answer.

use serde_json::Value;
use serde_json::value::RawValue;

use super::wire_facts::{agreed, at_most_told, finding_at, live_session, strays};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{Answer, Exchange, Garbage, Session, Stray, StrayKind};
use crate::wire::{Line, Messages, Revision};

/// The checks of this family.
pub(super) const CHECKS: &[(&str, Builtin)] = &[
    ("id-echoed", id_echoed),
    ("one-answer-per-request", one_answer_per_request),
    ("requests-answered", requests_answered),
];

/// How long a request must have been open before its silence means something, in microseconds.
const PATIENCE_US: u64 = 1_000_000;

/// Lines of a session that hallmark sent and that are no messages.
pub(super) fn garbage<'a>(view: &View<'a>, session: &Session) -> impl Iterator<Item = &'a Garbage> {
    let number = session.number;
    view.contract.garbage.iter().filter(move |garbage| garbage.session == number)
}

/// Every response carries the id of a request, with the type that it was sent with.
fn id_echoed(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let session = match live_session(view, subject) {
        Ok(session) => session,
        Err(look) => return look,
    };
    let findings = strays(view, session).filter_map(|stray| {
        let StrayKind::UnknownId { near } = stray.kind else {
            return None;
        };
        let id = id_of(&stray.excerpt);
        let shown = id.clone().map_or_else(|| "an id".to_owned(), |id| format!("id {id}"));
        let (seq, message) = match near {
            Some(request) => {
                let message =
                    format!("the answer to a request comes back with {shown}, another type");
                (vec![request, stray.seq], message)
            }
            None if was_sent_in_garbage(view, session, stray, id.as_ref()) => return None,
            None => (vec![stray.seq], format!("a response carries {shown}, which no request has")),
        };
        let actual = id.unwrap_or_default();
        Some(finding_at(subject, seq, "/id", actual, message, "the id of the request, unchanged"))
    });
    Look::of(at_most_told(findings.collect()))
}

/// The id in the beginning of a message, when it can still be read there.
fn id_of(excerpt: &str) -> Option<Value> {
    match Line::parse(excerpt).ok()? {
        Line::Frame(frame) => serde_json::from_str(frame.id.map(RawValue::get)?).ok(),
        _ => None,
    }
}

/// Whether a line that is no message, sent before, carried the id: a server may answer that.
fn was_sent_in_garbage(
    view: &View<'_>,
    session: &Session,
    stray: &Stray,
    id: Option<&Value>,
) -> bool {
    garbage(view, session).take_while(|sent| sent.seq < stray.seq).any(|sent| {
        match (id_of(&sent.excerpt), id) {
            (Some(sent), Some(id)) => sent == *id,
            // What cannot be read cannot be held against the server.
            _ => sent.excerpt.contains("\"id\""),
        }
    })
}

/// No request is answered twice, and nothing else is answered at all, but for an error to a line
/// whose id could not be read.
fn one_answer_per_request(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let session = match live_session(view, subject) {
        Ok(session) => session,
        Err(look) => return look,
    };
    let findings = strays(view, session).filter_map(|stray| {
        let (seq, message, expected) = match &stray.kind {
            StrayKind::Repeated { request } => (
                vec![*request, stray.seq],
                "a second response to one request".to_owned(),
                "one response a request",
            ),
            StrayKind::NoId { error: None } => (
                vec![stray.seq],
                "a result without an id: no request can be waiting for it".to_owned(),
                "results for requests alone, with their ids; notifications are never answered",
            ),
            StrayKind::NoId { error: Some(error) } => {
                // Over HTTP an error without an id may refuse a whole POST.
                if session.http || garbage(view, session).any(|sent| sent.seq < stray.seq) {
                    return None;
                }
                let code = error.code.map_or_else(String::new, |code| format!(" {code}"));
                (
                    vec![stray.seq],
                    format!("an error{code} without an id, though every line sent was a message"),
                    "errors for requests alone, with their ids; notifications are never answered",
                )
            }
            _ => return None,
        };
        let actual = Value::from(&*stray.excerpt);
        Some(finding_at(subject, seq, "", actual, message, expected))
    });
    Look::of(at_most_told(findings.collect()))
}

/// A request that needs no backend is answered, by a result or by an error.
fn requests_answered(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    match exchange.answer {
        Answer::Result(_) | Answer::Error(_) => return Look::Fine,
        Answer::Died => return died_over(view, subject, exchange),
        Answer::Truncated => return Look::Skip("the capture ends before the answer".to_owned()),
        Answer::Unanswered => {}
    }
    let Some(revision) = agreed(view, exchange.session) else {
        return Look::Skip("no revision was agreed: silence may mean another era".to_owned());
    };
    if !answers_alone(&exchange.method, revision) {
        return Look::Skip("no answer; it may wait for something behind the server".to_owned());
    }
    if exchange.waited_us < PATIENCE_US {
        return Look::Skip("the session ended within a second of it".to_owned());
    }
    let session = view.contract.session(exchange.session);
    let astray = session.into_iter().flat_map(|session| strays(view, session)).any(|stray| {
        let is_response =
            matches!(stray.kind, StrayKind::UnknownId { .. } | StrayKind::NoId { .. });
        is_response && stray.seq > exchange.seq
    });
    if astray {
        return Look::Skip("a response with another id may be its answer".to_owned());
    }
    let seconds = exchange.waited_us as f64 / 1e6;
    let message = format!("{} got no answer in {seconds:.1} s", exchange.method);
    Look::Faulty(vec![finding(subject, "", message, "a result or an error with its id")])
}

/// The last request that a process of its own read before it ended by itself: whatever the request
/// was, it should have been answered. Requests that were open beside it are not to blame.
fn died_over(view: &View<'_>, subject: &Subject<'_>, exchange: &Exchange) -> Look {
    let died = view.contract.session(exchange.session).and_then(|session| {
        let (seq, how) = session.died.as_ref()?;
        (!session.http).then_some((*seq, how))
    });
    let Some((seq, how)) = died else {
        return Look::Skip("the connection broke over it".to_owned());
    };
    let is_last = view.contract.exchanges_of(exchange.session).last();
    if is_last.is_some_and(|last| last.seq != exchange.seq) {
        return Look::Skip("the server died over another request".to_owned());
    }
    // Somebody else may have ended it: an operator, or a system without memory.
    if [
        "signal 1 ",
        "signal 2 ",
        "signal 9 ",
        "signal 15 ",
        "SIGKILL",
        "SIGTERM",
        "SIGINT",
        "SIGHUP",
    ]
    .iter()
    .any(|outside| how.contains(outside))
    {
        return Look::Skip(format!("the server was ended: {how}"));
    }
    let detail = how.split(';').next().unwrap_or(how);
    let message = format!("{} ended the server: {detail}", subject.name);
    let mut found = finding(subject, "", message, "an answer, and a server that goes on");
    found.seq = vec![exchange.seq, seq];
    found.actual = Value::from(how.as_str());
    Look::Faulty(vec![found])
}

/// Whether a server can answer the method out of itself. Discovery of another era than the
/// session's may be met with silence.
fn answers_alone(method: &str, revision: Revision) -> bool {
    match method {
        "server/discover" => revision.is_stateless(),
        "initialize" | "ping" => !revision.is_stateless(),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => true,
        // A method that exists nowhere needs nothing but a refusal.
        _ => !Revision::ALL.iter().any(|known| Messages::of(*known).knows_method(method)),
    }
}
