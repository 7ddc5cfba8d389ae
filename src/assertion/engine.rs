//! The engine: contract and assertions in, scorecard out.
//!
//! Owns enumerating subjects once a kind, running checks over them, and putting the scorecard
//! together. Invariant: pure; verdicts are counted by [`Tally`] alone.

use std::collections::HashMap;
use std::num::NonZero;
use std::thread;

use super::absence::{absence, depends_on_the_end, incomplete};
use super::catalog::{Assertion, AssertionSet, Catalog, Check, Version};
use super::check::{Survey, View};
use super::executor::Executor;
use super::running::Running;
use super::subject::{Each, Subject};
use super::subjects::subjects;
use super::verdict::{of_assertion, of_check};
use super::{coverage, evidence};
use crate::contract::Contract;
use crate::jq::Input;
use crate::parallel::side_by_side;
use crate::score::{
    AssertionScore, CheckScore, Cost, SCORECARD_FORMAT, ScenarioRef, Scorecard, ServerRef, SetRef,
    SetScore, Tally, TargetRef, ToolInfo, Verdict,
};

/// Most threads that judge one contract.
const MOST_THREADS: usize = 8;

/// Judges a contract by sets: the first is the one that the run is scored by, and the set `wire`
/// is always judged beside it. `tokens` counts the tokens of a text in the encoding
/// [`TOKENIZER`](super::TOKENIZER).
pub fn judge(
    contract: &Contract,
    catalog: &Catalog,
    sets: &[&AssertionSet],
    tokens: &dyn Fn(&str) -> usize,
) -> Scorecard {
    scorecard(contract, catalog, sets, tokens, true)
}

/// Judges as [`judge`] does, and looks at every subject for itself even where an equal one was
/// seen before: what is remembered is held against this by tests.
#[doc(hidden)]
pub fn judge_one_by_one(
    contract: &Contract,
    catalog: &Catalog,
    sets: &[&AssertionSet],
    tokens: &dyn Fn(&str) -> usize,
) -> Scorecard {
    scorecard(contract, catalog, sets, tokens, false)
}

fn scorecard(
    contract: &Contract,
    catalog: &Catalog,
    sets: &[&AssertionSet],
    tokens: &dyn Fn(&str) -> usize,
    remember: bool,
) -> Scorecard {
    let cost = coverage::cost(contract, tokens);
    let is_wire = |set: &&AssertionSet| set.set.id == Catalog::WIRE_SET;
    let wire = catalog.sets().iter().rev().find(is_wire);
    let wire = if sets.iter().any(is_wire) { None } else { wire };
    let all: Vec<&AssertionSet> = sets.iter().copied().chain(wire).collect();
    let members = members_of(catalog, &all);
    let judged = scores(contract, &cost, &members, remember);
    let mut scores: Vec<SetScore> =
        all.iter().map(|set| set_score(set, members.iter().zip(&judged))).collect();
    let wire = match scores.iter().position(|score| score.set.id == Catalog::WIRE_SET) {
        // Asked for alone, it is the main set as well.
        Some(0) if !sets.is_empty() => scores[0].clone(),
        Some(index) => scores.remove(index),
        None => empty_set(Catalog::WIRE_SET),
    };
    let main = if scores.is_empty() { empty_set(Catalog::DEFAULT_SET) } else { scores.remove(0) };
    let every = || [&main, &wire].into_iter().chain(&scores);
    let coverage = coverage::coverage(contract, catalog.rules().len(), every());
    let incomplete = incomplete(contract);
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

/// Every assertion of the sets, in the version that they name, each once.
fn members_of<'c>(
    catalog: &'c Catalog,
    sets: &[&'c AssertionSet],
) -> Vec<(&'c Assertion, &'c Version)> {
    let mut members: Vec<&(String, u32)> = Vec::new();
    for member in sets.iter().flat_map(|set| &set.members) {
        if !members.contains(&member) {
            members.push(member);
        }
    }
    members.into_iter().filter_map(|member| catalog.member(member)).collect()
}

fn set_score<'a>(
    set: &AssertionSet,
    judged: impl Iterator<Item = (&'a (&'a Assertion, &'a Version), &'a AssertionScore)> + Clone,
) -> SetScore {
    let score_of = |(id, number): &(String, u32)| {
        let mut judged = judged.clone();
        let found = judged.find(|((_, v), score)| score.id == *id && v.version == *number);
        found.map(|(_, score)| score.clone())
    };
    let assertions: Vec<AssertionScore> = set.members.iter().filter_map(score_of).collect();
    let score = Tally::of(assertions.iter().map(|assertion| &assertion.verdict));
    SetScore { set: set.set.clone(), score, assertions }
}

