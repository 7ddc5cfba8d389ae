//! Markdown: a results row, a table of assertions for each set, and the findings.

use std::io::{self, Write};

use super::{audit, clean_markdown, words};
use crate::score::{AssertionScore, Scorecard};

/// Writes the report.
pub fn render(card: &Scorecard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# {}\n", clean_markdown(&words::server(card)))?;
    results_row(card, out)?;
    for (set, assertions, tally) in words::sets(card) {
        writeln!(out, "\n## {}: {}\n", clean_markdown(&words::set(set)), words::score(tally))?;
        writeln!(out, "| # | Assertion | Result | Evidence |\n| --- | --- | --- | --- |")?;
        for assertion in assertions {
            writeln!(
                out,
                "| {} | {} | **{}** | {} |",
                clean_markdown(&assertion.id),
                clean_markdown(&assertion.title),
                words::verdict(assertion),
                clean_markdown(&assertion.evidence)
            )?;
        }
        findings(assertions, out)?;
    }
    figures(card, out)
}

/// Writes the audit: findings by severity, and what was covered.
pub fn render_audit(card: &Scorecard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Audit of {}\n", clean_markdown(&words::server(card)))?;
    writeln!(out, "{}.\n", clean_markdown(&words::reached(card)))?;
    let entries = audit::entries(card, false);
    writeln!(out, "## Findings\n")?;
    if entries.is_empty() {
        writeln!(out, "None.")?;
    }
    for (number, entry) in entries.iter().enumerate() {
        writeln!(out, "{}. **Severity**: {}  ", number + 1, entry.severity)?;
        for (label, text) in audit::lines(entry) {
            writeln!(out, "   **{label}**: {}  ", clean_markdown(text))?;
        }
    }
    writeln!(out, "\n## Coverage\n\n| Section | Result | Evidence |\n| --- | --- | --- |")?;
    for section in audit::sections(card) {
        writeln!(
            out,
            "| {} | {} | {} |",
            clean_markdown(&section.name),
            clean_markdown(&section.result),
            clean_markdown(&section.evidence)
        )?;
    }
    figures(card, out)
}

fn figures(card: &Scorecard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n## Figures\n")?;
    for line in words::figures(card) {
        writeln!(out, "- {}", clean_markdown(&line))?;
    }
    for withheld in &card.withheld {
        writeln!(
            out,
            "- not run: {} (needs {})",
            clean_markdown(&withheld.what),
            clean_markdown(&withheld.needs)
        )?;
    }
    if let Some(incomplete) = &card.incomplete {
        writeln!(out, "- incomplete: {}", clean_markdown(incomplete))?;
    }
    Ok(())
}

/// `Date | Scenario | Run | Assertions passed | Notes`, the row of a results table.
fn results_row(card: &Scorecard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| Date | Scenario | Run | Assertions passed | Notes |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    let date = card.started.as_deref().and_then(|started| started.get(..10)).unwrap_or("unknown");
    let scenario = card.scenario.as_ref().map_or("none", |scenario| scenario.id.as_str());
    writeln!(
        out,
        "| {} | {} | {} | {} | {}; {} {} |",
        clean_markdown(date),
        clean_markdown(scenario),
        clean_markdown(&words::reached(card)),
        words::score(&card.score),
        clean_markdown(&words::set(&card.set)),
        clean_markdown(&words::set(&card.wire.set)),
        words::score(&card.wire.score)
    )
}

fn findings(assertions: &[AssertionScore], out: &mut dyn Write) -> io::Result<()> {
    for assertion in assertions {
        for check in &assertion.checks {
            for finding in &check.findings {
                writeln!(
                    out,
                    "\n- **{} {}** ({}, rule {}), {}: {}{}. Found {} at {} ({}); expected {}.",
                    clean_markdown(&assertion.id),
                    clean_markdown(&check.id),
                    finding.severity.unwrap_or(check.severity),
                    clean_markdown(&check.rule),
                    clean_markdown(&finding.subject),
                    clean_markdown(&finding.message),
                    words::times(finding),
                    clean_markdown(&words::value(&finding.actual)),
                    clean_markdown(if finding.pointer.is_empty() { "/" } else { &finding.pointer }),
                    words::seqs(&finding.seq),
                    clean_markdown(&finding.expected)
                )?;
            }
        }
    }
    Ok(())
}
