//! Every mutant against every check.

use std::collections::{BTreeMap, BTreeSet};

use super::ground::Ground;
use super::trial::{Seen, Trial};
use crate::assertion::{Catalog, Each, Fixture, Mutant};
use crate::fault::Rule;
use crate::parallel::side_by_side;
use crate::score::Verdict;

/// What became of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Every check that it names failed.
    Killed,
    /// What did not fail although it should, each with what it said instead.
    Survived(Vec<String>),
    /// It changes nothing that this target has, for this reason.
    NotApplicable(String),
}

/// A mutant with the checks that it turned to `fail`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its assertion.
    pub assertion: String,
    /// Its id.
    pub mutant: String,
    /// What it does.
    pub note: String,
    /// What became of it.
    pub fate: Fate,
    /// The checks that it names.
    pub named: Vec<String>,
    /// The other checks that failed with it and do not fail without it.
    pub also: Vec<String>,
}

/// The whole matrix, and everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matrix {
    /// A row for each mutant, in the order of their files.
    pub rows: Vec<Row>,
    /// Checks that need no mutant, and why.
    pub exempt: BTreeMap<String, String>,
    /// Number of checks.
    pub checks: usize,
    /// Why the matrix does not hold. Empty when it does.
    pub problems: Vec<String>,
}

/// Tries mutants on a target, `jobs` at a time: all of them, or those whose id, assertion or check
/// is among `only`. `progress` hears of each row when it is known.
pub fn selftest(
    ground: &Ground,
    catalog: &Catalog,
    only: &[String],
    jobs: usize,
    progress: &(dyn Fn(&Row) + Sync),
) -> Matrix {
    let chosen: Vec<(&str, &Mutant)> = catalog
        .assertions()
        .iter()
        .flat_map(|assertion| assertion.mutants.iter().map(|mutant| (&*assertion.id, mutant)))
        .filter(|(assertion, mutant)| {
            let is = |name: &String| {
                *assertion == *name || mutant.id == *name || mutant.kills.contains(name)
            };
            only.is_empty() || only.iter().any(is)
        })
        .collect();
    let mut matrix = Matrix::default();
    let baselines = Baselines::new(ground, catalog, &chosen, jobs, &mut matrix.problems);
    matrix.rows = side_by_side(&chosen, jobs, |(assertion, mutant)| {
        let row = row(ground, catalog, &baselines, assertion, mutant);
        progress(&row);
        row
    });
    for check in catalog.assertions().iter().flat_map(|a| a.versions.iter().flat_map(|v| &v.checks))
    {
        if let Some(why) = &check.without_mutant {
            matrix.exempt.insert(check.id.clone(), why.clone());
        }
    }
    matrix.checks = catalog.assertions().iter().map(|a| a.check_ids().len()).sum();
    for row in &matrix.rows {
        if let Fate::Survived(alive) = &row.fate {
            matrix.problems.push(format!("{} survives: {}", row.mutant, alive.join("; ")));
        }
        if let Fate::NotApplicable(why) = &row.fate
            && ground.is_reference
        {
            matrix.problems.push(format!("{} proves nothing: {why}", row.mutant));
        }
    }
    if only.is_empty() && ground.is_reference {
        without_mutant(catalog, &matrix.exempt, &mut matrix.problems);
        twins(&chosen, &matrix.rows, &mut matrix.problems);
    }
    matrix
}

/// Every check needs a mutant, or a reason why none can kill it.
fn without_mutant(
    catalog: &Catalog,
    exempt: &BTreeMap<String, String>,
    problems: &mut Vec<String>,
) {
    let mutants = catalog.assertions().iter().flat_map(|assertion| &assertion.mutants);
    let killed: BTreeSet<&str> = mutants.flat_map(|m| m.kills.iter().map(String::as_str)).collect();
    for id in catalog.assertions().iter().flat_map(|assertion| assertion.check_ids()) {
        match (killed.contains(id), exempt.contains_key(id)) {
            (false, false) => problems.push(format!("no mutant kills the check {id}")),
            (true, true) => problems.push(format!("{id} needs no mutant, and has one")),
            _ => {}
        }
    }
}

