//! A check on its way through its subjects: what it said, and what that adds up to.
//!
//! Owns the memory of looks. Invariant: what is remembered changes how often a check looks, never
//! what its score says; every subject counts, and cites its own messages.

use super::catalog::Check;
use super::check::{Look, Reach};
use super::evidence;
use super::subject::Subject;
use super::verdict::Seen;
use crate::score::{CheckScore, Finding, KeptFinding, Verdict};

/// Most findings kept of one check; the rest is counted.
const MOST_FINDINGS: usize = 50;
/// Most sequence numbers kept of one check.
const MOST_SEQS: usize = 5;
/// After so many subjects over which a check went wrong it looks at no more.
const MOST_FAILURES: u32 = 3;

/// A check with what it has seen so far.
pub(super) struct Running<'c> {
    pub check: &'c Check,
    /// Why it does not bind what was spoken; then it looks at nothing.
    pub unbound: Option<String>,
    pub seen: Seen,
    pub score: CheckScore,
    /// What it said, by the number that equal subjects share; nothing is kept of a check that
    /// looks further than the values of its subject.
    said: Option<Vec<Option<Said>>>,
    /// Of each look with findings, where they are kept; `None` for those that are only counted.
    kept: Vec<Vec<Option<usize>>>,
    /// Over how many subjects the check went wrong, and where the last reason is kept.
    gave_up: (u32, usize),
}

/// A look, as far as it must be known to be had again.
#[derive(Debug, Clone, Copy)]
enum Said {
    Fine,
    /// The findings at a place of [`Running::kept`].
    Faulty(usize),
    /// The reason at a place.
    Skip(usize),
    /// The reason at a place.
    Inapplicable(usize),
    /// The question at a place.
    Ask(usize),
}

impl<'c> Running<'c> {
    pub fn of(check: &'c Check, unbound: Option<String>, remember: bool) -> Self {
        let score = CheckScore {
            id: check.id.clone(),
            rule: check.rule.clone(),
            severity: check.severity,
            required: check.required,
            verdict: Verdict::Pass,
            subjects: 0,
            skipped: Vec::new(),
            seq: Vec::new(),
            findings: Vec::new(),
            left_out: 0,
        };
        let said = (remember && check.executor.reach() == Reach::Values).then(Vec::new);
        Running {
            check,
            unbound,
            seen: Seen::default(),
            score,
            said,
            kept: Vec::new(),
            gave_up: (0, 0),
        }
    }

    /// Counts a subject of which an equal one was looked at before. Says whether that is enough.
    pub fn recall(&mut self, subject: &Subject<'_>) -> bool {
        if self.gave_up.0 >= MOST_FAILURES {
            self.seen.skipped.again(self.gave_up.1);
            return true;
        }
        let known = |said: &Vec<Option<Said>>| *said.get(subject.alike? as usize)?;
        let Some(said) = self.said.as_ref().and_then(known) else { return false };
        match said {
            Said::Fine => self.note(subject),
            Said::Faulty(place) => {
                self.note(subject);
                for at in self.kept[place].clone() {
                    self.seen.findings += 1;
                    self.count_again(at);
                }
            }
            Said::Skip(reason) => self.seen.skipped.again(reason),
            Said::Inapplicable(reason) => self.seen.inapplicable.again(reason),
            Said::Ask(question) => {
                self.seen.questions.push(self.seen.questions[question].clone());
            }
        }
        true
    }

    /// Keeps a finding, or counts it where the same is kept. Gives its place among the kept ones.
    fn keep(&mut self, mut finding: Finding) -> Option<usize> {
        self.seen.findings += 1;
        evidence::finish(self.check, &mut finding);
        let same = |kept: &KeptFinding| {
            kept.subject == finding.subject
                && kept.message == finding.message
                && kept.expected == finding.expected
        };
        let known = self.score.findings.iter().position(same);
        if known.is_some() || self.score.findings.len() == MOST_FINDINGS {
            self.count_again(known);
            return known;
        }
        self.score.findings.push(KeptFinding { finding, again: 0 });
        Some(self.score.findings.len() - 1)
    }

    fn count_again(&mut self, at: Option<usize>) {
        let count = match at {
            Some(at) => &mut self.score.findings[at].again,
            None => &mut self.score.left_out,
        };
        *count = count.saturating_add(1);
    }

    /// Takes in what the check said of a subject.
    pub fn take(&mut self, look: Look, subject: &Subject<'_>) {
        let said = match look {
            Look::Fine => {
                self.note(subject);
                Said::Fine
            }
            Look::Faulty(findings) => {
                self.note(subject);
                let kept = findings.into_iter().map(|finding| self.keep(finding)).collect();
                self.kept.push(kept);
                Said::Faulty(self.kept.len() - 1)
            }
            Look::Skip(why) => Said::Skip(self.seen.skipped.count(why)),
            Look::Inapplicable(why) => Said::Inapplicable(self.seen.inapplicable.count(why)),
            Look::GaveUp(how) => {
                self.seen.gave_up.get_or_insert_with(|| how.clone());
                let place = self.seen.skipped.count(how);
                self.gave_up = (self.gave_up.0 + 1, place);
                Said::Skip(place)
            }
            Look::Ask(question) => {
                self.seen.questions.push(question);
                Said::Ask(self.seen.questions.len() - 1)
            }
        };
        if let (Some(all), Some(alike)) = (&mut self.said, subject.alike) {
            let place = alike as usize;
            if all.len() <= place {
                all.resize(place + 1, None);
            }
            all[place] = Some(said);
        }
    }

    /// Counts a subject as looked at.
    fn note(&mut self, subject: &Subject<'_>) {
        self.seen.looked_at += 1;
        if let Some(seq) = subject.seq.last()
            && self.score.seq.len() < MOST_SEQS
            && !self.score.seq.contains(seq)
        {
            self.score.seq.push(*seq);
        }
    }
}
