//! A check on its way through its subjects: what it said, and what that adds up to.
//!
//! Owns the memory of looks. Invariant: what is remembered changes how often a check looks, never
//! what its score says; every subject counts, and cites its own messages.

use super::catalog::Check;
use super::check::{Look, Reach};
use super::evidence;
use super::subject::Subject;
use super::verdict::Seen;
use crate::score::{CheckScore, Verdict};

/// Most findings kept of one check; the rest is counted.
const MOST_FINDINGS: usize = 50;
/// Most sequence numbers kept of one check.
const MOST_SEQS: usize = 5;

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
}

/// A look, as far as it must be known to be had again.
#[derive(Debug, Clone, Copy)]
enum Said {
    Fine,
    /// So many findings.
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
        Running { check, unbound, seen: Seen::default(), score, said }
    }

    /// Counts a subject of which an equal one was looked at before. Says whether that is enough.
    pub fn recall(&mut self, subject: &Subject<'_>) -> bool {
        let known = |said: &Vec<Option<Said>>| *said.get(subject.alike? as usize)?;
        let Some(said) = self.said.as_ref().and_then(known) else { return false };
        match said {
            Said::Fine => self.note(subject),
            // A finding that is kept cites its own messages: it must be looked for.
            Said::Faulty(_) if self.score.findings.len() < MOST_FINDINGS => return false,
            Said::Faulty(findings) => {
                self.note(subject);
                self.seen.findings += findings;
                let more = u32::try_from(findings).unwrap_or(u32::MAX);
                self.score.left_out = self.score.left_out.saturating_add(more);
            }
            Said::Skip(reason) => self.seen.skipped.again(reason),
            Said::Inapplicable(reason) => self.seen.inapplicable.again(reason),
            Said::Ask(question) => {
                self.seen.questions.push(self.seen.questions[question].clone());
            }
        }
        true
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
                let count = findings.len();
                for mut finding in findings {
                    self.seen.findings += 1;
                    if self.score.findings.len() == MOST_FINDINGS {
                        self.score.left_out += 1;
                    } else {
                        evidence::finish(self.check, &mut finding);
                        self.score.findings.push(finding);
                    }
                }
                Said::Faulty(count)
            }
            Look::Skip(why) => Said::Skip(self.seen.skipped.count(why)),
            Look::Inapplicable(why) => Said::Inapplicable(self.seen.inapplicable.count(why)),
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
