//! A session: requests and their answers on one link.

use std::time::Duration;

use serde_json::Value;

use super::{Agreement, Death, Dialer, Notification, OpenError, RawReply, Reply};
use crate::capture::Step;
use crate::target::TargetSpec;
use crate::wire::Revision;

/// One session with a target.
pub struct Session<'d> {
    dialer: &'d Dialer<'d>,
    spec: TargetSpec,
    number: u32,
    agreement: Agreement,
    death: Option<Death>,
    notifications: Vec<Notification>,
}

impl<'d> Session<'d> {
    pub(super) async fn open(
        dialer: &'d Dialer<'d>,
        spec: &TargetSpec,
        step: &Step,
    ) -> Result<Session<'d>, OpenError> {
        let _ = (dialer, spec, step);
        todo!("in the next commit")
    }

    /// Sends a request and waits for its answer. In 2026-07-28 `params` gets the protocol members of
    /// `_meta` that it does not have. On a session that is over nothing is sent.
    pub async fn request(&mut self, step: &Step, method: &str, params: Value) -> Reply {
        let _ = (step, method, params);
        todo!("in the next commit")
    }

    /// Sends a notification.
    pub async fn notify(&mut self, step: &Step, method: &str, params: Value) {
        let _ = (step, method, params);
        todo!("in the next commit")
    }

    /// Sends a line as it is, and collects what comes back until the first response or until the
    /// wait is over.
    pub async fn raw(&mut self, step: &Step, line: &str, wait: Duration) -> RawReply {
        let _ = (step, line, wait);
        todo!("in the next commit")
    }

    /// Closes this session and opens a fresh one with the same target.
    ///
    /// # Errors
    /// [`OpenError`]; this session is over all the same.
    pub async fn reopen(&mut self, step: &Step) -> Result<(), OpenError> {
        let _ = (step, &self.dialer, &self.spec);
        todo!("in the next commit")
    }

    /// Ends the session: end of input, then signals (stdio); DELETE of the server's session (HTTP).
    pub async fn close(self) {
        todo!("in the next commit")
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
}
