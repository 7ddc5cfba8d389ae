//! What all sessions of one run share, and the errors of opening one.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;

use super::cutoff::Cutoff;
use super::{Progress, Session};
use crate::capture::{Recorder, Step, Transport};
use crate::fault::Injector;
use crate::target::{Limits, LinkError, TargetSpec};
use crate::wire::Revision;

/// Opens sessions of one run: they share the capture, the fault rules, the numbering of requests
/// and sessions, and what is known about the target's era.
pub struct Dialer<'a> {
    pub(super) recorder: Recorder,
    pub(super) limits: Limits,
    pub(super) forced: Option<Revision>,
    pub(super) faults: Option<RefCell<Injector>>,
    pub(super) progress: &'a dyn Fn(Progress<'_>),
    pub(super) cutoff: Cutoff,
    next_id: Cell<i64>,
    next_session: Cell<u32>,
    known: Cell<Option<Revision>>,
    hung: Cell<bool>,
    stderr: RefCell<String>,
}

/// Why a session could not be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The link could not be made.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The target ended the session before it had answered.
    #[error("open a session: {detail}{}", quoted(.stderr))]
    Died {
        /// How, and after which frame.
        detail: String,
        /// The end of its standard error (stdio only).
        stderr: String,
        /// Over which transport.
        transport: Transport,
    },
    /// Nothing came.
    #[error("open a session: no answer to {method}: {detail}")]
    Silent {
        /// The request.
        method: &'static str,
        /// How long hallmark waited, in words.
        detail: String,
    },
    /// The target refused.
    #[error("open a session: {method} was refused: {reason}")]
    Refused {
        /// The request.
        method: &'static str,
        /// The error, or the HTTP status.
        reason: String,
        /// HTTP status, over HTTP.
        status: Option<u16>,
    },
    /// The target speaks another revision than the one that was forced.
    #[error("open a session: asked for revision {asked}, the target offers {offered}")]
    Revision {
        /// The revision that was forced.
        asked: Revision,
        /// What the target said.
        offered: String,
    },
}

fn quoted(stderr: &str) -> String {
    match stderr.trim().lines().last() {
        Some(line) => format!("; its standard error ends with: {line}"),
        None => String::new(),
    }
}

impl OpenError {
    /// What the user may do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            OpenError::Link(LinkError::Start { .. }) => {
                "check that the command is installed and spelled as in a shell"
            }
            OpenError::Link(_) => "check the URL and the headers",
            OpenError::Died { transport: Transport::StreamableHttp, .. } => {
                "check that the server runs and that its host, port and certificate are right"
            }
            OpenError::Died { .. } => {
                "run the command by itself to see what it needs; pass variables with --env NAME"
            }
            OpenError::Silent { .. } => {
                "check that the target speaks MCP on this transport and that its backend is up; \
                 --timeout gives it more time"
            }
            OpenError::Refused { status: Some(401 | 403), .. } => {
                "give a credential with --header 'Authorization=ENV:VARIABLE'"
            }
            OpenError::Refused { .. } => "check that the URL is the MCP endpoint",
            OpenError::Revision { .. } => "leave out --revision to let hallmark find one",
        }
    }
}

impl<'a> Dialer<'a> {
    /// A dialer for one run. `forced` is the only revision to speak; without it the newest that
    /// the target speaks is found out.
    pub fn new(
        recorder: Recorder,
        limits: Limits,
        forced: Option<Revision>,
        faults: Option<Injector>,
        progress: &'a dyn Fn(Progress<'_>),
    ) -> Dialer<'a> {
        Dialer {
            recorder,
            cutoff: Cutoff::new(&limits),
            limits,
            forced,
            faults: faults.map(RefCell::new),
            progress,
            next_id: Cell::new(1),
            next_session: Cell::new(0),
            known: Cell::new(None),
            hung: Cell::new(false),
            stderr: RefCell::new(String::new()),
        }
    }

    /// Opens a session: starts or contacts the target and agrees on a revision. The messages of
    /// that belong to the given step. A target that dies of the newest revision's opening is
    /// started afresh for the handshake.
    ///
    /// # Errors
    /// [`OpenError`]; what crossed the wire until then is in the capture.
    pub async fn open(&self, spec: &TargetSpec, step: &Step) -> Result<Session<'_>, OpenError> {
        Session::open(self, spec, step).await
    }

    /// The capture that all sessions write to.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// The limits that all sessions keep.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The end of the standard error of the last process that wrote any (not redacted).
    pub fn stderr(&self) -> String {
        self.stderr.borrow().clone()
    }

    /// Gives the fault rules back, to see how often each was applied.
    pub fn into_faults(self) -> Option<Injector> {
        self.faults.map(RefCell::into_inner)
    }

    /// A request id that no other request of the run has.
    pub(super) fn next_id(&self) -> i64 {
        self.next_id.replace(self.next_id.get() + 1)
    }

    /// An id above all that were given.
    pub(super) fn peek_id(&self) -> i64 {
        self.next_id.get()
    }

    pub(super) fn next_session(&self) -> u32 {
        self.next_session.replace(self.next_session.get() + 1)
    }

    /// The revision that an earlier session of the run has found out.
    pub(super) fn known(&self) -> Option<Revision> {
        self.known.get()
    }

    pub(super) fn know(&self, revision: Revision) {
        self.known.set(Some(revision));
    }

    /// Notes that the target hung: a fresh start of it gets no more time than a request.
    pub(super) fn note_hang(&self) {
        self.hung.set(true);
    }

    /// Longest wait for an answer. A target that hung once is given half of it, so that it does not
    /// hold up the run as long again.
    pub(super) fn request_wait(&self) -> Duration {
        if self.hung.get() { self.limits.request / 2 } else { self.limits.request }
    }

    /// Longest wait for the first answer of a fresh start.
    pub(super) fn start_wait(&self) -> Duration {
        let Limits { request, cold_start, .. } = self.limits;
        if self.hung.get() { request.min(cold_start) } else { cold_start }
    }

    pub(super) fn keep_stderr(&self, tail: &str) {
        if !tail.trim().is_empty() {
            tail.clone_into(&mut self.stderr.borrow_mut());
        }
    }
}

/// What a session is told to speak.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// The revision.
    pub revision: Revision,
    /// The result of `server/discover` or `initialize`, as it was.
    pub result: Value,
    /// Sequence number of that result.
    pub seq: u64,
}