/// Two mutants that kill the same checks need a reason.
fn twins(chosen: &[(&str, &Mutant)], rows: &[Row], problems: &mut Vec<String>) {
    let mut seen: BTreeMap<Vec<&str>, &str> = BTreeMap::new();
    for (row, (_, mutant)) in rows.iter().zip(chosen) {
        let mut kills: Vec<&str> = row.named.iter().chain(&row.also).map(String::as_str).collect();
        kills.sort_unstable();
        let Some(first) = seen.get(&kills) else {
            seen.insert(kills, &row.mutant);
            continue;
        };
        match &mutant.twin {
            Some((of, _)) if of == first => {}
            Some((of, _)) => problems.push(format!(
                "{} says that it is the twin of {of}, and has the row of {first}",
                row.mutant
            )),
            None => problems.push(format!(
                "{} kills what {first} kills ({}); say why both are kept with `twin:`",
                row.mutant,
                kills.join(", ")
            )),
        }
    }
}

/// The runs without a mutant: over each transport, and with each fixture.
struct Baselines {
    runs: BTreeMap<(bool, Option<String>), Trial>,
    /// The checks that pass in each stage of the scenario, without a fixture, the whole left out.
    passing: Vec<BTreeSet<String>>,
}

impl Baselines {
    fn new(
        ground: &Ground,
        catalog: &Catalog,
        chosen: &[(&str, &Mutant)],
        jobs: usize,
        problems: &mut Vec<String>,
    ) -> Baselines {
        let mut needed: BTreeSet<(bool, Option<String>)> = BTreeSet::from([(false, None)]);
        needed.extend(chosen.iter().map(|(_, m)| (needs_http(catalog, m), m.fixture.clone())));
        needed.retain(|(over_http, _)| !over_http || ground.http.is_some());
        let needed: Vec<_> = needed.into_iter().collect();
        let trials = side_by_side(&needed, jobs, |(over_http, fixture)| {
            let rules = rules_of(catalog, fixture.as_deref());
            run(ground, catalog, *over_http, &ground.scenario, rules)
        });
        for ((over_http, fixture), trial) in needed.iter().zip(&trials) {
            let transport = if *over_http { " over HTTP" } else { "" };
            let on =
                fixture.as_ref().map_or_else(String::new, |id| format!(" with the fixture {id}"));
            if let Some(why) = &trial.failure {
                problems.push(format!("the clean run{transport}{on} failed: {why}"));
            }
            let gave_up = trial.checks.iter().filter(|(_, seen)| {
                seen.verdict.reason().is_some_and(|reason| reason.contains("program gave up"))
            });
            problems.extend(gave_up.map(|(id, seen)| {
                format!("{id}{transport}{on}: {}", seen.verdict.reason().unwrap_or_default())
            }));
            if ground.is_reference {
                problems.extend(trial.findings().map(|(check, finding)| {
                    format!("{check} has a finding on the clean server{transport}{on}: {finding}")
                }));
            }
        }
        let mut stages = ground.stages();
        stages.pop();
        let passing = side_by_side(&stages, jobs, |stage| {
            let trial = run(ground, catalog, false, stage, Vec::new());
            let passes = |(_, seen): &(String, Seen)| seen.verdict == Verdict::Pass;
            trial.checks.into_iter().filter(passes).map(|(id, _)| id).collect()
        });
        Baselines { runs: needed.into_iter().zip(trials).collect(), passing }
    }

    /// The first stage in which every check that a mutant kills has something to look at. It only
    /// saves time: a later stage shows all that an earlier one does. What passes with a fixture or
    /// over HTTP is not known by stages, so that such a mutant begins with the first.
    fn first_stage(&self, mutant: &Mutant, over_http: bool) -> usize {
        if over_http || mutant.fixture.is_some() {
            return 0;
        }
        let shows = |passing: &BTreeSet<String>| mutant.kills.iter().all(|id| passing.contains(id));
        self.passing.iter().position(shows).unwrap_or(self.passing.len())
    }
}

