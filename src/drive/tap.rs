//! The one place between target and recorder: everything that crosses the wire passes through, is
//! recorded, and meets the fault rules.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep_until};
use tracing::debug;

use super::Dialer;
use super::waiting::is_meant_as_message;
use crate::capture::{Direction, Lifecycle, Place, Step, Transport};
use crate::fault::Delivery;
use crate::target::{
    Ending, Incoming, Link, LinkError, RequestHead, Routing, TargetSpec, teach_secrets,
};

/// How long a target may take to end after its input was closed.
const END_OF_INPUT: Duration = Duration::from_millis(700);
/// How long it may take after it was asked to terminate.
const TERMINATE: Duration = Duration::from_millis(400);
/// How long the end of the server's HTTP session may take.
const DELETE: Duration = Duration::from_secs(1);

/// A link whose traffic is recorded.
pub(super) struct Tap<'d> {
    dialer: &'d Dialer<'d>,
    link: Link,
    session: u32,
    transport: Transport,
    /// Steps of requests that were not answered yet, by id.
    open: HashMap<i64, Step>,
    /// Frames sent over HTTP, by exchange, as long as their response is open.
    exchanges: HashMap<u64, (Step, Vec<u8>)>,
    /// Frames that a fault rule delays, and what it made of one frame beyond the first.
    later: Vec<(Instant, Frame)>,
    ready: VecDeque<Frame>,
    ended: Option<Ending>,
    last_word: LastWord<'d>,
}

/// Sees to it that the capture tells the end of every session, also of one that is dropped because
/// the run is cut short.
struct LastWord<'d> {
    dialer: &'d Dialer<'d>,
    session: u32,
    transport: Transport,
    said: bool,
}

impl LastWord<'_> {
    fn say(&mut self, step: Option<&Step>, moment: Lifecycle, detail: Option<&str>) {
        let LastWord { session, transport, .. } = *self;
        let place = Place { session, transport, step, exchange: None };
        self.dialer.recorder.lifecycle(place, moment, detail);
        self.said = true;
    }
}

impl Drop for LastWord<'_> {
    fn drop(&mut self) {
        if !self.said {
            self.say(None, Lifecycle::TransportClose, Some("hallmark ended the run"));
        }
    }
}

/// A frame after the fault rules, before the recorder.
struct Frame {
    bytes: Vec<u8>,
    exchange: Option<u64>,
}

/// What arrived, recorded.
#[derive(Debug)]
pub(super) enum Arrival {
    /// A message, or a line that should have been one (JSON null then).
    Message {
        /// Sequence number.
        seq: u64,
        /// The message, as it was on the wire but for bad UTF-8.
        message: Value,
        /// Whether it is not JSON, though it was meant as a message.
        unreadable: bool,
    },
    /// The head of an HTTP response.
    Head {
        /// Which exchange.
        exchange: u64,
        /// Status code.
        status: u16,
    },
    /// The end of an HTTP response.
    End {
        /// Which exchange.
        exchange: u64,
        /// What broke it, or what it held instead of a message.
        note: Option<String>,
    },
    /// The link is gone.
    Closed(Ending),
    /// Nothing until the deadline.
    Quiet,
}

/// A frame that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent {
    /// Sequence number.
    pub(super) seq: u64,
    /// HTTP exchange.
    pub(super) exchange: Option<u64>,
}

