//! The engine: contract and assertions in, scorecard out.
//!
//! Owns enumerating subjects once a kind, running checks over them, and putting the scorecard
//! together. Invariant: pure; verdicts are counted by [`Tally`] alone.

use std::collections::HashMap;

use super::absence::{absence, depends_on_the_end, incomplete};
use super::catalog::{Assertion, AssertionSet, Catalog, Check, Version};
use super::check::{Look, View};
use super::subject::{Each, Subject};
use super::verdict::{Seen, count, of_assertion, of_check};
use super::{coverage, evidence, subjects};
use crate::contract::Contract;
use crate::score::{
    AssertionScore, CheckScore, Cost, SCORECARD_FORMAT, ScenarioRef, Scorecard, ServerRef, SetRef,
    SetScore, Tally, TargetRef, ToolInfo, Verdict,
};

/// Most findings kept of one check; the rest is counted.
const MOST_FINDINGS: usize = 50;
/// Most sequence numbers kept of one check.
const MOST_SEQS: usize = 5;

/// Judges a contract by sets: the first is the one that the run is scored by, and the set `wire`
/// is always judged beside it. `tokens` counts the tokens of a text in the encoding
/// [`TOKENIZER`](super::TOKENIZER).
pub fn judge(
    contract: &Contract,
    catalog: &Catalog,
    sets: &[&AssertionSet],
    tokens: &dyn Fn(&str) -> usize,
) -> Scorecard {
    let cost = coverage::cost(contract, tokens);
    let mut judge = Judge {
        contract,
        cost: &cost,
        incomplete: incomplete(contract),
        subjects: HashMap::new(),
        done: HashMap::new(),
    };
    let mut scores: Vec<SetScore> = sets.iter().map(|set| judge.set(catalog, set)).collect();
    let wire = sets.iter().position(|set| set.set.id == Catalog::WIRE_SET);
    let wire = match wire {
        Some(index) if index > 0 => scores.remove(index),
        Some(index) => scores[index].clone(),
        None => match catalog.sets().iter().rev().find(|set| set.set.id == Catalog::WIRE_SET) {
            Some(set) => judge.set(catalog, set),
            None => empty_set(Catalog::WIRE_SET),
        },
    };
    let main = if scores.is_empty() { empty_set(Catalog::DEFAULT_SET) } else { scores.remove(0) };
    let all = || [&main, &wire].into_iter().chain(&scores);
    let coverage = coverage::coverage(contract, catalog.rules().len(), all());
    let incomplete = judge.incomplete.clone();
    let header = contract.header.as_ref();
    Scorecard {
        hallmark: ToolInfo {
            scorecard: SCORECARD_FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        target: TargetRef {
            kind: header.map_or_else(|| "capture".to_owned(), |h| h.target.kind.clone()),
            name: header.map_or_else(String::new, |h| h.target.name.clone()),
            server: ServerRef {
                name: contract.identity.name.clone(),
                version: contract.identity.version.clone(),
            },
        },
        revision: contract.revision.map(|revision| revision.as_str().to_owned()),
        started: header.map(|h| h.started.clone()),
        scenario: header.and_then(|h| h.scenario.as_ref()).map(|scenario| ScenarioRef {
            id: scenario.id.clone(),
            digest: scenario.digest.clone(),
        }),
        set: main.set,
        score: main.score,
        assertions: main.assertions,
        wire,
        sets: scores,
        coverage,
        withheld: contract.end.as_ref().map(|end| end.withheld.clone()).unwrap_or_default(),
        incomplete,
        cost,
    }
}

fn empty_set(id: &str) -> SetScore {
    let set = SetRef { id: id.to_owned(), edition: String::new(), digest: String::new() };
    SetScore { set, score: Tally::default(), assertions: Vec::new() }
}

/// One judging, with what is worked out once.
struct Judge<'a> {
    contract: &'a Contract,
    cost: &'a Cost,
    incomplete: Option<String>,
    subjects: HashMap<Each, Vec<Subject<'a>>>,
    done: HashMap<(String, u32), AssertionScore>,
}

impl<'a> Judge<'a> {
    fn set(&mut self, catalog: &Catalog, set: &AssertionSet) -> SetScore {
        let mut assertions = Vec::new();
        for member in &set.members {
            if let Some(done) = self.done.get(member) {
                assertions.push(done.clone());
            } else if let Some((assertion, version)) = catalog.member(member) {
                let score = self.assertion(assertion, version);
                self.done.insert(member.clone(), score.clone());
                assertions.push(score);
            }
        }
        let score = Tally::of(assertions.iter().map(|assertion| &assertion.verdict));
        SetScore { set: set.set.clone(), score, assertions }
    }

    fn assertion(&mut self, assertion: &Assertion, version: &Version) -> AssertionScore {
        let scores: Vec<CheckScore> =
            version.checks.iter().map(|check| self.check(check)).collect();
        let pairs: Vec<_> = version.checks.iter().zip(&scores).collect();
        let verdict = of_assertion(&pairs);
        let evidence = evidence::line(&verdict, &pairs);
        AssertionScore {
            id: assertion.id.clone(),
            title: assertion.title.clone(),
            verdict,
            evidence,
            checks: scores,
        }
    }

    fn check(&mut self, check: &Check) -> CheckScore {
        let mut score = CheckScore {
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
        if let (Some(since), Some(spoken)) = (check.since, self.contract.revision)
            && spoken < since
        {
            let why = format!("it binds from {since} on; the session spoke {spoken}");
            score.verdict = Verdict::NotApplicable(why);
            return score;
        }
        let contract = self.contract;
        let view = View { contract, with: &check.with, cost: self.cost };
        let list =
            self.subjects.entry(check.each).or_insert_with(|| subjects(contract, check.each));
        let mut seen = Seen::default();
        for subject in list.iter() {
            match check.executor.look(check, &view, subject) {
                Look::Fine => note(&mut seen, &mut score, subject),
                Look::Faulty(findings) => {
                    note(&mut seen, &mut score, subject);
                    for mut finding in findings {
                        seen.findings += 1;
                        if score.findings.len() == MOST_FINDINGS {
                            score.left_out += 1;
                        } else {
                            evidence::finish(check, &mut finding);
                            score.findings.push(finding);
                        }
                    }
                }
                Look::Skip(why) => count(&mut seen.skipped, why),
                Look::Inapplicable(why) => count(&mut seen.inapplicable, why),
                Look::Ask(question) => seen.questions.push(question),
            }
        }
        let cut = self.incomplete.as_deref().filter(|_| depends_on_the_end(contract, check.each));
        score.verdict = of_check(&seen, cut, || absence(contract, check.each));
        score.subjects = seen.looked_at;
        score.skipped = seen.skipped;
        score.skipped.extend(seen.inapplicable);
        score
    }
}

/// Counts a subject as looked at.
fn note(seen: &mut Seen, score: &mut CheckScore, subject: &Subject<'_>) {
    seen.looked_at += 1;
    if let Some(seq) = subject.seq.last()
        && score.seq.len() < MOST_SEQS
        && !score.seq.contains(seq)
    {
        score.seq.push(*seq);
    }
}
