//! The recorder: writes events as they happen, redacted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::readable::is_readable;
use super::{Counts, Direction, End, Event, Header, Kind, Lifecycle, Redactor, Step, Transport};

/// Where in the run an event belongs.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Session number, from 0.
    pub session: u32,
    /// Transport of the session.
    pub transport: Transport,
    /// Flow and case.
    pub step: Option<&'a Step>,
    /// HTTP exchange number within the session.
    pub exchange: Option<u64>,
}

/// Sees every event after it was written, redacted as it was written.
pub type Observer = Box<dyn FnMut(&Event<'_>) + Send>;

/// Writes a capture, one event a line, flushed event by event. A handle: clones write to the same
/// capture.
///
/// A moment in the life of a transport is held back until the next event or the end, because the
/// last event of a capture carries its end; nothing else is ever held back. The first error of the
/// underlying writer is kept and given by [`Recorder::finish`]; after it nothing more is written.
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<Inner>>);

struct Inner {
    out: Box<dyn Write + Send>,
    redactor: Redactor,
    observer: Option<Observer>,
    header: Option<Box<Header>>,
    started: Instant,
    next_seq: u64,
    counts: Counts,
    held: Option<Event<'static>>,
    /// The last step, and how it was written down.
    last_step: Option<(Step, Step)>,
    line: Vec<u8>,
    error: Option<io::Error>,
}

impl Recorder {
    /// Starts a capture. The header is written with the first event, without any secret that is
    /// known by then.
    pub fn new(out: impl Write + Send + 'static, header: Header, redactor: Redactor) -> Recorder {
        let header = Box::new(header);
        Recorder(Arc::new(Mutex::new(Inner {
            out: Box::new(out),
            redactor,
            observer: None,
            header: Some(header),
            started: Instant::now(),
            next_seq: 0,
            counts: Counts::default(),
            held: None,
            last_step: None,
            line: Vec::new(),
            error: None,
        })))
    }

    /// Shows every further event to an observer as well (the driver's live view).
    pub fn observe(&self, observer: Observer) {
        self.inner().observer = Some(observer);
    }

    /// Makes further secrets known; what was written before stays as it is.
    pub fn teach(&self, lesson: impl FnOnce(&mut Redactor)) {
        let mut inner = self.inner();
        inner.last_step = None;
        lesson(&mut inner.redactor);
    }

    /// Records one message, or a line that should have been one, as it crossed the wire and without
    /// its line end. Gives the sequence number.
    pub fn message(&self, place: Place<'_>, direction: Direction, bytes: &[u8]) -> u64 {
        self.inner().message(place, direction, bytes)
    }

    /// Records the head of an HTTP request.
    pub fn http_request(
        &self,
        place: Place<'_>,
        method: &str,
        headers: &[(String, String)],
    ) -> u64 {
        let mut inner = self.inner();
        let mut event = inner.event(place, Direction::ClientToServer, Kind::Http);
        event.method = Some(Cow::Owned(method.to_owned()));
        event.headers = Some(inner.headers(headers));
        inner.write(event)
    }

    /// Records the head of an HTTP response.
    pub fn http_response(
        &self,
        place: Place<'_>,
        status: u16,
        headers: &[(String, String)],
    ) -> u64 {
        let mut inner = self.inner();
        let mut event = inner.event(place, Direction::ServerToClient, Kind::Http);
        event.status = Some(status);
        event.headers = Some(inner.headers(headers));
        inner.write(event)
    }

    /// Records a moment in the life of a transport, with words on how it came about.
    pub fn lifecycle(&self, place: Place<'_>, moment: Lifecycle, detail: Option<&str>) -> u64 {
        self.inner().lifecycle(place, moment, detail)
    }

    /// Counts one more request; responses to server requests and notifications are none.
    pub fn count_request(&self) {
        self.inner().counts.requests += 1;
    }

    /// Figures so far.
    pub fn counts(&self) -> Counts {
        self.inner().counts
    }

    /// Writes the last event, which carries the end, and gives the figures of the whole capture.
    /// The counts of the given end are replaced by the recorder's own.
    ///
    /// # Errors
    /// The first error that the underlying writer gave at any time.
    pub fn finish(&self, end: End) -> io::Result<Counts> {
        let mut inner = self.inner();
        if inner.held.is_none() {
            // Nothing was closed, so the run was cut short: the capture says so in its last event.
            let place =
                Place { session: 0, transport: Transport::Stdio, step: None, exchange: None };
            inner.lifecycle(place, Lifecycle::TransportAbort, Some("the run ended here"));
        }
        inner.counts.events = inner.next_seq;
        // Only the end of standard error is kept, so it may begin inside a secret.
        let stderr = inner.redactor.cut_text(&end.stderr).into_owned();
        let end = redacted(&inner.redactor, End { counts: inner.counts, stderr, ..end });
        if let Some(mut event) = inner.held.take() {
            event.end = Some(Box::new(end));
            inner.put(event);
        }
        match inner.error.take() {
            Some(error) => Err(error),
            None => Ok(inner.counts),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic while recording cannot leave a half-written line that matters more than what
        // was seen, so a poisoned lock is used all the same.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn message(&mut self, place: Place<'_>, direction: Direction, bytes: &[u8]) -> u64 {
        if direction == Direction::ServerToClient {
            self.counts.bytes_received += bytes.len() as u64;
        }
        // Checking first is much faster than replacing what is not there.
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(bytes),
        };
        let broken = matches!(text, Cow::Owned(_));
        let payload = self.payload(&text);
        let mut event = self.event(place, direction, Kind::Message);
        event.payload = Some(&payload);
        if broken {
            let raw: String = bytes.escape_ascii().map(char::from).collect();
            event.raw = Some(Cow::Owned(self.redactor.cut_text(&raw).into_owned()));
        }
        self.write(event)
    }