impl<'d> Tap<'d> {
    /// Opens a link and records that.
    pub(super) fn open(
        dialer: &'d Dialer<'d>,
        spec: &TargetSpec,
        step: &Step,
    ) -> Result<Tap<'d>, LinkError> {
        dialer.recorder.teach(|redactor| teach_secrets(spec, redactor));
        let session = dialer.next_session();
        let transport = spec.transport();
        let place = Place { session, transport, step: Some(step), exchange: None };
        dialer.recorder.lifecycle(place, Lifecycle::TransportOpen, None);
        debug!(session, ?transport, flow = ?step.flow, "opened a session");
        let link = Link::open(spec, &dialer.limits).inspect_err(|error| {
            let detail = error.to_string();
            dialer.recorder.lifecycle(place, Lifecycle::TransportAbort, Some(&detail));
        })?;
        Ok(Tap {
            dialer,
            link,
            session,
            transport,
            open: HashMap::new(),
            exchanges: HashMap::new(),
            later: Vec::new(),
            ready: VecDeque::new(),
            ended: None,
            last_word: LastWord { dialer, session, transport, said: false },
        })
    }

    pub(super) fn session(&self) -> u32 {
        self.session
    }

    pub(super) fn transport(&self) -> Transport {
        self.transport
    }

    /// Records a frame, lets the fault rules change it, and sends it. With an id, the frame is a
    /// request whose answer belongs to the same step.
    pub(super) async fn send(
        &mut self,
        step: &Step,
        bytes: Vec<u8>,
        routing: &Routing,
        id: Option<i64>,
    ) -> Sent {
        if let Some(id) = id {
            self.open.insert(id, step.clone());
            self.dialer.recorder.count_request();
        }
        let mut head = self.link.head(routing);
        let exchange = head.as_ref().map(|head| head.exchange);
        self.record_head(step, head.as_ref());
        let place = self.place(Some(step), exchange);
        let seq = self.dialer.recorder.message(place, Direction::ClientToServer, &bytes);
        debug!(seq, session = self.session, id, bytes = bytes.len(), flow = ?step.flow, "sent");
        if let (Some(faults), Some(head)) = (&self.dialer.faults, &mut head) {
            faults.borrow_mut().request_head(&bytes, &mut head.headers);
        }
        let deliveries = match &self.dialer.faults {
            Some(faults) => faults.borrow_mut().outgoing(bytes),
            None => vec![Delivery::Frame { bytes, after: Duration::ZERO }],
        };
        for delivery in deliveries {
            let Delivery::Frame { bytes, after } = delivery else {
                self.ended = Some(Ending::Fault);
                break;
            };
            if !after.is_zero() {
                tokio::time::sleep(after).await;
            }
            // A frame that a rule added needs an HTTP exchange of its own.
            let head = head.take().or_else(|| self.link.head(routing));
            if let Some(head) = &head {
                self.exchanges.insert(head.exchange, (step.clone(), bytes.clone()));
            }
            self.link.send(head.as_ref(), &bytes).await;
        }
        Sent { seq, exchange }
    }

    /// Sends an HTTP request that carries no message, such as the GET that listens.
    async fn send_bare(&mut self, step: &Step, head: &RequestHead) {
        self.record_head(step, Some(head));
        self.exchanges.insert(head.exchange, (step.clone(), Vec::new()));
        self.link.send(Some(head), &[]).await;
    }

    /// Opens the HTTP stream of server messages of the handshake eras; a server may refuse it.
    pub(super) async fn listen(&mut self, step: &Step, routing: &Routing) {
        if let Some(head) = self.link.listen_head(routing) {
            self.send_bare(step, &head).await;
        }
    }

    /// The next arrival, recorded. `current` is the step of what belongs to no open request.
    pub(super) async fn next(&mut self, current: &Step, deadline: Instant) -> Arrival {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return self.record(current, frame);
            }
            if let Some(ending) = &self.ended {
                return Arrival::Closed(ending.clone());
            }
            let now = Instant::now();
            if let Some(at) = self.later.iter().position(|(when, _)| *when <= now) {
                let (_, frame) = self.later.remove(at);
                return self.record(current, frame);
            }
            let wake = self.later.iter().map(|(when, _)| *when).min().unwrap_or(deadline);
            match self.link.next(deadline.min(wake)).await {
                Incoming::Frame { bytes, exchange } => self.deliver(bytes, exchange),
                Incoming::HttpHead { exchange, status, headers } => {
                    return self.record_response(current, exchange, status, headers);
                }
                Incoming::HttpEnd { exchange, broken } => {
                    self.exchanges.remove(&exchange);
                    return Arrival::End { exchange, note: broken };
                }
                // What a rule delays still arrives, as it would through a slow network.
                Incoming::Closed(_) if !self.later.is_empty() => sleep_until(wake).await,
                Incoming::Closed(ending) => {
                    debug!(session = self.session, ?ending, "the target closed the link");
                    self.ended = Some(ending);
                }
                Incoming::Quiet if wake < deadline => {}
                Incoming::Quiet => return Arrival::Quiet,
            }
        }
    }

    /// Ends the link because the target overstepped a limit that only the session can see.
    pub(super) fn cut(&mut self, ending: Ending) {
        self.ended = Some(ending);
    }

    /// Gives up a response.
    pub(super) fn abandon(&mut self, exchange: Option<u64>) {
        if let Some(exchange) = exchange {
            self.link.abandon(exchange);
            self.exchanges.remove(&exchange);
        }
    }

    /// Records that the target ended the link, and cleans up behind it.
    pub(super) async fn abort(mut self, step: &Step, detail: &str) {
        self.last_word.say(Some(step), Lifecycle::TransportAbort, Some(detail));
        let stderr = self.link.close().await;
        self.dialer.keep_stderr(&stderr);
    }

    /// Ends the link as far as possible with the target's consent: reads what it still says.
    pub(super) async fn close(mut self, step: &Step, routing: &Routing) {
        if let Some(head) = self.link.delete_head(routing) {
            self.send_bare(step, &head).await;
            let deadline = Instant::now() + DELETE;
            loop {
                match self.next(step, deadline).await {
                    Arrival::End { exchange, .. } if exchange == head.exchange => break,
                    Arrival::Closed(_) | Arrival::Quiet => break,
                    _ => {}
                }
            }
        }
        self.link.begin_close();
        let mut detail = None;
        if self.transport == Transport::Stdio && !self.read_out(step, END_OF_INPUT).await {
            detail = Some("it did not end with its input and was asked to terminate");
            self.link.terminate();
            if !self.read_out(step, TERMINATE).await {
                detail = Some("it did not end with its input nor when asked to, and was killed");
            }
        }
        let stderr = self.link.close().await;
        self.last_word.say(Some(step), Lifecycle::TransportClose, detail);
        self.dialer.keep_stderr(&stderr);
    }

    /// Reads until the link is over; gives whether it was within the time.
    async fn read_out(&mut self, step: &Step, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let most = self.dialer.limits.frames_per_request;
        for _ in 0..most {
            match self.next(step, deadline).await {
                Arrival::Closed(_) => return true,
                Arrival::Quiet => return false,
                _ => {}
            }
        }
        false
    }

    /// Lets the fault rules change a frame of the target.
    fn deliver(&mut self, bytes: Vec<u8>, exchange: Option<u64>) {
        let Some(faults) = &self.dialer.faults else {
            self.ready.push_back(Frame { bytes, exchange });
            return;
        };
        for delivery in faults.borrow_mut().incoming(bytes) {
            match delivery {
                Delivery::Frame { bytes, after } if after.is_zero() => {
                    self.ready.push_back(Frame { bytes, exchange });
                }
                Delivery::Frame { bytes, after } => {
                    self.later.push((Instant::now() + after, Frame { bytes, exchange }));
                }
                Delivery::Close => self.ended = Some(Ending::Fault),
            }
        }
    }

    fn record(&mut self, current: &Step, frame: Frame) -> Arrival {
        let Frame { bytes, exchange } = frame;
        // As the recorder does, so that the driver and the judge see the same message.
        let text = String::from_utf8_lossy(&bytes);
        let (message, unreadable) = match serde_json::from_str(&text) {
            Ok(message) => (message, false),
            Err(_) => (Value::Null, is_meant_as_message(&text)),
        };
        let answered = match message.get("method") {
            None => message.get("id").and_then(id_of),
            Some(_) => None,
        };
        let step = answered
            .and_then(|id| self.open.remove(&id))
            .or_else(|| Some(self.exchanges.get(&exchange?)?.0.clone()));
        let place = self.place(Some(step.as_ref().unwrap_or(current)), exchange);
        let seq = self.dialer.recorder.message(place, Direction::ServerToClient, &bytes);
        // Sizes and numbers alone: what a target says may hold secrets and escapes.
        debug!(seq, session = self.session, answers = answered, bytes = bytes.len(), "received");
        self.dialer.cutoff.received(self.dialer.recorder.counts().bytes_received);
        Arrival::Message { seq, message, unreadable }
    }

    fn record_response(
        &mut self,
        current: &Step,
        exchange: u64,
        mut status: u16,
        mut headers: Vec<(String, String)>,
    ) -> Arrival {
        let (step, frame) = match self.exchanges.get(&exchange) {
            Some((step, frame)) => (step, frame.as_slice()),
            None => (current, &[][..]),
        };
        if let Some(faults) = &self.dialer.faults {
            faults.borrow_mut().response_head(frame, &mut status, &mut headers);
        }
        let place = self.place(Some(step), Some(exchange));
        self.dialer.recorder.http_response(place, status, &headers);
        Arrival::Head { exchange, status }
    }

    fn record_head(&self, step: &Step, head: Option<&RequestHead>) {
        if let Some(head) = head {
            let place = self.place(Some(step), Some(head.exchange));
            self.dialer.recorder.http_request(place, head.method, &head.headers);
        }
    }

    fn place<'s>(&self, step: Option<&'s Step>, exchange: Option<u64>) -> Place<'s> {
        Place { session: self.session, transport: self.transport, step, exchange }
    }
}

/// An id of ours in an answer: an integer, however it is spelled.
pub(super) fn id_of(id: &Value) -> Option<i64> {
    let whole = |number: f64| (number.fract() == 0.0).then_some(number as i64);
    id.as_i64().or_else(|| id.as_f64().and_then(whole))
}