fn row(
    ground: &Ground,
    catalog: &Catalog,
    baselines: &Baselines,
    assertion: &str,
    mutant: &Mutant,
) -> Row {
    let over_http = needs_http(catalog, mutant);
    let mut row = Row {
        assertion: assertion.to_owned(),
        mutant: mutant.id.clone(),
        note: mutant.note.clone(),
        fate: Fate::NotApplicable(
            "it changes HTTP heads, and the target is not driven over HTTP".to_owned(),
        ),
        named: mutant.kills.clone(),
        also: Vec::new(),
    };
    let Some(clean) = baselines.runs.get(&(over_http, mutant.fixture.clone())) else { return row };
    if let Some(why) = unfit(mutant, clean).filter(|_| !ground.is_reference) {
        row.fate = Fate::NotApplicable(why);
        return row;
    }
    let mut rules = rules_of(catalog, mutant.fixture.as_deref());
    rules.push(mutant.rule.clone());
    for scenario in ground.stages().into_iter().skip(baselines.first_stage(mutant, over_http)) {
        let trial = run(ground, catalog, over_http, &scenario, rules.clone());
        let alive = alive(mutant, &trial);
        row.also = trial
            .checks
            .keys()
            .filter(|id| trial.fails(id) && !clean.fails(id) && !mutant.kills.contains(id))
            .cloned()
            .collect();
        row.fate = match alive.is_empty() {
            true => return Row { fate: Fate::Killed, ..row },
            false if trial.applied == 0 => {
                Fate::NotApplicable("it found nothing to change".to_owned())
            }
            false => Fate::Survived(alive),
        };
    }
    row
}

/// Why a mutant can prove nothing on a target whose clean run is this.
fn unfit(mutant: &Mutant, clean: &Trial) -> Option<String> {
    if let (Some(since), Some(spoken)) = (mutant.since, clean.revision)
        && spoken < since
    {
        return Some(format!("it is a fault from {since} on; the target speaks {spoken}"));
    }
    mutant.kills.iter().find_map(|kill| {
        let seen = clean.checks.get(kill)?;
        match &seen.verdict {
            Verdict::Pass => None,
            Verdict::Fail => Some(format!("{kill} fails without it")),
            other => Some(format!("{kill} is {} without it", other.name().replace('_', " "))),
        }
    })
}

/// What a mutant should have turned to `fail` and did not.
fn alive(mutant: &Mutant, trial: &Trial) -> Vec<String> {
    let mut alive = Vec::new();
    for kill in &mutant.kills {
        match trial.checks.get(kill) {
            Some(seen) if seen.verdict == Verdict::Fail && seen.counts => {}
            Some(seen) if seen.verdict == Verdict::Fail => {
                alive.push(format!("{kill} fails and its assertion does not"));
            }
            Some(seen) => {
                let why = seen.verdict.reason().unwrap_or_default();
                alive
                    .push(format!("{kill} is {} {why}", seen.verdict.name()).trim_end().to_owned());
            }
            None => alive.push(format!("{kill} was not judged: no set lists its assertion")),
        }
    }
    // A program may fail on frames that it was not written for; that only matters where it missed.
    if !alive.is_empty() {
        alive.extend(trial.problems.first().cloned());
    }
    alive
}

fn run(
    ground: &Ground,
    catalog: &Catalog,
    over_http: bool,
    scenario: &crate::scenario::Scenario,
    rules: Vec<Rule>,
) -> Trial {
    let target = if over_http { ground.http.as_ref() } else { None }.unwrap_or(&ground.target);
    Trial::run(catalog, target, scenario, ground.limits(), ground.is_reference, rules)
}

/// Only over HTTP are there heads to change, and exchanges to look at.
fn needs_http(catalog: &Catalog, mutant: &Mutant) -> bool {
    let looks_at_http = |kill: &String| {
        let check = catalog.check(kill);
        check.is_some_and(|(_, _, check)| check.each == Each::HttpExchange)
    };
    mutant.rule.is_of_http() || mutant.kills.iter().any(looks_at_http)
}

fn rules_of(catalog: &Catalog, fixture: Option<&str>) -> Vec<Rule> {
    let is = |known: &&Fixture| Some(&*known.id) == fixture;
    catalog.fixtures().iter().find(is).map_or_else(Vec::new, |f| f.rules.clone())
}
