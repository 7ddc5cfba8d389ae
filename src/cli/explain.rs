//! `hallmark explain`: one assertion, check, rule, mutant, set or scenario, from its declaration.

use std::fmt::Write as _;

use anyhow::bail;

use super::args::ExplainArgs;
use super::exit::Class;
use super::judging::catalog;
use super::output::to_stdout;
use crate::assertion::{Assertion, AssertionSet, Catalog, Check, Explanation, Mutant, Rule};
use crate::scenario::{builtin_ids, load_builtin};
use crate::score::SetRef;
use crate::yaml::nearest;

/// Prints the explanation.
pub fn run(args: &ExplainArgs) -> anyhow::Result<Class> {
    let catalog = catalog(args.assertions.as_deref())?;
    let text = explain(&catalog, &args.id)?;
    to_stdout(text.as_bytes())?;
    Ok(Class::Held)
}

fn explain(catalog: &Catalog, id: &str) -> anyhow::Result<String> {
    match catalog.explain(id) {
        Some(Explanation::Assertion(assertion)) => match catalog.rules().get(&assertion.id) {
            None => assertion_text(assertion),
            Some(rule) => {
                Ok(format!("{}\n{}", assertion_text(assertion)?, rule_text(catalog, rule)?))
            }
        },
        Some(Explanation::Check { assertion, check }) => check_text(catalog, assertion, check),
        Some(Explanation::Rule(rule)) => rule_text(catalog, rule),
        Some(Explanation::Mutant { assertion, mutant }) => mutant_text(assertion, mutant),
        Some(Explanation::Set(set)) => set_text(catalog, set),
        None if builtin_ids().contains(&id) => scenario_text(id),
        None => {
            let mut names = catalog.names();
            names.extend(builtin_ids().into_iter().map(str::to_owned));
            match nearest(id, names.iter().map(String::as_str)) {
                Some(near) => bail!("nothing is named `{id}`; did you mean `{near}`?"),
                None => bail!("nothing is named `{id}`; `hallmark list` shows what there is"),
            }
        }
    }
}

fn set_text(catalog: &Catalog, set: &AssertionSet) -> anyhow::Result<String> {
    let SetRef { id, edition, digest } = &set.set;
    let mut out = format!("{id}@{edition}: {}\n\n", set.title);
    for member in &set.members {
        if let Some((assertion, version)) = catalog.member(member) {
            let version = version.version;
            writeln!(out, "  {:6} {} (version {version})", assertion.id, assertion.title)?;
        }
    }
    writeln!(out, "\ndigest: {digest}")?;
    Ok(out)
}

fn scenario_text(id: &str) -> anyhow::Result<String> {
    let scenario = load_builtin(id)?;
    Ok(format!(
        "{id}: {}\n\nset: {}\nwritten cases: {}\ndigest: {}\n",
        scenario.title,
        scenario.set.as_deref().unwrap_or(Catalog::DEFAULT_SET),
        scenario.cases().count(),
        scenario.digest
    ))
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
            let Check { id, severity, rule, .. } = check;
            writeln!(out, "  {id} ({severity}, {weight}; rule {rule})")?;
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
    writeln!(out, "severity:     {}", check.severity)?;
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
        .checks_of_rule(&rule.id)
        .iter()
        .map(|(assertion, check)| format!("{check} ({assertion})"))
        .collect();
    let by = match &rule.unjudged {
        Some(why) if checks.is_empty() => format!("none: {why}"),
        _ if checks.is_empty() => "none yet".to_owned(),
        _ => checks.join(", "),
    };
    part("Checks", &by)?;
    writeln!(out, "\nseverity {}; binds {} revisions", rule.severity, rule.revision)?;
    Ok(out)
}

fn indent(text: &str) -> String {
    text.trim_end().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