    /// The text as JSON without line ends, or as a JSON string.
    fn payload(&self, text: &str) -> Box<RawValue> {
        let json = text.trim_matches([' ', '\t', '\r', '\n']);
        if is_readable(json) {
            // Line ends in valid JSON stand outside strings, where they mean nothing.
            let line: Cow<'_, str> = match json.contains(['\n', '\r']) {
                true => Cow::Owned(json.replace(['\n', '\r'], " ")),
                false => Cow::Borrowed(json),
            };
            if let Ok(raw) = RawValue::from_string(self.redactor.json(&line).into_owned()) {
                return raw;
            }
        }
        // The line may be the last one of a target that died while it wrote.
        let quoted = serde_json::Value::from(self.redactor.cut_text(text)).to_string();
        RawValue::from_string(quoted).expect("a quoted string is JSON")
    }

    fn lifecycle(&mut self, place: Place<'_>, moment: Lifecycle, detail: Option<&str>) -> u64 {
        self.release();
        let direction = match moment {
            Lifecycle::TransportAbort => Direction::ServerToClient,
            _ => Direction::ClientToServer,
        };
        let mut event = self.event(place, direction, Kind::Lifecycle);
        event.event = Some(moment);
        // A detail may quote the first characters of a page.
        event.detail = detail.map(|text| Cow::Owned(self.redactor.cut_text(text).into_owned()));
        let seq = event.seq;
        self.held = Some(event);
        if moment == Lifecycle::TransportOpen {
            self.release();
        }
        seq
    }

    /// The next event, with nothing in it but its place.
    fn event<'e>(&mut self, place: Place<'_>, direction: Direction, kind: Kind) -> Event<'e> {
        let mut event = Event::new(self.next_seq, direction, place.transport, kind);
        self.next_seq += 1;
        event.session = place.session;
        event.t_us = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
        event.step = place.step.map(|step| self.step(step));
        event.exchange = place.exchange;
        event
    }

    /// A step as it may be written down: a case may be named after what a target said.
    fn step(&mut self, step: &Step) -> Step {
        match &self.last_step {
            Some((asked, shown)) if asked == step => shown.clone(),
            _ => {
                let case = self.redactor.text(&step.case).into_owned();
                let shown = Step { case, ..step.clone() };
                self.last_step = Some((step.clone(), shown.clone()));
                shown
            }
        }
    }

    fn headers(&mut self, headers: &[(String, String)]) -> BTreeMap<String, String> {
        self.last_step = None;
        headers.iter().filter_map(|(name, value)| self.redactor.header(name, value)).collect()
    }

    /// Writes an event after the one that was held back.
    fn write(&mut self, event: Event<'_>) -> u64 {
        self.release();
        let seq = event.seq;
        self.put(event);
        seq
    }

    fn release(&mut self) {
        if let Some(event) = self.held.take() {
            self.put(event);
        }
    }

    fn put(&mut self, mut event: Event<'_>) {
        event.hallmark =
            self.header.take().map(|header| Box::new(redacted(&self.redactor, *header)));
        self.line.clear();
        let written = serde_json::to_writer(&mut self.line, &event).map_err(io::Error::from);
        self.line = harmless(std::mem::take(&mut self.line));
        self.line.push(b'\n');
        if self.error.is_none() {
            let done = written
                .and_then(|()| self.out.write_all(&self.line))
                .and_then(|()| self.out.flush());
            self.error = done.err();
        }
        if let Some(observer) = &mut self.observer {
            observer(&event);
        }
    }
}

/// A line that is safe to be shown in a terminal; its value stays the same.
fn harmless(line: Vec<u8>) -> Vec<u8> {
    let shown = std::str::from_utf8(&line).map(super::harmless_json);
    match shown {
        Ok(Cow::Owned(shown)) => shown.into_bytes(),
        _ => line,
    }
}

/// A value of ours with every secret in its strings replaced.
fn redacted<T: Serialize + DeserializeOwned>(redactor: &Redactor, value: T) -> T {
    let json = serde_json::to_string(&value).expect("members are strings, numbers and maps");
    match redactor.json(&json) {
        Cow::Borrowed(_) => value,
        Cow::Owned(json) => serde_json::from_str(&json).unwrap_or(value),
    }
}
