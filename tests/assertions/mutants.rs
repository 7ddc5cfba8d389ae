//! Mutants against checks.

use mcp_hallmark::assertion::{Assertion, Catalog, Mutant};
use mcp_hallmark::contract::Contract;
use mcp_hallmark::score::Verdict;

use super::reference::{clean, contract, drive, judge_by, replay};

/// Mutants whose fault the driver or the server must meet: a recorded capture cannot show it.
const LIVE_ONLY: &[&str] = &[
    // The summary is read where it is listed.
    "removes-every-summary",
    "leaves-only-instructions",
    // Frames changed on their way to the server.
    "accepts-unknown-arguments",
    "applies-another-default",
    "is-full-by-default",
    // The driver has to follow what the server recommends or gives.
    "recommends-the-same-call",
    "walks-in-a-circle",
    // What changed is read again alone.
    "read-that-writes",
];

fn assertions() -> impl Iterator<Item = &'static Assertion> {
    Catalog::builtin().assertions().iter().filter(|assertion| assertion.id.starts_with('A'))
}

#[test]
fn the_reference_server_has_no_finding() {
    let contract = contract(clean());
    for assertion in assertions() {
        for version in &assertion.versions {
            let score = judge_by(&contract, assertion, version.version);
            let findings: Vec<_> = score
                .checks
                .iter()
                .flat_map(|check| {
                    check.findings.iter().map(|f| format!("{}: {}", check.id, f.message))
                })
                .collect();
            assert!(findings.is_empty(), "{} has findings:\n{}", assertion.id, findings.join("\n"));
            let expected = if assertion.id == "A11" { "not_applicable" } else { "pass" };
            assert_eq!(score.verdict.name(), expected, "{}: {:?}", assertion.id, score.verdict);
        }
    }
}

#[test]
fn every_check_has_a_mutant() {
    for assertion in assertions().filter(|assertion| assertion.id != "A11") {
        for check in assertion.check_ids() {
            // Questions for a judge are no verdicts that a mutant could turn.
            if ["tool-count-fits-tasks", "steps-hidden", "sibling-hints-equal"].contains(&check) {
                continue;
            }
            let killed = assertion.mutants.iter().any(|m| m.kills.iter().any(|kill| kill == check));
            assert!(killed, "no mutant of {} kills {check}", assertion.id);
        }
    }
}

#[test]
fn mutants_kill_on_the_recorded_capture() {
    let work: Vec<_> = assertions()
        .flat_map(|assertion| assertion.mutants.iter().map(move |mutant| (assertion, mutant)))
        .filter(|(_, mutant)| !LIVE_ONLY.contains(&mutant.id.as_str()))
        .collect();
    let survive = |part: &[(&Assertion, &Mutant)]| -> Vec<String> {
        part.iter()
            .flat_map(|(assertion, mutant)| {
                survivors(&contract(&replay(&[mutant])), assertion, mutant)
            })
            .collect()
    };
    let (left, right) = work.split_at(work.len() / 2);
    let alive = std::thread::scope(|scope| {
        let other = scope.spawn(|| survive(right));
        [survive(left), other.join().unwrap()].concat()
    });
    assert!(alive.is_empty(), "{} checks survive:\n{}", alive.len(), alive.join("\n"));
}

#[test]
fn mutants_kill_what_only_a_live_run_shows() {
    let mut alive = Vec::new();
    for assertion in assertions() {
        for mutant in assertion.mutants.iter().filter(|m| LIVE_ONLY.contains(&m.id.as_str())) {
            alive.extend(survivors(&contract(&drive(Some(mutant))), assertion, mutant));
        }
    }
    assert!(alive.is_empty(), "{} checks survive:\n{}", alive.len(), alive.join("\n"));
}

/// The checks that a mutant should turn to `fail` and does not. A required one fails its assertion.
fn survivors(contract: &Contract, assertion: &Assertion, mutant: &Mutant) -> Vec<String> {
    let mut alive = Vec::new();
    for version in &assertion.versions {
        let targets = |id: &str| mutant.kills.iter().any(|kill| kill == id);
        if !version.checks.iter().any(|check| targets(&check.id)) {
            continue;
        }
        let score = judge_by(contract, assertion, version.version);
        let mut fails = false;
        for check in score.checks.iter().filter(|check| targets(&check.id)) {
            fails |= check.required;
            if check.verdict != Verdict::Fail {
                let why = check.verdict.reason().unwrap_or_default();
                alive.push(format!(
                    "{}: {} is {} {why}",
                    mutant.id,
                    check.id,
                    check.verdict.name()
                ));
            }
        }
        if fails && score.verdict != Verdict::Fail {
            alive.push(format!("{}: {} is {}", mutant.id, assertion.id, score.verdict.name()));
        }
    }
    alive
}
