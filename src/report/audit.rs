//! The audit: findings by severity, each with its remedy, and what was covered of each section.
//!
//! Owns how findings of one kind are told together. What they are and how much they weigh, the
//! scorecard says.

use std::collections::BTreeSet;

use super::words;
use crate::score::{AssertionScore, CheckScore, KeptFinding, Scorecard, Severity, Verdict};

/// The sections of the contract checklist, by the number that rule ids begin with.
const SECTIONS: &[(&str, &str)] = &[
    ("1", "Server and transport"),
    ("2", "Discovery"),
    ("3", "Tools"),
    ("4", "Resources"),
    ("5", "Prompts"),
    ("6", "Errors and recovery"),
    ("7", "Long-running work"),
    ("8", "Efficiency"),
    ("9", "Versioning"),
];
/// The section of what the protocol's specification demands, whatever the checklist says.
const PROTOCOL: (&str, &str) = ("spec", "Protocol");
/// Most subjects that a summary names.
const NAMED: usize = 5;
/// Most reasons of a section that was not checked.
const REASONS: usize = 2;

/// Findings of one kind: of one check, of one severity, told in five lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// How much it matters.
    pub severity: Severity,
    /// `3 Tools (rule 3.output-schema, check output-schema-published)`.
    pub section: String,
    /// What is wrong, and with what else.
    pub summary: String,
    /// Where it is seen.
    pub evidence: String,
    /// What to change, with the names of the server.
    pub remedy: String,
    /// Whether it costs no points.
    pub advisory: bool,
}

/// What came of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// `3 Tools`.
    pub name: String,
    /// `2 findings (1 major, 1 minor)`, `OK` or `not checked`.
    pub result: String,
    /// What stands behind it, or why there is nothing.
    pub evidence: String,
}

