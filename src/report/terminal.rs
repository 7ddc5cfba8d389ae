//! The table that a person reads in a terminal.

use std::io::{self, Write};

use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};

use super::{audit, clean, words};
use crate::score::{AssertionScore, CheckScore, Scorecard, Severity, Verdict};

/// What the terminal can do; collected once by the binary.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Columns.
    pub width: u16,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether every finding is shown, not only the first ones of a check.
    pub verbose: bool,
}

/// Findings shown for each check unless verbose.
const FINDINGS_SHOWN: usize = 3;

/// Writes the tables, the findings, the figures, and the score as the last line.
pub fn render(card: &Scorecard, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  ({})", clean(&words::server(card)), clean(&words::reached(card)))?;
    for (set, assertions, _) in words::sets(card) {
        writeln!(out, "\n{}", clean(&words::set(set)))?;
        writeln!(out, "{}", table(assertions, style))?;
    }
    findings(card, style, out)?;
    end(card, out)?;
    let sets = words::sets(card);
    writeln!(out)?;
    for (set, _, tally) in sets.iter().skip(1).chain(sets.first()) {
        writeln!(out, "{}: {}", clean(&words::set(set)), words::score(tally))?;
    }
    Ok(())
}

/// Figures, what was withheld, and why the run ended early.
fn end(card: &Scorecard, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    for line in words::figures(card) {
        writeln!(out, "{}", clean(&line))?;
    }
    for withheld in &card.withheld {
        writeln!(out, "not run: {} (needs {})", clean(&withheld.what), clean(&withheld.needs))?;
    }
    if let Some(incomplete) = &card.incomplete {
        writeln!(out, "incomplete: {}", clean(incomplete))?;
    }
    Ok(())
}

/// Writes the audit: findings by severity in five lines each, what was covered of each section, and
/// the counts as the last line.
pub fn render_audit(card: &Scorecard, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  ({})", clean(&words::server(card)), clean(&words::reached(card)))?;
    let entries = audit::entries(card, style.verbose);
    for entry in &entries {
        let severity = entry.severity.to_string();
        let severity = if style.colour { coloured(entry.severity, &severity) } else { severity };
        writeln!(out, "\nSeverity:     {severity}")?;
        for (label, text) in audit::lines(entry) {
            writeln!(out, "{:<13} {}", format!("{label}:"), clean(text))?;
        }
    }
    writeln!(out, "\n{}", sections(card, style))?;
    end(card, out)?;
    let counts = audit::tally(entries.iter().map(|entry| entry.severity));
    match entries.len() {
        0 => writeln!(out, "\nno findings"),
        1 => writeln!(out, "\n1 kind of finding: {counts}"),
        n => writeln!(out, "\n{n} kinds of findings: {counts}"),
    }
}

fn coloured(severity: Severity, text: &str) -> String {
    let code = match severity {
        Severity::Critical => "1;31",
        Severity::Major => "31",
        Severity::Minor => "33",
        Severity::Nit => "2",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// The coverage of the audit.
fn sections(card: &Scorecard, style: Style) -> Table {
    let mut table = bare_table(style);
    table.set_header(["Section", "Result", "Evidence"]);
    for section in audit::sections(card) {
        table.add_row([
            Cell::new(clean(&section.name)),
            Cell::new(clean(&section.result)),
            Cell::new(clean(&section.evidence)),
        ]);
    }
    table
}

fn table(assertions: &[AssertionScore], style: Style) -> Table {
    let mut table = bare_table(style);
    table.set_header(["#", "Result", "Assertion, and its evidence"]);
    for assertion in assertions {
        table.add_row([
            Cell::new(clean(&assertion.id)),
            result(assertion, style),
            Cell::new(format!("{}\n{}", clean(&assertion.title), clean(&assertion.evidence))),
        ]);
    }
    for fixed in [0, 1] {
        if let Some(column) = table.column_mut(fixed) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    table
}

/// A table without rows.
fn bare_table(style: Style) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_HORIZONTAL_ONLY)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(style.width);
    if !style.colour {
        table.force_no_tty();
    } else {
        table.enforce_styling();
    }
    table
}

fn result(assertion: &AssertionScore, style: Style) -> Cell {
    let cell = Cell::new(words::verdict(assertion));
    if !style.colour {
        return cell;
    }
    match assertion.verdict {
        Verdict::Pass => cell.fg(Color::Green),
        Verdict::Fail => cell.fg(Color::Red).add_attribute(Attribute::Bold),
        Verdict::NotApplicable(_) => cell,
        _ => cell.fg(Color::Yellow),
    }
}

fn findings(card: &Scorecard, style: Style, out: &mut dyn Write) -> io::Result<()> {
    for (_, assertions, _) in words::sets(card) {
        for assertion in assertions {
            for check in assertion.checks.iter().filter(|check| !check.findings.is_empty()) {
                check_findings(assertion, check, style, out)?;
            }
        }
    }
    Ok(())
}

fn check_findings(
    assertion: &AssertionScore,
    check: &CheckScore,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let weight = if check.required { "" } else { ", advisory" };
    writeln!(
        out,
        "\n{} {} ({}{weight}; rule {})",
        clean(&assertion.id),
        clean(&check.id),
        check.severity,
        clean(&check.rule)
    )?;
    let shown = if style.verbose { check.findings.len() } else { FINDINGS_SHOWN };
    for finding in check.findings.iter().take(shown) {
        let times = words::times(finding);
        let severity = words::other_severity(check, finding);
        writeln!(
            out,
            "  {}: {severity}{}{times}",
            clean(&finding.subject),
            clean(&finding.message)
        )?;
        writeln!(
            out,
            "    found {} at {} [{}]; expected {}",
            clean(&words::value(&finding.actual)),
            if finding.pointer.is_empty() { "the message".into() } else { clean(&finding.pointer) },
            words::seqs(&finding.seq),
            clean(&finding.expected)
        )?;
    }
    let more = check.findings.len().saturating_sub(shown);
    if more > 0 {
        writeln!(out, "  and {more} more (-v shows all)")?;
    }
    Ok(())
}
