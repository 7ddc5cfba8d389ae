//! `hallmark audit`: findings by severity, each with its remedy, and the coverage of every section.

use std::path::Path;

use super::args::AuditArgs;
use super::check;
use super::exit::Class;
use super::facts::Facts;
use super::judging::{ALL, Judging, warm_tokens};
use super::output::{Reports, View};
use super::score::open;
use super::target::Target;
use crate::score::{Scorecard, Severity};

/// Drives a target, or reads a capture, and reports what was found.
pub fn run(args: &AuditArgs, facts: Facts) -> anyhow::Result<Class> {
    warm_tokens();
    let judging = Judging::load(&args.by, Some(ALL), None)?;
    let reports = Reports::prepare(View::Audit, &args.by.report, facts)?;
    let (class, card) = match args.subject.as_deref() {
        Some(file) if is_capture(file) => {
            let card = judging.score(file, open(Path::new(file))?)?;
            (judging.gate(&card), Some(card))
        }
        name => {
            let name = name.unwrap_or_else(|| Target::usual_scenario(&args.target));
            check::one(name, &args.target, &args.drive, &judging, facts)?
        }
    };
    let Some(card) = card else { return Ok(class) };
    reports.write(std::slice::from_ref(&card))?;
    Ok(match class {
        Class::Held | Class::Failed if is_as_severe(&card, &args.fail_on) => Class::Failed,
        Class::Held | Class::Failed => Class::Held,
        other => other,
    })
}

fn is_capture(name: &str) -> bool {
    name == "-" || Path::new(name).extension().is_some_and(|extension| extension == "jsonl")
}

/// Whether some finding is at least as severe as a severity by name; of `never`, none is.
fn is_as_severe(card: &Scorecard, least: &str) -> bool {
    let least: Result<Severity, _> = serde_json::from_value(least.into());
    let Ok(least) = least else { return false };
    let sets = card.sets.iter().map(|set| &set.assertions).chain([&card.wire.assertions]);
    let assertions = sets.chain([&card.assertions]).flatten();
    let mut checks = assertions.flat_map(|assertion| &assertion.checks);
    checks.any(|check| {
        check.findings.iter().any(|found| found.severity.unwrap_or(check.severity) <= least)
    })
}