/// The lines of an entry after its severity, each with its label.
pub(super) fn lines(entry: &Entry) -> [(&'static str, &str); 4] {
    [
        ("Section", &entry.section),
        ("Summary", &entry.summary),
        ("Evidence", &entry.evidence),
        ("Remediation", &entry.remedy),
    ]
}

/// Every finding, worst first, those of one kind together; every one for itself with `each`.
pub fn entries(card: &Scorecard, each: bool) -> Vec<Entry> {
    let mut entries = Vec::new();
    for check in checks(card) {
        let mut kinds: Vec<(Severity, Vec<&KeptFinding>)> = Vec::new();
        for finding in &check.findings {
            let severity = finding.severity.unwrap_or(check.severity);
            match kinds.iter_mut().find(|(known, _)| *known == severity && !each) {
                Some((_, alike)) => alike.push(finding),
                None => kinds.push((severity, vec![finding])),
            }
        }
        entries.extend(kinds.iter().map(|(severity, alike)| entry(check, *severity, alike)));
    }
    // The order within a severity stays that of the sets.
    entries.sort_by_key(|entry| (entry.severity, entry.advisory));
    entries
}

/// The sections in their order, the protocol last.
pub fn sections(card: &Scorecard) -> Vec<Section> {
    let checks = checks(card);
    let of = |(id, title): &(&str, &str)| {
        let within: Vec<&CheckScore> =
            checks.iter().copied().filter(|check| section_of(&check.rule).0 == *id).collect();
        section(title_of(&(*id, *title)), &within)
    };
    SECTIONS.iter().chain([&PROTOCOL]).map(of).collect()
}

/// Counts by severity, worst first: `2 critical, 1 nit`.
pub fn tally(severities: impl Iterator<Item = Severity> + Clone) -> String {
    let counts = [Severity::Critical, Severity::Major, Severity::Minor, Severity::Nit];
    let counts = counts.iter().map(|one| (one, severities.clone().filter(|s| s == one).count()));
    let said: Vec<String> =
        counts.filter(|(_, n)| *n > 0).map(|(one, n)| format!("{n} {one}")).collect();
    said.join(", ")
}

/// Every check of the scorecard, each once: sets may share assertions.
fn checks(card: &Scorecard) -> Vec<&CheckScore> {
    let mut seen = BTreeSet::new();
    let sets = words::sets(card);
    let assertions = sets.iter().flat_map(|(_, assertions, _)| assertions.iter());
    let all: Vec<&CheckScore> = assertions.flat_map(|a: &AssertionScore| &a.checks).collect();
    all.into_iter().filter(|check| seen.insert(&check.id)).collect()
}

fn section_of(rule: &str) -> (&'static str, &'static str) {
    let number = rule.split('.').next().unwrap_or_default();
    *SECTIONS.iter().find(|(id, _)| *id == number).unwrap_or(&PROTOCOL)
}

/// `3 Tools`; the protocol has no number.
fn title_of((id, title): &(&str, &str)) -> String {
    if *id == PROTOCOL.0 { (*title).to_owned() } else { format!("{id} {title}") }
}

fn entry(check: &CheckScore, severity: Severity, alike: &[&KeptFinding]) -> Entry {
    let first = alike[0];
    let advice = if check.required { "" } else { ", advisory" };
    let place = place(&first.pointer);
    let found = match first.actual.is_null() {
        true => String::new(),
        false => format!(" (found {})", words::value(&first.actual)),
    };
    Entry {
        severity,
        section: format!(
            "{} (rule {}, check {}{advice})",
            title_of(&section_of(&check.rule)),
            check.rule,
            check.id
        ),
        summary: format!("{}{}{}", first.message, words::times(first), others(check, alike)),
        evidence: format!(
            "{} at {}{found}",
            words::seqs(&first.seq),
            if first.pointer.is_empty() { "the message" } else { &first.pointer },
        ),
        remedy: format!("{}{place}: {}", first.subject, first.expected),
        advisory: !check.required,
    }
}

/// `; so do 7 more: a, b, c`, the other subjects of one kind.
fn others(check: &CheckScore, alike: &[&KeptFinding]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for finding in &alike[1..] {
        if finding.subject != alike[0].subject && !names.contains(&&*finding.subject) {
            names.push(&finding.subject);
        }
    }
    let more = alike.len() - 1 + check.left_out as usize;
    if more == 0 {
        return String::new();
    }
    let shown = names[..names.len().min(NAMED)].join(", ");
    let tail = if names.len() > NAMED { ", …" } else { "" };
    let whose = if shown.is_empty() { String::new() } else { format!(", of {shown}{tail}") };
    format!("; and {more} more of this kind{whose}")
}

/// ` in inputSchema/required`: the place within the record that the subject names, without the
/// way to the record.
fn place(pointer: &str) -> String {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    let below = match parts.as_slice() {
        ["result", "tools" | "resources" | "resourceTemplates" | "prompts", _, rest @ ..]
        | ["result" | "error", rest @ ..] => rest,
        rest => rest,
    };
    if below.is_empty() { String::new() } else { format!(" in {}", below.join("/")) }
}

fn section(name: String, checks: &[&CheckScore]) -> Section {
    let found = checks.iter().flat_map(|check| {
        check.findings.iter().map(|finding| finding.severity.unwrap_or(check.severity))
    });
    let total = found.clone().count();
    let passed: Vec<&&CheckScore> =
        checks.iter().filter(|check| check.verdict == Verdict::Pass).collect();
    let looked = passed_words(&passed, checks.len());
    let reasons = reasons(checks);
    if total > 0 || !passed.is_empty() {
        let noun = if total == 1 { "finding" } else { "findings" };
        let result = match total {
            0 => "OK".to_owned(),
            _ => format!("{total} {noun} ({})", tally(found)),
        };
        let evidence = match reasons.as_slice() {
            [] => looked,
            [(reason, _), ..] => {
                let unjudged: usize = reasons.iter().map(|(_, count)| count).sum();
                format!("{looked}; {unjudged} not judged: {reason}")
            }
        };
        return Section { name, result, evidence };
    }
    let evidence = match reasons.as_slice() {
        [] => "no check of the sets that were judged is about it".to_owned(),
        some => {
            let shown = some.iter().take(REASONS).map(|(reason, _)| &**reason);
            shown.collect::<Vec<_>>().join("; ")
        }
    };
    Section { name, result: "not checked".to_owned(), evidence }
}

/// Why checks were not judged, with the number of checks, the most frequent first.
fn reasons(checks: &[&CheckScore]) -> Vec<(String, usize)> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for reason in checks.iter().filter_map(|check| check.verdict.reason()) {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason.to_owned(), 1)),
        }
    }
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    reasons
}

