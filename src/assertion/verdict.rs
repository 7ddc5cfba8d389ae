//! From looks to the verdict of a check, and from checks to the verdict of an assertion.

use super::catalog::Check;
use crate::score::{CheckScore, Verdict};

/// What was seen over all subjects of one check.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Subjects looked at: fine or faulty.
    pub looked_at: u32,
    /// Findings of them.
    pub findings: usize,
    /// Passed over, by reason, most frequent first.
    pub skipped: Vec<(String, u32)>,
    /// Not applicable, by reason.
    pub inapplicable: Vec<(String, u32)>,
    /// Questions for a judge.
    pub questions: Vec<String>,
}

/// Adds one to the count of a reason.
pub(super) fn count(reasons: &mut Vec<(String, u32)>, reason: String) {
    match reasons.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, n)) => *n += 1,
        None => reasons.push((reason, 1)),
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
    let unseen = match (told(&seen.skipped), told(&seen.inapplicable)) {
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
        .unwrap_or_else(|| Verdict::NotObserved("it has no required check".to_owned()))
}
