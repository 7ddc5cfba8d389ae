//! The builder: one event after the other.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::assemble::{Parts, assemble};
use super::intern::Interner;
use super::lists::note_page;
use super::session::{Id, SessionState};
use crate::capture::{Direction, EndCause, Event, Kind, Lifecycle, Transport, is_readable};
use crate::contract::{
    Answer, Contract, Exchange, FrameFault, FrameFaultKind, Garbage, HttpExchange, HttpHead, Stray,
    StrayKind,
};
use crate::wire::{Frame, Line, Revision};

/// How many strays, and how many frame faults, are kept.
const KEPT: usize = 20_000;
/// A notification is noted with the requests that are open when it comes: the newest of them, up
/// to this many, so that a flood costs a bounded amount each.
const NOTED_WITH: usize = 16;
/// How many notifications one exchange keeps.
const NOTED: usize = 1_000;
/// How many response heads one HTTP exchange keeps.
const HEADS: usize = 100;

/// Builds a [`Contract`] out of events.
#[derive(Debug, Default)]
pub struct Builder {
    parts: Parts,
    sessions: BTreeMap<u32, SessionState>,
    interner: Interner,
    /// HTTP exchange by session and number: its index.
    http: HashMap<(u32, u64), usize>,
    first_t_us: Option<u64>,
}

/// What every part of one event shares.
#[derive(Clone, Copy)]
struct At {
    seq: u64,
    session: u32,
    t_us: u64,
}

impl Builder {
    /// A builder that has seen nothing.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Takes in the next event. Events must come in the order of their `seq`.
    pub fn see(&mut self, event: &Event<'_>) {
        let at = At { seq: event.seq, session: event.session, t_us: event.t_us };
        self.parts.events += 1;
        self.parts.last_seq = event.seq;
        let first = *self.first_t_us.get_or_insert(event.t_us);
        self.parts.wall_us = event.t_us.saturating_sub(first);
        if let Some(header) = &event.hallmark {
            self.parts.header = Some((**header).clone());
        }
        if let Some(EndCause::Interrupted | EndCause::Limit) =
            event.end.as_ref().map(|end| end.cause)
        {
            // Hallmark did not wait for what was open then.
            self.close_all(at, &Answer::Truncated);
        }
        let session = self.sessions.entry(event.session).or_default();
        session.facts.number = event.session;
        session.facts.http |= event.transport == Transport::StreamableHttp;
        match event.kind {
            Kind::Lifecycle => self.see_lifecycle(event, at),
            Kind::Http => self.see_http(event, at),
            Kind::Message => self.see_message(event, at),
        }
        if let Some(end) = &event.end {
            self.parts.end = Some((**end).clone());
            self.close_all(at, &Answer::Unanswered);
        }
    }

    fn close_all(&mut self, at: At, answer: &Answer) {
        for number in self.sessions.keys().copied().collect::<Vec<_>>() {
            self.close_requests(number, at.t_us, answer.clone());
        }
    }

    /// The contract as far as it is known, for the driver, which plans from the same view that
    /// the judge will have. Costs a copy of the exchange list; payloads are shared.
    pub fn snapshot(&self) -> Contract {
        let sessions = self.sessions.values().map(|session| session.facts.clone()).collect();
        assemble(self.parts.clone(), sessions)
    }

