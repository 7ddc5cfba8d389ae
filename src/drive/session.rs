//! A session: requests and their answers on one link.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::headers::ParamHeaders;
use super::tap::{Arrival, Sent, Tap};
use super::waiting::Waiting;
use super::{
    Agreement, Death, Dialer, Notification, OpenError, Progress, RawReply, Reply, framing,
    negotiate,
};
use crate::capture::{Step, Transport};
use crate::contract::Answer;
use crate::target::{Ending, Routing, TargetSpec};
use crate::wire::{Revision, Shape, code, shape_of};

/// One session with a target. Ids of its requests are integers that no other request of the run
/// has; requests of the server are answered (`ping` with a result, the rest with "method not
/// found"). Whatever the target does, every request ends within the limits of the dialer.
pub struct Session<'d> {
    dialer: &'d Dialer<'d>,
    spec: TargetSpec,
    tap: Option<Tap<'d>>,
    number: u32,
    agreement: Agreement,
    death: Option<Death>,
    notifications: Vec<Notification>,
    last: Option<(u64, String)>,
    step: Step,
    answered: bool,
    headers: ParamHeaders,
}

impl<'d> Session<'d> {
    pub(super) async fn open(
        dialer: &'d Dialer<'d>,
        spec: &TargetSpec,
        step: &Step,
    ) -> Result<Session<'d>, OpenError> {
        negotiate::open(dialer, spec, step).await
    }

    /// A session on a fresh link, on which nothing is agreed yet.
    pub(super) fn fresh(
        dialer: &'d Dialer<'d>,
        spec: &TargetSpec,
        revision: Revision,
        step: &Step,
    ) -> Result<Session<'d>, OpenError> {
        let tap = Tap::open(dialer, spec, step)?;
        let number = tap.session();
        (dialer.progress)(Progress::Opening { session: number });
        Ok(Session {
            dialer,
            spec: spec.clone(),
            tap: Some(tap),
            number,
            agreement: Agreement { revision, result: Value::Null, seq: 0 },
            death: None,
            notifications: Vec::new(),
            last: None,
            step: step.clone(),
            answered: false,
            headers: ParamHeaders::default(),
        })
    }

    pub(super) fn agree(&mut self, agreement: Agreement) {
        self.agreement = agreement;
    }

    /// Sends a request and waits for its answer. In 2026-07-28 `params` gets the protocol members of
    /// `_meta` that it does not have. On a session that is over nothing is sent.
    pub async fn request(&mut self, step: &Step, method: &str, params: Value) -> Reply {
        let limits = self.dialer.limits;
        let wait = if self.answered { self.dialer.request_wait() } else { limits.cold_start };
        self.request_within(step, method, params, wait).await
    }

    /// The same with a limit of its own on the wait.
    pub async fn request_within(
        &mut self,
        step: &Step,
        method: &str,
        params: Value,
        wait: Duration,
    ) -> Reply {
        self.exchange(step, method, params, wait, |_, _| ()).await
    }

    /// The same request, with message and routing headers altered at the last moment, so that they
    /// need not agree.
    pub(super) async fn altered(
        &mut self,
        step: &Step,
        method: &str,
        params: Value,
        alter: impl FnOnce(&mut Value, &mut Routing),
    ) -> Reply {
        self.exchange(step, method, params, self.dialer.request_wait(), alter).await
    }

    async fn exchange(
        &mut self,
        step: &Step,
        method: &str,
        params: Value,
        wait: Duration,
        alter: impl FnOnce(&mut Value, &mut Routing),
    ) -> Reply {
        self.catch_up(step).await;
        if self.tap.is_none() {
            return self.dead_reply();
        }
        let requests = self.dialer.recorder.counts().requests;
        (self.dialer.progress)(Progress::Sending { step, method, requests });
        let id = self.dialer.next_id();
        let params = framing::with_meta(self.agreement.revision, params);
        let mut routing = self.routing(method, &params);
        let mut message = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        alter(&mut message, &mut routing);
        let Some(sent) = self.send(step, method, &message, &routing, Some(id)).await else {
            return self.dead_reply();
        };
        let reply = self.wait(step, id, sent, wait).await;
        if let (Some(result), "tools/list") = (reply.result(), method) {
            self.headers.learn(result);
        }
        if matches!(reply.answer, Answer::Unanswered) {
            self.cancel(step, id, method, sent.exchange).await;
        }
        reply
    }

    /// Whether a target that left the request `left` unanswered still answers anything. One that does
    /// not is hung, or answers in a way that nobody can read: the session ends here, and that request
    /// is to blame.
    pub(super) async fn still_answers(&mut self, step: &Step, left: &Reply, method: &str) -> bool {
        let limits = self.dialer.limits;
        let sign = self.sign_of_life(method);
        let wait = limits.alive.min(limits.request);
        let reply = self.request_within(step, sign, json!({}), wait).await;
        let is_alive = if left.silent { !reply.silent } else { reply.is_answered() };
        if is_alive || reply.is_dead() {
            return true;
        }
        self.last = Some((left.seq, method.to_owned()));
        self.dialer.note_hang();
        self.die(step, if reply.silent { Ending::Hung } else { Ending::Unreadable }).await;
        false
    }

    /// A request that every server of the era answers out of itself, other than the one given. Some
    /// servers of the handshake eras do not know `ping`.
    fn sign_of_life(&self, unanswered: &str) -> &'static str {
        if self.agreement.revision.is_stateless() {
            "server/discover"
        } else if self.capabilities().get("tools").is_some() && unanswered != "tools/list" {
            "tools/list"
        } else {
            "ping"
        }
    }

    /// Sends a notification.
    pub async fn notify(&mut self, step: &Step, method: &str, params: Value) {
        self.catch_up(step).await;
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        let routing = self.routing(method, &Value::Null);
        self.send(step, method, &message, &routing, None).await;
    }

    /// The same over HTTP, and waits for the end of the response.
    pub(super) async fn notify_heard(&mut self, step: &Step, method: &str, params: Value) {
        self.notify(step, method, params).await;
        let deadline = Instant::now() + self.dialer.limits.alive;
        while let Some(tap) = &mut self.tap {
            match tap.next(step, deadline).await {
                Arrival::Message { seq, message, .. } => self.look_at(step, seq, &message).await,
                Arrival::Closed(ending) => self.die(step, ending).await,
                Arrival::Head { .. } => {}
                Arrival::End { .. } | Arrival::Quiet => break,
            }
        }
    }

    /// Sends a line as it is, and collects what comes back until the first response or until the
    /// wait is over.
    pub async fn raw(&mut self, step: &Step, line: &str, wait: Duration) -> RawReply {
        self.catch_up(step).await;
        let message: Value = serde_json::from_str(line).unwrap_or(Value::Null);
        let method = message.get("method").and_then(Value::as_str).unwrap_or("");
        let routing = self.routing(method, message.get("params").unwrap_or(&Value::Null));
        let Some(tap) = &mut self.tap else {
            return RawReply { seq: self.dead_reply().seq, died: true, ..RawReply::default() };
        };
        let sent = tap.send(step, line.as_bytes().to_vec(), &routing, None).await;
        self.sent(sent, step, "a raw line");
        let mut reply = RawReply { seq: sent.seq, ..RawReply::default() };
        let deadline = Instant::now() + wait;
        while let Some(tap) = &mut self.tap {
            match tap.next(step, deadline).await {
                Arrival::Message { seq, message, .. } => {
                    let is_response = message.get("method").is_none() && !message.is_null();
                    self.look_at(step, seq, &message).await;
                    reply.arrived.push((seq, message));
                    if is_response || reply.arrived.len() as u32 >= self.frames_limit() {
                        break;
                    }
                }
                Arrival::End { exchange, .. } if Some(exchange) == sent.exchange => break,
                Arrival::Closed(ending) => self.die(step, ending).await,
                Arrival::Quiet => break,
                Arrival::Head { .. } | Arrival::End { .. } => {}
            }
        }
        reply.died = self.death.is_some();
        reply
    }

    /// Closes this session and opens a fresh one with the same target.
    ///
    /// # Errors
    /// [`OpenError`]; this session is over all the same.
    pub async fn reopen(&mut self, step: &Step) -> Result<(), OpenError> {
        self.end(step).await;
        *self = Session::open(self.dialer, &self.spec.clone(), step).await?;
        Ok(())
    }

    /// Ends the session: DELETE of the server's session (HTTP); end of input, then signals (stdio).
    /// What crosses the wire then belongs to the step of the last frame sent.
    pub async fn close(mut self) {
        let step = self.step.clone();
        self.end(&step).await;
    }

    /// Its number within the capture.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The revision that it speaks.
    pub fn revision(&self) -> Revision {
        self.agreement.revision
    }

    /// What was agreed when it was opened.
    pub fn agreement(&self) -> &Agreement {
        &self.agreement
    }

    /// The capabilities of the server (null when it stated none).
    pub fn capabilities(&self) -> &Value {
        self.agreement.result.get("capabilities").unwrap_or(&Value::Null)
    }

    /// How it ended, when the target ended it.
    pub fn death(&self) -> Option<&Death> {
        self.death.as_ref()
    }

    /// Takes the notifications that arrived since the last time.
    pub fn take_notifications(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.notifications)
    }

    /// Opens the HTTP stream of server messages of the handshake eras.
    pub(super) async fn listen(&mut self, step: &Step) {
        let routing = self.routing("", &Value::Null);
        if let Some(tap) = &mut self.tap {
            tap.listen(step, &routing).await;
        }
    }

    pub(super) async fn end(&mut self, step: &Step) {
        let routing = self.routing("", &Value::Null);
        if let Some(tap) = self.tap.take() {
            tap.close(step, &routing).await;
        }
    }

    async fn send(
        &mut self,
        step: &Step,
        method: &str,
        message: &Value,
        routing: &Routing,
        id: Option<i64>,
    ) -> Option<Sent> {
        let tap = self.tap.as_mut()?;
        let sent = tap.send(step, message.to_string().into_bytes(), routing, id).await;
        self.sent(sent, step, method);
        Some(sent)
    }

    /// Remembers what is to blame should the session end.
    fn sent(&mut self, sent: Sent, step: &Step, what: &str) {
        self.last = Some((sent.seq, what.to_owned()));
        self.step.clone_from(step);
    }

    /// Waits for the answer to a request.
    async fn wait(&mut self, step: &Step, id: i64, sent: Sent, wait: Duration) -> Reply {
        let mut waiting = Waiting::new(id, sent, wait);
        while let Some(tap) = &mut self.tap {
            match tap.next(step, waiting.deadline).await {
                Arrival::Message { seq, mut message, unreadable } => {
                    self.count_frame(&mut waiting);
                    if unreadable {
                        waiting.doubt(format!("a message that cannot be read came (seq {seq})"));
                    }
                    let next_id = self.dialer.peek_id();
                    if let Some(reply) = waiting.answer(seq, &mut message, next_id) {
                        self.answered = true;
                        return reply;
                    }
                    self.look_at(step, seq, &message).await;
                }
                Arrival::Head { exchange, status } if Some(exchange) == sent.exchange => {
                    waiting.status = Some(status);
                }
                Arrival::End { exchange, note } if Some(exchange) == sent.exchange => {
                    waiting.http_end(note);
                    break;
                }
                Arrival::Closed(ending) => self.die(step, ending).await,
                Arrival::Quiet => break,
                Arrival::Head { .. } | Arrival::End { .. } => {}
            }
        }
        match &self.death {
            Some(_) => Reply { seq: sent.seq, ..self.dead_reply() },
            None => waiting.unanswered(),
        }
    }

    /// Counts a message that came while a request was open, and cuts a flood off.
    fn count_frame(&mut self, waiting: &mut Waiting) {
        waiting.frames += 1;
        let limit = self.frames_limit();
        if let Some(tap) = self.tap.as_mut().filter(|_| waiting.frames > limit) {
            tap.cut(Ending::Flood { limit });
        }
    }

    /// Deals with a message that answers nothing: keeps notifications, answers requests.
    async fn look_at(&mut self, step: &Step, seq: u64, message: &Value) {
        let reply = match shape_of(message) {
            Shape::Notification { method } => {
                if self.notifications.len() < self.frames_limit() as usize {
                    let params = message.get("params").cloned().unwrap_or(Value::Null);
                    self.notifications.push(Notification {
                        seq,
                        method: method.to_owned(),
                        params,
                    });
                }
                return;
            }
            Shape::Request { id, method: "ping" } => {
                json!({"jsonrpc": "2.0", "id": id, "result": {}})
            }
            Shape::Request { id, method } => {
                let message = format!("Method not found: {method}");
                let error = json!({"code": code::METHOD_NOT_FOUND, "message": message});
                json!({"jsonrpc": "2.0", "id": id, "error": error})
            }
            _ => return,
        };
        let routing = self.routing("", &Value::Null);
        self.send(step, "a response", &reply, &routing, None).await;
    }

    /// Looks at what has arrived since the last request, without waiting: a death that is found
    /// here is the doing of an earlier frame.
    async fn catch_up(&mut self, step: &Step) {
        // Lets the runtime look at the sockets and pipes once.
        tokio::task::yield_now().await;
        for _ in 0..self.frames_limit() {
            let Some(tap) = &mut self.tap else { return };
            match tap.next(step, Instant::now()).await {
                Arrival::Message { seq, message, .. } => self.look_at(step, seq, &message).await,
                Arrival::Closed(ending) => self.die(step, ending).await,
                Arrival::Quiet => return,
                Arrival::Head { .. } | Arrival::End { .. } => {}
            }
        }
    }

    /// Tells the target that a request is given up, as each transport does it.
    async fn cancel(&mut self, step: &Step, id: i64, method: &str, exchange: Option<u64>) {
        let Some(tap) = &mut self.tap else { return };
        tap.abandon(exchange);
        // Over HTTP dropping the response is the signal (2026-07-28); `initialize` must not be
        // cancelled (handshake eras).
        if tap.transport() == Transport::Stdio && method != "initialize" {
            let params = json!({"requestId": id, "reason": "no answer in time"});
            self.notify(step, "notifications/cancelled", params).await;
        }
    }

    async fn die(&mut self, step: &Step, ending: Ending) {
        let Some(tap) = self.tap.take() else { return };
        let (seq, frame) = self.last.clone().unwrap_or((0, "none".to_owned()));
        let death = Death { seq, frame, ending };
        let detail = death.to_string();
        tap.abort(step, &detail).await;
        (self.dialer.progress)(Progress::Died { session: self.number, detail: &detail });
        self.death = Some(death);
    }

    /// The reply on a session that is over.
    fn dead_reply(&self) -> Reply {
        let detail = self.death.as_ref().map(ToString::to_string);
        Reply {
            seq: self.death.as_ref().map_or(0, |death| death.seq),
            answer_seq: None,
            answer: Answer::Died,
            status: None,
            detail: Some(detail.unwrap_or_else(|| Ending::Ours.to_string())),
            silent: false,
        }
    }

    fn frames_limit(&self) -> u32 {
        self.dialer.limits.frames_per_request
    }

    fn routing(&self, method: &str, params: &Value) -> Routing {
        framing::routing(self.agreement.revision, &self.headers, method, params)
    }
}
