//! `hallmark explain`: one assertion, check, rule, mutant, set or scenario, from its declaration.

use std::fmt::Write as _;

use anyhow::bail;

use super::args::ExplainArgs;
use super::exit::Class;
use super::judging::catalog;
use super::output::to_stdout;
use crate::assertion::{Assertion, Catalog, Check, Mutant, Rule};
use crate::scenario::{builtin_ids, load_builtin};
use crate::yaml::suggest;

/// Prints the explanation.
pub fn run(args: &ExplainArgs) -> anyhow::Result<Class> {
    let catalog = catalog(args.assertions.as_deref())?;
    let Some(text) = explain(&catalog, &args.id)? else {
        bail!("nothing is named `{}`; {}", args.id, suggest(&args.id, &names(&catalog)));
    };
    to_stdout(text.as_bytes())?;
    Ok(Class::Held)
}

fn explain(catalog: &Catalog, id: &str) -> anyhow::Result<Option<String>> {
    let by_id = |assertion: &&Assertion| assertion.id.eq_ignore_ascii_case(id);
    if let Some(assertion) = catalog.assertions().iter().find(by_id) {
        return Ok(Some(assertion_text(assertion)?));
    }
    for assertion in catalog.assertions() {
        let checks = assertion.versions.iter().rev().flat_map(|version| &version.checks);
        if let Some(check) = checks.into_iter().find(|check| check.id == id) {
            return Ok(Some(check_text(catalog, assertion, check)?));
        }
        if let Some(mutant) = assertion.mutants.iter().find(|mutant| mutant.id == id) {
            return Ok(Some(mutant_text(assertion, mutant)?));
        }
    }
    if let Some(rule) = catalog.rules().get(id) {
        return Ok(Some(rule_text(catalog, rule)?));
    }
    if builtin_ids().contains(&id) {
        let scenario = load_builtin(id)?;
        return Ok(Some(format!(
            "{id}: {}\n\nset: {}\nwritten cases: {}\ndigest: {}\n",
            scenario.title,
            scenario.set.as_deref().unwrap_or(Catalog::DEFAULT_SET),
            scenario.cases().count(),
            scenario.digest
        )));
    }
    Ok(None)
}

fn names(catalog: &Catalog) -> Vec<String> {
    let mut names: Vec<String> = builtin_ids().iter().map(ToString::to_string).collect();
    for assertion in catalog.assertions() {
        names.push(assertion.id.clone());
        names.extend(assertion.check_ids().into_iter().map(str::to_owned));
        names.extend(assertion.mutants.iter().map(|mutant| mutant.id.clone()));
    }
    names.extend(catalog.rules().iter().map(|rule| rule.id.clone()));
    names
}

fn assertion_text(assertion: &Assertion) -> anyhow::Result<String> {
    let mut out = format!("{}: {}\n\n{}\n", assertion.id, assertion.title, assertion.why.trim());
    if !assertion.example_ok.is_empty() {
        writeln!(out, "\nKept:\n{}", indent(&assertion.example_ok))?;
    }
    if !assertion.example_bad.is_empty() {
        writeln!(out, "\nBroken:\n{}", indent(&assertion.example_bad))?;
    }
    for version in assertion.versions.iter().rev() {
        writeln!(out, "\nChecks, version {}:", version.version)?;
        for check in &version.checks {
            let weight = match (check.required, check.essential) {
                (false, _) => "advisory",
                (true, true) => "required, must be observed",
                (true, false) => "required",
            };
            let severity = format!("{:?}", check.severity).to_lowercase();
            writeln!(out, "  {} ({severity}, {weight}; rule {})", check.id, check.rule)?;
            writeln!(out, "      satisfied by {}", check.expected)?;
        }
    }
    writeln!(out, "\nMutants that prove it:")?;
    for mutant in &assertion.mutants {
        writeln!(out, "  {}: {} (kills {})", mutant.id, mutant.note, mutant.kills.join(", "))?;
    }
    Ok(out)
}

fn check_text(catalog: &Catalog, assertion: &Assertion, check: &Check) -> anyhow::Result<String> {
    let mut out = format!("{}, a check of {} ({})\n", check.id, assertion.id, assertion.title);
    writeln!(out, "\nsays:         {}", check.message)?;
    writeln!(out, "satisfied by: {}", check.expected)?;
    writeln!(out, "looks at:     every {}", shape(check.each))?;
    writeln!(out, "severity:     {}", format!("{:?}", check.severity).to_lowercase())?;
    writeln!(out, "weight:       {}", if check.required { "required" } else { "advisory" })?;
    if let Some(since) = check.since {
        writeln!(out, "since:        revision {since}")?;
    }
    let killers: Vec<&str> = catalog
        .assertions()
        .iter()
        .flat_map(|assertion| &assertion.mutants)
        .filter(|mutant| mutant.kills.contains(&check.id))
        .map(|mutant| mutant.id.as_str())
        .collect();
    writeln!(out, "mutants:      {}", killers.join(", "))?;
    if let Some(rule) = catalog.rules().get(&check.rule) {
        writeln!(out, "\n{}", rule_text(catalog, rule)?)?;
    }
    Ok(out)
}

/// `tool-with-list-result` reads as `tool with list result`.
fn shape(each: crate::assertion::Each) -> String {
    let mut words = String::new();
    for character in format!("{each:?}").chars() {
        if character.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(character.to_lowercase());
    }
    words
}

fn mutant_text(assertion: &Assertion, mutant: &Mutant) -> anyhow::Result<String> {
    Ok(format!(
        "{}, a mutant of {}\n\n{}\nkills: {}\n\n{}\n",
        mutant.id,
        assertion.id,
        mutant.note,
        mutant.kills.join(", "),
        serde_json::to_string_pretty(&mutant.rule)?
    ))
}

fn rule_text(catalog: &Catalog, rule: &Rule) -> anyhow::Result<String> {
    let mut out = format!("rule {}: {}\n", rule.id, rule.title);
    let mut part = |name: &str, text: &str| writeln!(out, "\n{name}\n  {}", text.trim());
    part("Requires", &rule.requires)?;
    part("How it is judged", &rule.check)?;
    part("When it is not", &rule.false_positive_guard)?;
    if let Some(mutant) = &rule.mutant {
        part("What breaks it", mutant)?;
    }
    let checks: Vec<String> = catalog
        .assertions()
        .iter()
        .filter_map(|assertion| Some((assertion, assertion.versions.last()?)))
        .flat_map(|(assertion, version)| version.checks.iter().map(move |check| (assertion, check)))
        .filter(|(_, check)| check.rule == rule.id)
        .map(|(assertion, check)| format!("{} ({})", check.id, assertion.id))
        .collect();
    let by = if checks.is_empty() { "none yet".to_owned() } else { checks.join(", ") };
    part("Checks", &by)?;
    let severity = format!("{:?}", rule.severity).to_lowercase();
    writeln!(out, "\nseverity {severity}; binds {} revisions", rule.revision)?;
    Ok(out)
}

fn indent(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