/// `12 of 20 checks passed, on 96 subjects [seq 3, 5]`.
fn passed_words(passed: &[&&CheckScore], of: usize) -> String {
    let subjects: u32 = passed.iter().map(|check| check.subjects).sum();
    let mut seqs: Vec<u64> = passed.iter().filter_map(|check| check.seq.first().copied()).collect();
    seqs.sort_unstable();
    seqs.dedup();
    let cited = if seqs.is_empty() { String::new() } else { format!(" [{}]", words::seqs(&seqs)) };
    format!("{} of {of} checks passed, on {subjects} subjects{cited}", passed.len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn finding(subject: &str, severity: &str, pointer: &str) -> Value {
        json!({
            "subject": subject, "message": format!("{subject} is wrong"), "seq": [4], "pointer": pointer,
            "actual": null, "expected": "something right", "severity": severity,
        })
    }

    fn check(id: &str, rule: &str, verdict: Value, findings: Value) -> Value {
        let mut check = json!({
            "id": id, "rule": rule, "severity": "major", "required": true, "subjects": 2,
            "seq": [4], "findings": findings,
        });
        check.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
        check
    }

    fn card(checks: Value) -> Scorecard {
        let set = json!({ "id": "tools", "edition": "2026-12-01", "digest": "" });
        let assertion = json!({
            "id": "X1", "title": "x", "verdict": "fail", "evidence": "", "checks": checks,
        });
        let format = json!({ "major": 1, "minor": 0 });
        serde_json::from_value(json!({
            "hallmark": { "scorecard": format, "version": "0" },
            "target": { "kind": "stdio", "name": "x", "server": { "name": "x", "version": null } },
            "revision": null, "started": null, "scenario": null, "withheld": [],
            "set": set, "score": Tally::default(), "assertions": [assertion.clone()],
            "sets": [{ "set": set, "score": Tally::default(), "assertions": [assertion] }],
            "wire": { "set": set, "score": Tally::default(), "assertions": [] },
            "coverage": Coverage::default(), "cost": Cost::default(),
        }))
        .unwrap()
    }

    use crate::score::{Cost, Coverage, Tally};

    #[test]
    fn findings_of_one_kind_are_told_once_and_the_worst_come_first() {
        let place = "/result/tools/3/inputSchema";
        let card = card(json!([
            check(
                "b",
                "3.naming",
                json!({ "verdict": "fail" }),
                json!([
                    finding("one", "minor", place),
                    finding("two", "minor", place),
                    finding("six", "nit", ""),
                ])
            ),
            check(
                "a",
                "spec.tools",
                json!({ "verdict": "fail" }),
                json!([finding("x", "critical", "/error")])
            ),
        ]));
        let told = entries(&card, false);
        let severities: Vec<_> = told.iter().map(|entry| entry.severity).collect();
        assert_eq!(severities, [Severity::Critical, Severity::Minor, Severity::Nit]);
        assert_eq!(told[0].section, "Protocol (rule spec.tools, check a)");
        assert_eq!(told[1].summary, "one is wrong; and 1 more of this kind, of two");
        assert_eq!(told[1].remedy, "one in inputSchema: something right");
        assert_eq!(told[2].evidence, "seq 4 at the message");
        assert_eq!(entries(&card, true).len(), 4);
        assert_eq!(tally(severities.into_iter()), "1 critical, 1 minor, 1 nit");
    }

    #[test]
    fn a_section_has_findings_or_evidence_or_a_reason() {
        let reason = json!({ "verdict": "not_observed", "reason": "no prompt is listed" });
        let card = card(json!([
            check("a", "1.name", json!({ "verdict": "pass" }), json!([])),
            check(
                "b",
                "3.naming",
                json!({ "verdict": "fail" }),
                json!([finding("one", "minor", "")])
            ),
            check("c", "5.optional", reason, json!([])),
        ]));
        let said: Vec<String> = sections(&card)
            .iter()
            .map(|section| format!("{}: {}: {}", section.name, section.result, section.evidence))
            .collect();
        assert_eq!(said.len(), 10);
        assert_eq!(
            said[0],
            "1 Server and transport: OK: 1 of 1 checks passed, on 2 subjects [seq 4]"
        );
        assert_eq!(said[2], "3 Tools: 1 finding (1 minor): 0 of 1 checks passed, on 0 subjects");
        assert_eq!(said[4], "5 Prompts: not checked: no prompt is listed");
        assert!(said[5].contains("not checked: no check"), "{}", said[5]);
    }
}