/// Checks that are run together, as indexes: programs that look at the same subjects share what
/// was made ready for the first of them; functions of ours stand alone.
fn groups_of(checks: &[&Check]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, check) in checks.iter().enumerate() {
        let is_program = |check: &Check| matches!(check.executor, Executor::Jq(_));
        let together = groups.iter_mut().find(|group| {
            let first = checks[group[0]];
            is_program(check) && is_program(first) && first.each == check.each
        });
        match together {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// Threads that judge one contract.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
}

/// Judges assertions, in their order.
fn scores(
    contract: &Contract,
    cost: &Cost,
    members: &[(&Assertion, &Version)],
    remember: bool,
) -> Vec<AssertionScore> {
    let checks: Vec<&Check> = members.iter().flat_map(|(_, version)| &version.checks).collect();
    let mut kinds: Vec<Each> = Vec::new();
    for check in &checks {
        if !kinds.contains(&check.each) {
            kinds.push(check.each);
        }
    }
    let lists = side_by_side(&kinds, threads(), |each| subjects(contract, *each));
    let judge = Judge {
        contract,
        cost,
        survey: Survey::default(),
        incomplete: incomplete(contract),
        remember,
        subjects: kinds.into_iter().zip(lists).collect(),
    };
    let groups = groups_of(&checks);
    let looked = side_by_side(&groups, threads(), |group| {
        judge.look(&group.iter().map(|index| checks[*index]).collect::<Vec<_>>())
    });
    let mut looked: Vec<_> = groups.iter().flatten().zip(looked.into_iter().flatten()).collect();
    looked.sort_by_key(|(index, _)| **index);
    let mut looked = looked.into_iter().map(|(_, score)| score);
    let score = |(assertion, version): &(&Assertion, &Version)| {
        of_its_checks(assertion, version, looked.by_ref().take(version.checks.len()).collect())
    };
    members.iter().map(score).collect()
}

fn of_its_checks(
    assertion: &Assertion,
    version: &Version,
    scores: Vec<CheckScore>,
) -> AssertionScore {
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

/// What every check looks at.
struct Judge<'a> {
    contract: &'a Contract,
    cost: &'a Cost,
    survey: Survey,
    incomplete: Option<String>,
    /// Whether of equal subjects one is enough for checks that depend on values alone.
    remember: bool,
    subjects: HashMap<Each, Vec<Subject<'a>>>,
}

impl Judge<'_> {
    /// Runs checks of one kind of subject.
    fn look<'c>(&self, checks: &[&'c Check]) -> Vec<CheckScore> {
        let running =
            |check: &&'c Check| Running::of(check, self.not_binding(check), self.remember);
        let mut running: Vec<Running<'_>> = checks.iter().map(running).collect();
        let list = checks.first().map_or(&[][..], |check| &self.subjects[&check.each][..]);
        for subject in list {
            let input = Input::of(&subject.value);
            for one in running.iter_mut().filter(|one| one.unbound.is_none()) {
                if one.recall(subject) {
                    continue;
                }
                let check = one.check;
                let view = self.view(check);
                one.take(check.executor.look(check, &view, subject, &input), subject);
            }
        }
        running.into_iter().map(|one| self.decided(one)).collect()
    }

    /// What a check may look at.
    fn view<'v>(&'v self, check: &'v Check) -> View<'v> {
        let Judge { contract, cost, survey, .. } = self;
        View { contract, with: &check.with, cost, survey }
    }

    /// Why a check does not bind the revision that was spoken.
    fn not_binding(&self, check: &Check) -> Option<String> {
        let (since, spoken) = (check.since?, self.contract.revision?);
        (spoken < since).then(|| format!("it binds from {since} on; the session spoke {spoken}"))
    }

    fn decided(&self, running: Running<'_>) -> CheckScore {
        let Running { check, unbound, seen, mut score, .. } = running;
        if let Some(why) = unbound {
            score.verdict = Verdict::NotApplicable(why);
            return score;
        }
        let depends = depends_on_the_end(self.contract, check.each);
        let cut = self.incomplete.as_deref().filter(|_| depends);
        score.verdict = of_check(&seen, cut, || absence(self.contract, check.each));
        score.subjects = seen.looked_at;
        score.skipped = seen.skipped.into_counts();
        score.skipped.extend(seen.inapplicable.into_counts());
        score
    }
}
