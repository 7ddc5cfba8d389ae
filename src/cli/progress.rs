//! One moving line on standard error while a target is driven.

use std::cell::Cell;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::facts::Facts;
use crate::drive::Progress;
use crate::report::clean;

/// Shows what the driver says of itself; hidden when standard error is no terminal.
#[derive(Debug)]
pub struct ProgressLine {
    bar: ProgressBar,
    requests: Cell<u64>,
}

impl ProgressLine {
    /// A line that names the target.
    pub fn start(facts: Facts, target: &str) -> ProgressLine {
        let draw = if facts.progress {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, draw);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(format!("starting {}", clean(target)));
        bar.enable_steady_tick(Duration::from_millis(120));
        ProgressLine { bar, requests: Cell::new(0) }
    }

    /// Takes what the driver says.
    pub fn show(&self, progress: Progress<'_>) {
        match progress {
            Progress::Opening { session } => {
                self.bar.set_message(format!("opening session {session}"));
            }
            Progress::Opened { revision, server, .. } => {
                self.bar.set_message(format!("{} speaks {revision}", clean(server)));
            }
            Progress::Sending { step, method, requests } => {
                self.requests.set(requests + 1);
                let flow = format!("{:?}", step.flow);
                let case = clean(&step.case);
                self.bar
                    .set_message(format!("{} requests; {flow}: {method} ({case})", requests + 1));
            }
            Progress::Died { detail, .. } => {
                self.bar.set_message(format!("the target ended a session: {}", clean(detail)));
            }
        }
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