    /// The exchanges so far, in order.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.parts.exchanges
    }

    /// The contract.
    pub fn finish(self) -> Contract {
        let sessions = self.sessions.into_values().map(|session| session.facts).collect();
        assemble(self.parts, sessions)
    }

    fn session(&mut self, number: u32) -> &mut SessionState {
        self.sessions.entry(number).or_default()
    }

    fn see_lifecycle(&mut self, event: &Event<'_>, at: At) {
        let facts = &mut self.session(at.session).facts;
        match event.event {
            Some(Lifecycle::TransportClose) => {
                facts.closed = true;
                self.close_requests(at.session, at.t_us, Answer::Unanswered);
            }
            Some(Lifecycle::TransportAbort) => {
                let words = event.detail.as_deref().unwrap_or_default().to_owned();
                facts.died.get_or_insert((at.seq, words));
                self.close_requests(at.session, at.t_us, Answer::Died);
            }
            Some(Lifecycle::TransportOpen) | None => {}
        }
    }

    /// Gives every open request of a session the answer that it will get no other.
    fn close_requests(&mut self, session: u32, t_us: u64, answer: Answer) {
        for (index, sent_us) in std::mem::take(&mut self.session(session).open) {
            let exchange = &mut self.parts.exchanges[index as usize];
            exchange.answer = answer.clone();
            exchange.waited_us = t_us.saturating_sub(sent_us);
        }
    }

    fn see_http(&mut self, event: &Event<'_>, at: At) {
        let head = HttpHead {
            seq: at.seq,
            method: self.interner.text(event.method.as_deref().unwrap_or_default()),
            status: event.status,
            headers: self.interner.headers(event.headers.as_ref()),
        };
        let number = event.exchange.unwrap_or_default();
        if event.direction == Direction::ClientToServer {
            self.http.insert((at.session, number), self.parts.http.len());
            self.parts.http.push(HttpExchange {
                number,
                session: at.session,
                step: self.interner.step(event.step.as_ref()),
                request: head,
                responses: Vec::new(),
            });
        } else if let Some(index) = self.http.get(&(at.session, number)) {
            let responses = &mut self.parts.http[*index].responses;
            if responses.len() < HEADS {
                responses.push(head);
            }
        }
    }

    fn see_message(&mut self, event: &Event<'_>, at: At) {
        let Some(payload) = event.payload else {
            return;
        };
        let from_server = event.direction == Direction::ServerToClient;
        if event.raw.is_some() && from_server {
            self.fault(at, FrameFaultKind::NotUtf8);
        }
        let line = Line::parse(payload.get()).expect("a raw value is valid JSON");
        match (line, from_server) {
            (Line::Frame(frame), true) => self.see_server_frame(frame, payload, at),
            (Line::Frame(frame), false) => self.see_client_frame(frame, payload, event, at),
            (Line::Text(text), true) => self.see_server_text(&text, at),
            (Line::Batch(items), true) => self.see_server_batch(&items, at),
            (Line::Scalar, true) => self.stray(at, StrayKind::NotMessage, payload.get()),
            (Line::Text(text), false) => self.note_garbage(&text, event, at),
            (_, false) => self.note_garbage(payload.get(), event, at),
        }
    }

    fn note_garbage(&mut self, line: &str, event: &Event<'_>, at: At) {
        let step = self.interner.step(event.step.as_ref());
        let excerpt = self.interner.excerpt(line);
        self.parts.garbage.push(Garbage { seq: at.seq, session: at.session, step, excerpt });
    }

    fn see_client_frame(&mut self, frame: Frame<'_>, line: &RawValue, event: &Event<'_>, at: At) {
        let (Some(method), id) = (&frame.method, frame.id) else {
            // Answers to the server's own requests are no probes.
            if frame.result.is_none() && frame.error.is_none() {
                self.note_garbage(line.get(), event, at);
            }
            return;
        };
        if method.as_ref() == "notifications/cancelled" {
            self.note_cancelled(frame.params, at);
        }
        let Some(id) = Id::of(id) else {
            // A null id is no request in MCP, and no notification either.
            if id.is_some() {
                self.note_garbage(line.get(), event, at);
            }
            return;
        };
        let params = match frame.params.map(|params| self.interner.value(params)) {
            Some(Ok(params)) => params.value,
            Some(Err(_)) | None => Arc::new(Value::Null),
        };
        let exchange = Exchange {
            seq: at.seq,
            answer_seq: None,
            session: at.session,
            step: self.interner.step(event.step.as_ref()),
            method: self.interner.text(method),
            params,
            answer: Answer::Truncated,
            waited_us: 0,
            cancelled_us: None,
            notifications: Vec::new(),
            http: event.exchange,
        };
        let index = u32::try_from(self.parts.exchanges.len()).expect("fewer requests than 2^32");
        let session = self.session(at.session);
        session.sent(id, index, at.t_us);
        session.suggest_revision(exchange.stated_revision(), false);
        self.parts.exchanges.push(exchange);
    }

    fn note_cancelled(&mut self, params: Option<&RawValue>, at: At) {
        #[derive(serde::Deserialize)]
        struct Cancelled<'a> {
            #[serde(borrow, rename = "requestId")]
            id: Option<&'a RawValue>,
        }
        let params =
            params.and_then(|params| serde_json::from_str::<Cancelled<'_>>(params.get()).ok());
        let Some(id) = params.and_then(|params| Id::of(params.id)) else { return };
        let session = self.session(at.session);
        let Some(index) = session.request(&id) else { return };
        let Some(sent_us) = session.open.get(&index) else { return };
        let after = at.t_us.saturating_sub(*sent_us);
        self.parts.exchanges[index as usize].cancelled_us = Some(after);
    }

    fn see_server_text(&mut self, text: &str, at: At) {
        // A message that is too deep, or has a number out of range, is kept as text. It is still
        // an answer, if not a readable one.
        let hidden = |text: &str| text.trim_start().starts_with('{') && !is_readable(text);
        let Some(rest) = text.strip_prefix('\u{feff}').or(hidden(text).then_some(text)) else {
            let kind = if text.trim().is_empty() { StrayKind::Blank } else { StrayKind::NotJson };
            return self.stray(at, kind, text);
        };
        if rest.len() < text.len() {
            // A byte-order mark hides a message from a strict parser; what it hides still counts.
            self.stray(at, StrayKind::Blank, text);
        }
        if let Ok(line) = serde_json::from_str::<&RawValue>(rest)
            && let Ok(Line::Frame(frame)) = Line::parse(line.get())
        {
            self.see_server_frame(frame, line, at);
        } else {
            self.stray(at, StrayKind::NotJson, rest);
        }
    }

    fn see_server_batch(&mut self, items: &[&RawValue], at: At) {
        if self.session(at.session).facts.revision != Some(Revision::V2025_03_26) {
            self.fault(at, FrameFaultKind::Batch);
        }
        for item in items {
            match Line::parse(item.get()) {
                Ok(Line::Frame(frame)) => self.see_server_frame(frame, item, at),
                _ => self.stray(at, StrayKind::NotMessage, item.get()),
            }
        }
    }

    fn see_server_frame(&mut self, frame: Frame<'_>, line: &RawValue, at: At) {
        if frame.jsonrpc.map(RawValue::get) != Some("\"2.0\"") {
            let found = frame.jsonrpc.map(|version| version.get().chars().take(40).collect());
            self.fault(at, FrameFaultKind::Version(found));
        }
        for member in &frame.unknown {
            self.fault(at, FrameFaultKind::UnknownMember(member.clone()));
        }
        for member in &frame.repeated {
            let pointer = crate::wire::join_pointer("", member);
            self.fault(at, FrameFaultKind::RepeatedKey(pointer));
        }
        match (&frame.method, frame.result.is_some() || frame.error.is_some()) {
            (Some(method), _) => {
                let method = method.clone().into_owned();
                let params = frame.params.and_then(|params| self.interner.value(params).ok());
                let params = params.map_or_else(Arc::default, |params| params.value);
                match frame.id {
                    Some(_) => self.stray(at, StrayKind::Request { method, params }, line.get()),
                    None => {
                        self.note_notification(at);
                        let kind = StrayKind::Notification { method, params };
                        self.stray(at, kind, line.get());
                    }
                }
            }
            (None, true) => self.see_response(frame, line, at),
            (None, false) => self.stray(at, StrayKind::NotMessage, line.get()),
        }
    }

    fn note_notification(&mut self, at: At) {
        let Some(session) = self.sessions.get(&at.session) else {
            return;
        };
        for index in session.open.keys().rev().take(NOTED_WITH) {
            let noted = &mut self.parts.exchanges[*index as usize].notifications;
            if noted.len() < NOTED {
                noted.push(at.seq);
            }
        }
    }

    fn see_response(&mut self, frame: Frame<'_>, line: &RawValue, at: At) {
        if frame.result.is_some() && frame.error.is_some() {
            self.fault(at, FrameFaultKind::ResultAndError);
        }
        let Some(id) = Id::of(frame.id) else {
            let error = frame.error.and_then(|error| self.interner.error(error).ok());
            let kind = StrayKind::NoId { error: error.map(|error| error.value) };
            return self.stray(at, kind, line.get());
        };
        let session = self.session(at.session);
        let known = session.request(&id);
        // An id that changed its type is a fault of its own; what it answers is plain all the same,
        // and judged, so that one fault is not blamed on every check that needs an answer.
        let near = || {
            let near = session.request(&id.lookalike()?)?;
            session.open.contains_key(&near).then_some(near)
        };
        let Some(index) = known.or_else(near) else {
            return self.stray(at, StrayKind::UnknownId { near: None }, line.get());
        };
        if known.is_none() {
            let near = Some(self.parts.exchanges[index as usize].seq);
            self.stray(at, StrayKind::UnknownId { near }, line.get());
        }
        let sent_us = self.session(at.session).open.remove(&index);
        let exchange = &self.parts.exchanges[index as usize];
        if exchange.answer_seq.is_some() {
            let request = exchange.seq;
            return self.stray(at, StrayKind::Repeated { request }, line.get());
        }
        let answer = match (frame.error, frame.result) {
            (Some(error), _) => self
                .interner
                .error(error)
                .map(|error| (Answer::Error(error.value), "/error", error.repeated)),
            (None, Some(result)) => self
                .interner
                .value(result)
                .map(|result| (Answer::Result(result.value), "/result", result.repeated)),
            (None, None) => unreachable!("a response has one of the two"),
        };
        let answer = match answer {
            Ok((answer, member, repeated)) => {
                for pointer in repeated.iter() {
                    let kind = FrameFaultKind::RepeatedKey(format!("{member}{pointer}"));
                    self.fault(at, kind);
                }
                answer
            }
            Err(reason) => {
                self.fault(at, FrameFaultKind::Unreadable(reason));
                Answer::Unanswered
            }
        };
        let exchange = &mut self.parts.exchanges[index as usize];
        exchange.answer_seq = Some(at.seq);
        if let Some(sent_us) = sent_us {
            exchange.waited_us = at.t_us.saturating_sub(sent_us);
        }
        exchange.answer = answer;
        note_page(&mut self.parts.lists, exchange, index as usize);
        self.note_revision(index as usize);
    }

    /// Learns the session's revision from an answered request.
    fn note_revision(&mut self, index: usize) {
        let exchange = &self.parts.exchanges[index];
        let Some(result) = exchange.result() else {
            return;
        };
        let session = self.sessions.entry(exchange.session).or_default();
        if matches!(&*exchange.method, "initialize" | "server/discover") {
            // Of several, the last one stands for the session: `initialize` after a probe.
            session.facts.introduction = Some(index);
        }
        if &*exchange.method == "initialize" {
            let version = result.get("protocolVersion").and_then(Value::as_str);
            session.agree_revision(version.and_then(|version| version.parse().ok()));
        } else if !session.facts.agreed {
            session.suggest_revision(exchange.stated_revision(), true);
        }
    }

    fn stray(&mut self, at: At, kind: StrayKind, line: &str) {
        if self.parts.strays.len() >= KEPT {
            self.parts.left_out += 1;
            return;
        }
        let excerpt = self.interner.excerpt(line);
        self.parts.strays.push(Stray { seq: at.seq, session: at.session, kind, excerpt });
    }

    fn fault(&mut self, at: At, kind: FrameFaultKind) {
        if self.parts.frame_faults.len() >= KEPT {
            self.parts.left_out += 1;
            return;
        }
        self.parts.frame_faults.push(FrameFault { seq: at.seq, session: at.session, kind });
    }
}
