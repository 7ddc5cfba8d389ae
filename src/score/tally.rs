//! The one place where verdicts are counted.

use serde::{Deserialize, Serialize};

use super::Verdict;

/// Counts over the assertions of one set. `scored` is every assertion but the not applicable ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Passed.
    pub passed: u32,
    /// The denominator.
    pub scored: u32,
    /// Failed.
    pub failed: u32,
    /// Never observed.
    pub not_observed: u32,
    /// Not applicable; not in the denominator.
    pub not_applicable: u32,
    /// Not run.
    pub not_run: u32,
    /// Left to a judge.
    pub needs_judge: u32,
    /// Undecided.
    pub undecided: u32,
}

impl Tally {
    /// Counts verdicts.
    pub fn of<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Tally {
        let mut tally = Tally::default();
        for verdict in verdicts {
            let slot = match verdict {
                Verdict::Pass => &mut tally.passed,
                Verdict::Fail => &mut tally.failed,
                Verdict::NotObserved(_) => &mut tally.not_observed,
                Verdict::NotApplicable(_) => &mut tally.not_applicable,
                Verdict::NotRun(_) => &mut tally.not_run,
                Verdict::NeedsJudge(_) => &mut tally.needs_judge,
                Verdict::Undecided(_) => &mut tally.undecided,
            };
            *slot += 1;
            if !matches!(verdict, Verdict::NotApplicable(_)) {
                tally.scored += 1;
            }
        }
        tally
    }

    /// How many assertions were judged: passed or failed.
    pub fn judged(&self) -> u32 {
        self.passed + self.failed
    }
}
