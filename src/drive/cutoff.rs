//! The end of a run that does not wait for the plan: the user's wish, time, or bytes.

use std::cell::Cell;
use std::time::Duration;

use tokio::sync::Notify;

use crate::capture::EndCause;
use crate::target::Limits;

/// Counts what a run has cost, and says when it is too much.
#[derive(Debug)]
pub(super) struct Cutoff {
    time: Duration,
    bytes: u64,
    over: Cell<bool>,
    notify: Notify,
}

impl Cutoff {
    pub(super) fn new(limits: &Limits) -> Cutoff {
        let Limits { run, run_bytes, .. } = *limits;
        Cutoff { time: run, bytes: run_bytes, over: Cell::new(false), notify: Notify::new() }
    }

    /// Takes the figure of all that was received.
    pub(super) fn received(&self, bytes: u64) {
        if bytes > self.bytes && !self.over.replace(true) {
            self.notify.notify_one();
        }
    }

    /// Ends when the run has to, with the cause and its words.
    pub(super) async fn reached(
        &self,
        interruption: impl Future<Output = ()>,
    ) -> (EndCause, String) {
        let Cutoff { time, bytes, .. } = self;
        tokio::select! {
            biased;
            () = interruption => (EndCause::Interrupted, "the user interrupted the run".to_owned()),
            () = self.notify.notified() => {
                (EndCause::Limit, format!("the target sent more than {bytes} bytes in all"))
            }
            () = tokio::time::sleep(*time) => {
                (EndCause::Limit, format!("the run took {time:?}, as long as --max-time lets it"))
            }
        }
    }
}
