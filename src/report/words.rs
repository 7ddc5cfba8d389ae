//! Phrases that more than one format shows.

use crate::score::{AssertionScore, CheckScore, KeptFinding, Scorecard, SetRef, Tally};

/// `8/10 (1 not observed, 1 needs judge)`: the score with everything that is neither.
pub(super) fn score(tally: &Tally) -> String {
    let beside: Vec<String> = [
        (tally.not_observed, "not observed"),
        (tally.not_run, "not run"),
        (tally.needs_judge, "needs judge"),
        (tally.undecided, "undecided"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, name)| format!("{count} {name}"))
    .collect();
    let figure = format!("{}/{}", tally.passed, tally.scored);
    if beside.is_empty() { figure } else { format!("{figure} ({})", beside.join(", ")) }
}

/// `agent-facing@2026-07-30`.
pub(super) fn set(set: &SetRef) -> String {
    format!("{}@{}", set.id, set.edition)
}

/// The verdict as a reader sees it: `not observed`.
pub(super) fn verdict(assertion: &AssertionScore) -> String {
    assertion.verdict.name().replace('_', " ")
}

/// ` (12 times)`, when the same was seen more than once.
pub(super) fn times(finding: &KeptFinding) -> String {
    match finding.again {
        0 => String::new(),
        again => format!(" ({} times)", u64::from(again) + 1),
    }
}

/// `critical: `, when what was demonstrated weighs more or less than the check does.
pub(super) fn other_severity(check: &CheckScore, finding: &KeptFinding) -> String {
    match finding.severity {
        Some(severity) if severity != check.severity => format!("{severity}: "),
        _ => String::new(),
    }
}

/// Who was judged: `github-issues-mcp 1.0.0`, or the command when the server did not say.
pub(super) fn server(card: &Scorecard) -> String {
    match (&card.target.server.name, &card.target.server.version) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        (Some(name), None) => name.clone(),
        (None, _) => card.target.name.clone(),
    }
}

/// How it was reached: `reference github-issues, revision 2026-07-28`.
pub(super) fn reached(card: &Scorecard) -> String {
    let revision = card.revision.as_deref().unwrap_or("unknown");
    format!("{} {}, revision {revision}", card.target.kind, card.target.name)
}

/// Every scored set of a scorecard with its title, assertions and tally, in the order shown.
pub(super) fn sets(card: &Scorecard) -> Vec<(&SetRef, &[AssertionScore], &Tally)> {
    let first = (&card.set, card.assertions.as_slice(), &card.score);
    let rest = card.sets.iter().map(|set| (&set.set, set.assertions.as_slice(), &set.score));
    let wire = (&card.wire.set, card.wire.assertions.as_slice(), &card.wire.score);
    // Asked for alone, the wire set is the first one already.
    let wire = (card.set != card.wire.set).then_some(wire);
    std::iter::once(first).chain(rest).chain(wire).collect()
}

/// Figures of coverage and cost, one sentence each.
pub(super) fn figures(card: &Scorecard) -> Vec<String> {
    let tools = &card.coverage.tools;
    let codes = &card.coverage.error_codes;
    let cost = &card.cost;
    let mut lines = vec![format!(
        "tools: {} listed, {} called, {} succeeded, {} answered a forced error",
        tools.listed, tools.called, tools.succeeded, tools.forced_error
    )];
    if !codes.documented.is_empty() || !codes.observed.is_empty() {
        let seen = codes.documented.iter().filter(|code| codes.observed.contains(code)).count();
        lines.push(format!(
            "error codes: {} observed; {seen} of {} documented ones",
            codes.observed.len(),
            codes.documented.len()
        ));
    }
    let rules = &card.coverage.rules;
    lines.push(format!("rules of the checklist: {} of {} judged", rules.judged, rules.of));
    let tokens = if cost.discovery_tokens > 0 {
        format!(", {} tokens ({})", cost.discovery_tokens, cost.tokenizer)
    } else {
        String::new()
    };
    lines.push(format!(
        "discovery: {} bytes{tokens}; whole run: {} requests, {} ms",
        cost.discovery_bytes,
        cost.requests,
        cost.wall_us / 1000
    ));
    lines
}

/// `seq 12, 13` for a list of sequence numbers; longer lists end with how many more there are.
pub(super) fn seqs(seqs: &[u64]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<String> = seqs.iter().take(SHOWN).map(u64::to_string).collect();
    let more = seqs.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(" +{more}") } else { String::new() };
    format!("seq {}{tail}", shown.join(", "))
}

/// The JSON value that was found, on one line of bounded length.
pub(super) fn value(value: &serde_json::Value) -> String {
    const LONGEST: usize = 120;
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let head: String = text.chars().take(LONGEST).collect();
    format!("{head}…")
}
