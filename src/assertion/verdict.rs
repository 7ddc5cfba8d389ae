//! From looks to the verdict of a check, and from checks to the verdict of an assertion.

use super::catalog::Check;
use std::collections::HashMap;

use crate::score::{CheckScore, Verdict};

/// What was seen over all subjects of one check.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Subjects looked at: fine or faulty.
    pub looked_at: u32,
    /// Findings of them.
    pub findings: usize,
    /// Passed over, by reason.
    pub skipped: Reasons,
    /// Not applicable, by reason.
    pub inapplicable: Reasons,
    /// How the check went wrong over the first subject of those over which it did.
    pub gave_up: Option<String>,
    /// Questions for a judge.
    pub questions: Vec<String>,
}

/// How often each reason was given, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    counts: Vec<(String, u32)>,
    places: HashMap<String, usize>,
}

impl Reasons {
    /// Counts a reason, and gives its place.
    pub fn count(&mut self, reason: String) -> usize {
        if let Some(place) = self.places.get(&reason).copied() {
            self.again(place);
            return place;
        }
        let place = self.counts.len();
        self.places.insert(reason.clone(), place);
        self.counts.push((reason, 1));
        place
    }

    /// Counts the reason of a place once more.
    pub fn again(&mut self, place: usize) {
        self.counts[place].1 += 1;
    }

    /// The reasons with their counts.
    pub fn into_counts(self) -> Vec<(String, u32)> {
        self.counts
    }
}

/// The verdict of a check. `cut` is why the capture is incomplete, when the check depends on the
/// missing part; `absence` is the verdict when there was no subject at all.
pub(super) fn of_check(
    seen: &Seen,
    cut: Option<&str>,
    absence: impl FnOnce() -> Verdict,
) -> Verdict {
    if seen.findings > 0 {
        return Verdict::Fail;
    }
    if let Some(how) = &seen.gave_up {
        return Verdict::Undecided(how.clone());
    }
    let undecided = cut.map(|cut| Verdict::Undecided(cut.to_owned()));
    if let Some(question) = seen.questions.first() {
        return Verdict::NeedsJudge(match seen.questions.len() {
            1 => question.clone(),
            n => format!("{question} (+{} more)", n - 1),
        });
    }
    if seen.looked_at > 0 {
        return undecided.unwrap_or(Verdict::Pass);
    }
    let unseen = match (told(&seen.skipped.counts), told(&seen.inapplicable.counts)) {
        (Some(reason), _) => Verdict::NotObserved(reason),
        (None, Some(reason)) => Verdict::NotApplicable(reason),
        (None, None) => absence(),
    };
    // More of the run could have brought a subject; nothing could have brought a surface that is
    // not there, or a permission.
    match (unseen, undecided) {
        (Verdict::NotObserved(_), Some(undecided)) => undecided,
        (unseen, _) => unseen,
    }
}

/// The most frequent reason, and how many others there are.
fn told(reasons: &[(String, u32)]) -> Option<String> {
    let (reason, _) = reasons.iter().rev().max_by_key(|(_, n)| *n)?;
    Some(match reasons.len() {
        1 => reason.clone(),
        n => format!("{reason} (+{} other reasons)", n - 1),
    })
}

/// The verdict of an assertion from its checks, in the order of the file.
///
/// A required check that failed fails it. Otherwise what keeps it from passing is told, weightiest
/// first: an open question, a capture that was cut short, an essential check that saw nothing.
/// Otherwise one required check that passed is enough.
pub(super) fn of_assertion(checks: &[(&Check, &CheckScore)]) -> Verdict {
    let required: Vec<_> = checks.iter().filter(|(check, _)| check.required).collect();
    let first = |wanted: fn(&Verdict) -> bool| {
        required.iter().map(|(_, score)| &score.verdict).find(|verdict| wanted(verdict)).cloned()
    };
    if let Some(fail) = first(|verdict| matches!(verdict, Verdict::Fail)) {
        return fail;
    }
    if let Some(question) = first(|verdict| matches!(verdict, Verdict::NeedsJudge(_))) {
        return question;
    }
    if let Some(cut) = first(|verdict| matches!(verdict, Verdict::Undecided(_))) {
        return cut;
    }
    let unseen = checks
        .iter()
        .find(|(check, score)| check.essential && !matches!(score.verdict, Verdict::Pass));
    if let Some((_, score)) = unseen {
        return score.verdict.clone();
    }
    first(|verdict| matches!(verdict, Verdict::Pass))
        .or_else(|| first(|verdict| matches!(verdict, Verdict::NotRun(_))))
        .or_else(|| first(|verdict| matches!(verdict, Verdict::NotObserved(_))))
        .or_else(|| first(|verdict| matches!(verdict, Verdict::NotApplicable(_))))
        .or_else(|| of_advice(checks))
        .unwrap_or_else(|| Verdict::NotObserved("it has no required check".to_owned()))
}

/// What an assertion of advisory checks alone can be: a question, or not applicable. Advice neither
/// passes nor fails it.
fn of_advice(checks: &[(&Check, &CheckScore)]) -> Option<Verdict> {
    let verdicts = || checks.iter().map(|(_, score)| &score.verdict);
    let question = verdicts().find(|verdict| matches!(verdict, Verdict::NeedsJudge(_)));
    let mut inapplicable = verdicts().filter(|v| matches!(v, Verdict::NotApplicable(_)));
    let none_applies = inapplicable.clone().count() == checks.len();
    question.or_else(|| inapplicable.next().filter(|_| none_applies)).cloned()
}
