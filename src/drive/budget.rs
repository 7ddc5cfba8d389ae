//! How much a run may still send.

use std::time::Duration;

use tokio::time::Instant;

use crate::scenario::RunLimits;

/// One tool may take this part of the whole time.
const TOOL_PART: u32 = 12;

/// The time that the calls of one tool have taken.
#[derive(Debug, Default)]
pub(super) struct Pace {
    spent: Duration,
    longest: Duration,
}

impl Pace {
    /// Counts one call.
    pub(super) fn add(&mut self, took: Duration) {
        self.spent += took;
        self.longest = self.longest.max(took);
    }

    /// Whether one more call could end beyond a bound.
    pub(super) fn may_pass(&self, bound: Duration) -> bool {
        self.spent + self.longest > bound
    }
}

/// Bounds on requests and time. A share of both can be set aside for later flows.
#[derive(Debug)]
pub(super) struct Budget {
    requests: u64,
    spent: u64,
    start: Instant,
    time: Duration,
    /// Part of the bounds that may be used now, from 0 to 1.
    share: f64,
}

impl Budget {
    /// All of the scenario's limits.
    pub(super) fn new(limits: &RunLimits, start: Instant) -> Self {
        let time = Duration::from_secs(limits.seconds);
        Budget { requests: limits.requests, spent: 0, start, time, share: 1.0 }
    }

    /// Lets the flows use no more than a part of the whole until the next call.
    pub(super) fn up_to(&mut self, share: f64) {
        self.share = share;
    }

    /// Time that the calls of one tool may take together.
    pub(super) fn one_tool(&self) -> Duration {
        self.time / TOOL_PART
    }

    /// Counts one request.
    pub(super) fn spend(&mut self) {
        self.spent += 1;
    }

    /// Requests that may still be sent within the share.
    pub(super) fn left(&self) -> u64 {
        // Rounding does not matter: the bound is a round figure itself.
        ((self.requests as f64 * self.share) as u64).saturating_sub(self.spent)
    }

    /// The limit that forbids another case, if any does.
    pub(super) fn refuses(&self, now: Instant) -> Option<&'static str> {
        if self.left() == 0 {
            Some("requests")
        } else if now.duration_since(self.start) >= self.time.mul_f64(self.share) {
            Some("seconds")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_could_pass_the_bound_is_not_begun() {
        let seconds = Duration::from_secs;
        let mut pace = Pace::default();
        assert!(!pace.may_pass(seconds(20)), "every tool is called once");
        pace.add(seconds(7));
        assert!(!pace.may_pass(seconds(20)));
        pace.add(seconds(7));
        assert!(pace.may_pass(seconds(20)));
        let mut slow = Pace::default();
        slow.add(seconds(11));
        assert!(slow.may_pass(seconds(20)));
    }

    #[test]
    fn each_bound_refuses_by_its_name() {
        let limits = RunLimits { requests: 4, seconds: 10, ..RunLimits::default() };
        let start = Instant::now();
        let mut budget = Budget::new(&limits, start);
        assert_eq!(budget.refuses(start), None);
        budget.up_to(0.5);
        budget.spend();
        budget.spend();
        assert_eq!(budget.refuses(start), Some("requests"));
        budget.up_to(1.0);
        assert_eq!(budget.refuses(start), None);
        assert_eq!(budget.refuses(start + Duration::from_secs(10)), Some("seconds"));
    }
}
