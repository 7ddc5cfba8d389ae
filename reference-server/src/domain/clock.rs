//! Where every instant comes from. Owns "what time is it" and the spelling of instants; refuses to
//! own what time means to an operation. Invariant: an operation asks once, so one call has one time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A shared handle on the time that the server believes in. Clones show and move the same clock.
#[derive(Debug, Clone)]
pub struct Clock {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    /// The fixed instant in Unix milliseconds, or `None` for the time of the machine.
    fixed_ms: Option<i64>,
    offset_ms: AtomicI64,
    step_ms: i64,
}

/// A text that is no RFC 3339 instant.
#[derive(Debug, thiserror::Error)]
#[error("read {text:?} as an instant: {cause}; write RFC 3339 such as 2026-07-29T12:00:00Z")]
pub struct ClockError {
    text: String,
    cause: time::error::Parse,
}

impl Clock {
    /// The time of the machine.
    pub fn system() -> Clock {
        Clock::build(None, 0)
    }

    /// A clock that stands at `instant` until [`Clock::advance`] moves it.
    pub fn fixed(instant: OffsetDateTime) -> Clock {
        Clock::build(Some(milliseconds(instant)), 0)
    }

    /// A clock that stands at an RFC 3339 instant.
    pub fn fixed_at(text: &str) -> Result<Clock, ClockError> {
        match OffsetDateTime::parse(text, &Rfc3339) {
            Ok(instant) => Ok(Clock::fixed(instant)),
            Err(cause) => Err(ClockError { text: text.to_owned(), cause }),
        }
    }

    /// The same starting instant on a new clock that moves by `step` after every operation.
    pub fn with_step(self, step: Duration) -> Clock {
        Clock::build(self.state.fixed_ms, as_milliseconds(step))
    }

    /// Moves this clock, and all its clones, forward.
    pub fn advance(&self, by: Duration) {
        self.state.offset_ms.fetch_add(as_milliseconds(by), Ordering::SeqCst);
    }

    /// Whether the time stands still by itself, so that a run can be repeated to the byte.
    pub fn is_fixed(&self) -> bool {
        self.state.fixed_ms.is_some()
    }

    /// The current instant in Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        let base = self.state.fixed_ms.unwrap_or_else(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            as_milliseconds(since)
        });
        base.saturating_add(self.state.offset_ms.load(Ordering::SeqCst))
    }

    /// The instant of one operation in Unix milliseconds; takes the step of a stepped clock.
    pub(super) fn tick_ms(&self) -> i64 {
        let now = self.now_ms();
        if self.state.step_ms != 0 {
            self.state.offset_ms.fetch_add(self.state.step_ms, Ordering::SeqCst);
        }
        now
    }

    fn build(fixed_ms: Option<i64>, step_ms: i64) -> Clock {
        Clock { state: Arc::new(State { fixed_ms, offset_ms: AtomicI64::new(0), step_ms }) }
    }
}

fn as_milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn milliseconds(instant: OffsetDateTime) -> i64 {
    let milliseconds = instant.unix_timestamp_nanos().div_euclid(1_000_000);
    i64::try_from(milliseconds).expect("the years that time can hold fit 64-bit milliseconds")
}

/// Spells Unix seconds as RFC 3339 in UTC, whole seconds.
pub(super) fn rfc3339(seconds: i64) -> String {
    let instant =
        OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    instant.format(&Rfc3339).expect("years 0 to 9999 have an RFC 3339 spelling")
}

/// Reads an RFC 3339 instant as Unix seconds, rounded up: `>=` on whole seconds stays exact.
pub(super) fn parse_rfc3339(text: &str) -> Option<i64> {
    let instant = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let whole = instant.unix_timestamp();
    Some(if instant.nanosecond() > 0 { whole + 1 } else { whole })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_move_together() {
        let clock = Clock::fixed_at("2026-07-29T12:00:00Z").expect("a valid instant");
        let shared = clock.clone();
        shared.advance(Duration::from_secs(90));
        assert_eq!(rfc3339(clock.now_ms() / 1000), "2026-07-29T12:01:30Z");
    }

    #[test]
    fn a_step_is_taken_by_operations_only() {
        let clock = Clock::fixed_at("2026-07-29T12:00:00Z")
            .expect("a valid instant")
            .with_step(Duration::from_secs(1));
        let start = clock.now_ms();
        assert_eq!(clock.now_ms(), start);
        assert_eq!(clock.tick_ms(), start);
        assert_eq!(clock.tick_ms(), start + 1000);
    }

    #[test]
    fn a_bad_instant_is_refused_with_the_fix() {
        let error = Clock::fixed_at("yesterday").expect_err("no instant").to_string();
        assert!(error.contains("\"yesterday\"") && error.contains("RFC 3339"), "{error}");
    }

    #[test]
    fn fractions_round_up_and_offsets_count() {
        assert_eq!(parse_rfc3339("1970-01-01T00:00:10Z"), Some(10));
        assert_eq!(parse_rfc3339("1970-01-01T00:00:10.001Z"), Some(11));
        assert_eq!(parse_rfc3339("1970-01-01T02:00:10+02:00"), Some(10));
        assert_eq!(parse_rfc3339("10 o'clock"), None);
    }
}
