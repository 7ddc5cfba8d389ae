//! The words of a scorecard: messages, figures, sequence numbers.
//!
//! Owns templates and cutting. Refuses to own layout: a renderer may wrap, never shorten.

use serde_json::Value;

use super::catalog::Check;
use crate::score::{CheckScore, Finding, Verdict};

/// Most sequence numbers in an evidence line.
const MOST_SEQS: usize = 5;
/// Most claims of checks in an evidence line.
const MOST_CLAIMS: usize = 2;
/// Longest value kept in a finding, in bytes of its JSON text.
const LONGEST_ACTUAL: usize = 300;

/// Fills in what a check leaves to its assertion file: message, expectation, and cut values.
pub(super) fn finish(check: &Check, finding: &mut Finding) {
    finding.severity.get_or_insert(check.severity);
    if finding.expected.is_empty() {
        finding.expected.clone_from(&check.expected);
    }
    if finding.message.is_empty() {
        finding.message = check
            .message
            .replace("{name}", &finding.subject)
            .replace("{expected}", &finding.expected)
            .replace("{actual}", &excerpt(&finding.actual, 80));
    }
    if finding.actual.to_string().len() > LONGEST_ACTUAL {
        finding.actual = Value::String(excerpt(&finding.actual, LONGEST_ACTUAL));
    }
}

/// JSON text of a value, cut at a character boundary.
fn excerpt(value: &Value, longest: usize) -> String {
    let mut text = value.to_string();
    if text.len() > longest {
        let end = (0..=longest).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The evidence line of an assertion.
pub(super) fn line(verdict: &Verdict, checks: &[(&Check, &CheckScore)]) -> String {
    match verdict {
        Verdict::Pass => passed(checks),
        Verdict::Fail => failed(checks),
        other => {
            let mut line = other.reason().unwrap_or_default().to_owned();
            let (text, seqs) = passes(checks);
            if !text.is_empty() {
                line.push_str("; seen so far: ");
                line.push_str(&text);
                line.push_str(&bracket(&seqs));
            }
            line
        }
    }
}

fn passed(checks: &[(&Check, &CheckScore)]) -> String {
    let (text, seqs) = passes(checks);
    let advice: usize =
        checks.iter().filter(|(check, _)| !check.required).map(|(_, score)| total(score)).sum();
    let advice = match advice {
        0 => String::new(),
        1 => "; 1 piece of advice".to_owned(),
        n => format!("; {n} pieces of advice"),
    };
    format!("{text}{advice}{}", bracket(&seqs))
}

/// What the required checks that passed say of themselves, with sequence numbers.
fn passes(checks: &[(&Check, &CheckScore)]) -> (String, Vec<u64>) {
    let passed: Vec<_> = checks
        .iter()
        .filter(|(check, score)| check.required && score.verdict == Verdict::Pass)
        .collect();
    let said: Vec<String> = passed
        .iter()
        .map(|(check, score)| check.pass.replace("{n}", &score.subjects.to_string()))
        .collect();
    // One number of each check in turn, so that every claim has one before any has two.
    let most = passed.iter().map(|(_, score)| score.seq.len()).max().unwrap_or(0);
    let in_turn = (0..most).flat_map(|i| passed.iter().filter_map(move |(_, s)| s.seq.get(i)));
    let mut seqs: Vec<u64> = Vec::new();
    for seq in in_turn {
        if !seqs.contains(seq) && seqs.len() < MOST_SEQS {
            seqs.push(*seq);
        }
    }
    seqs.sort_unstable();
    (some(&said), seqs)
}

/// The first claims, and how many more checks stand behind them: the line stays one line, and the
/// checks themselves are in the scorecard.
fn some(said: &[String]) -> String {
    let shown = said[..said.len().min(MOST_CLAIMS)].join("; ");
    match said.len().saturating_sub(MOST_CLAIMS) {
        0 => shown,
        1 => format!("{shown}; 1 more check passed"),
        more => format!("{shown}; {more} more checks passed"),
    }
}

fn failed(checks: &[(&Check, &CheckScore)]) -> String {
    let failed =
        || checks.iter().filter(|(check, score)| check.required && score.verdict == Verdict::Fail);
    let total: usize = failed().map(|(_, score)| total(score)).sum();
    let worst = failed().min_by_key(|(check, _)| check.severity);
    let Some(finding) = worst.and_then(|(_, score)| score.findings.first()) else {
        return String::new();
    };
    let more = match total.saturating_sub(1) {
        0 => String::new(),
        n => format!(" (+{n} more)"),
    };
    let seqs: Vec<u64> = finding.seq.iter().copied().take(MOST_SEQS).collect();
    format!("{}{more}{}", finding.message, bracket(&seqs))
}

/// Findings of a check, those left out included.
fn total(score: &CheckScore) -> usize {
    let again: usize = score.findings.iter().map(|kept| kept.again as usize).sum();
    score.findings.len() + again + score.left_out as usize
}

fn bracket(seqs: &[u64]) -> String {
    if seqs.is_empty() {
        return String::new();
    }
    let seqs: Vec<String> = seqs.iter().map(u64::to_string).collect();
    format!(" [seq {}]", seqs.join(", "))
}
