//! `hallmark list`: what there is to judge by and to run.

use std::fmt::Write as _;

use super::args::ListArgs;
use super::exit::Class;
use super::judging::catalog;
use super::output::to_stdout;
use crate::assertion::{Assertion, Catalog};
use crate::scenario::{builtin_ids, load_builtin};

/// Prints the lists.
pub fn run(args: &ListArgs) -> anyhow::Result<Class> {
    let catalog = catalog(args.assertions.as_deref())?;
    let text = if args.rules { rules(&catalog)? } else { everything(&catalog)? };
    to_stdout(text.as_bytes())?;
    Ok(Class::Held)
}

fn everything(catalog: &Catalog) -> anyhow::Result<String> {
    let mut out = String::from("Sets\n");
    for set in catalog.sets() {
        let name = format!("{}@{}", set.set.id, set.set.edition);
        writeln!(out, "  {name:26} {} ({} assertions)", set.title, set.members.len())?;
    }
    out.push_str("\nAssertions\n");
    for assertion in catalog.assertions() {
        writeln!(out, "  {:26} {}", assertion.id, assertion.title)?;
        for check in &newest(assertion) {
            writeln!(out, "    {check}")?;
        }
    }
    out.push_str("\nScenarios\n");
    for id in builtin_ids() {
        writeln!(out, "  {id:26} {}", load_builtin(id)?.title)?;
    }
    out.push_str("\n`hallmark explain ID` tells more about each.\n");
    Ok(out)
}

fn newest(assertion: &Assertion) -> Vec<String> {
    let Some(version) = assertion.versions.last() else { return Vec::new() };
    let line = |check: &crate::assertion::Check| {
        let weight = if check.required { "" } else { ", advisory" };
        format!("{} (rule {}, {}{weight})", check.id, check.rule, check.severity)
    };
    version.checks.iter().map(line).collect()
}

fn rules(catalog: &Catalog) -> anyhow::Result<String> {
    let mut out = String::new();
    let mut judged = 0;
    for rule in catalog.rules().iter() {
        let checks = catalog.checks_of_rule(&rule.id);
        let checks: Vec<&str> = checks.iter().map(|(_, check)| *check).collect();
        judged += usize::from(!checks.is_empty());
        let by = match &rule.unjudged {
            Some(why) if checks.is_empty() => format!("- ({why})"),
            _ if checks.is_empty() => "-".to_owned(),
            _ => checks.join(", "),
        };
        writeln!(out, "{:30} {:9} {}", rule.id, rule.severity, by)?;
    }
    writeln!(out, "\n{judged} of {} rules have a check", catalog.rules().len())?;
    Ok(out)
}
