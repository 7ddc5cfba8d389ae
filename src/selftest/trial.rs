//! One run of a target with faults on the wire, judged by everything.

use std::collections::BTreeMap;

use crate::assertion::{AssertionSet, Catalog, judge};
use crate::capture::{
    FORMAT_MAJOR, FORMAT_MINOR, FormatVersion, Header, Memory, Permissions, Recorder, Redactor,
    TargetFacts, read_events,
};
use crate::contract::Builder;
use crate::drive::{DriveRequest, run};
use crate::fault::{Injector, Rule};
use crate::scenario::Scenario;
use crate::score::{CheckScore, Scorecard, Verdict};
use crate::target::{Limits, TargetSpec};
use crate::wire::Revision;

/// What a run showed.
#[derive(Debug)]
pub(super) struct Trial {
    /// Every check of every version, by id and assertion version.
    pub(super) checks: BTreeMap<String, Seen>,
    /// How often the last of the fault rules changed something.
    pub(super) applied: u64,
    /// What went wrong while applying the rules.
    pub(super) problems: Vec<String>,
    /// The revision that was spoken.
    pub(super) revision: Option<Revision>,
    /// Why the target could not be driven, when it could not.
    pub(super) failure: Option<String>,
}

/// How one check came out: the worst of its versions.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) verdict: Verdict,
    /// The first finding, in words.
    pub(super) finding: Option<String>,
    /// Whether every assertion that requires the check failed with it.
    pub(super) counts: bool,
}

impl Trial {
    /// Drives a target with faults and judges the capture by every version of every assertion.
    pub(super) fn run(
        catalog: &Catalog,
        target: &TargetSpec,
        scenario: &Scenario,
        limits: Limits,
        allow_mutations: bool,
        rules: Vec<Rule>,
    ) -> Trial {
        let faults = match Injector::new(rules, SEED) {
            Ok(faults) => faults,
            Err(error) => return Trial::failed(error.to_string()),
        };
        let captured = Memory::default();
        let recorder = Recorder::new(
            captured.clone(),
            header(target, scenario, allow_mutations),
            Redactor::new(),
        );
        let request = DriveRequest {
            target: target.clone(),
            scenario,
            revision: None,
            limits,
            allow_mutations,
            faults: Some(faults),
        };
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return Trial::failed(error.to_string()),
        };
        let outcome = runtime.block_on(run(request, &recorder, &|_| ()));
        let mut builder = Builder::new();
        if let Err(error) = read_events(&captured.bytes()[..], |event| builder.see(event)) {
            return Trial::failed(format!("read our own capture: {error}"));
        }
        let sets: Vec<&AssertionSet> = catalog.sets().iter().collect();
        // Token counts only matter to budgets; a fourth of the bytes is near enough to break one.
        let card = judge(&builder.finish(), catalog, &sets, &|text| text.len() / 4);
        let revision = card.revision.as_ref().and_then(|revision| revision.parse().ok());
        let (applied, problems, failure) = match outcome {
            Ok(end) => end.faults.map_or((0, Vec::new(), None), |faults| {
                let applied = faults.applied().last().map_or(0, |(_, times)| times);
                (applied, faults.problems().to_vec(), None)
            }),
            // Some mutants end a run early; what was captured until then was judged all the same.
            Err(error) => (1, Vec::new(), Some(error.to_string())),
        };
        Trial { checks: checks(&card), applied, problems, revision, failure }
    }

    fn failed(why: String) -> Trial {
        Trial {
            checks: BTreeMap::new(),
            applied: 0,
            problems: Vec::new(),
            revision: None,
            failure: Some(why),
        }
    }

    /// The checks with a finding, each with its first one.
    pub(super) fn findings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.checks.iter().filter_map(|(id, seen)| Some((id.as_str(), seen.finding.as_deref()?)))
    }

    /// Whether a check failed.
    pub(super) fn fails(&self, check: &str) -> bool {
        self.checks.get(check).is_some_and(|seen| seen.verdict == Verdict::Fail)
    }
}

/// The seed of every trial: with it the matrix is the same each time.
const SEED: u64 = 1;

fn header(target: &TargetSpec, scenario: &Scenario, mutations: bool) -> Header {
    Header {
        capture: FormatVersion { major: FORMAT_MAJOR, minor: FORMAT_MINOR },
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: TargetFacts { kind: "selftest".to_owned(), name: target.name() },
        revision: "auto".to_owned(),
        scenario: Some(scenario.facts()),
        sets: Vec::new(),
        permissions: Permissions { mutations },
        started: "2026-01-01T00:00:00Z".to_owned(),
        seed: SEED,
    }
}

/// Every check of a scorecard. One that several versions or editions have counts as failed when it
/// fails in each of them.
fn checks(card: &Scorecard) -> BTreeMap<String, Seen> {
    let sets = card.sets.iter().map(|set| &set.assertions).chain([&card.wire.assertions]);
    let assertions = card.assertions.iter().chain(sets.flatten());
    let mut checks: BTreeMap<String, Seen> = BTreeMap::new();
    for assertion in assertions {
        for check in &assertion.checks {
            let seen = seen(check, assertion.verdict == Verdict::Fail);
            match checks.get_mut(&check.id) {
                None => {
                    checks.insert(check.id.clone(), seen);
                }
                Some(known) if known.verdict == Verdict::Fail && seen.verdict != Verdict::Fail => {
                    *known = seen;
                }
                Some(known) => known.counts &= seen.counts,
            }
        }
    }
    checks
}

fn seen(check: &CheckScore, assertion_failed: bool) -> Seen {
    Seen {
        verdict: check.verdict.clone(),
        finding: check
            .findings
            .first()
            .map(|found| format!("{}: {}", found.subject, found.message)),
        counts: assertion_failed || !check.required,
    }
}
