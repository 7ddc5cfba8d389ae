//! The matrix as people read it. Nothing in it depends on the clock or the machine, so that two
//! runs give the same bytes.

use std::io::{self, Write};

use super::matrix::{Fate, Matrix, Row};

/// Lines for a terminal: what each mutant killed, then what is wrong, then the figures.
pub fn terminal(matrix: &Matrix, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
    let width = matrix.rows.iter().map(|row| row.mutant.len()).max().unwrap_or(0);
    for row in &matrix.rows {
        let kills = row.named.join(", ");
        match &row.fate {
            Fate::Killed => {
                let also = match row.also.len() {
                    0 => String::new(),
                    _ if verbose => format!("  (and {})", row.also.join(", ")),
                    more => format!("  (and {more} more)"),
                };
                writeln!(out, "killed    {:width$}  by {kills}{also}", row.mutant)?;
            }
            Fate::Survived(_) => writeln!(out, "SURVIVES  {:width$}  not by {kills}", row.mutant)?,
            Fate::NotApplicable(why) => writeln!(out, "-         {:width$}  {why}", row.mutant)?,
        }
    }
    writeln!(out)?;
    for problem in &matrix.problems {
        writeln!(out, "problem: {problem}")?;
    }
    writeln!(out, "{}", figures(matrix))
}

/// The document: the figures, a table of mutants, and the checks without one.
pub fn markdown(matrix: &Matrix, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# Kill matrix\n")?;
    writeln!(
        out,
        "What proves that the checks can fail: each line is a fault that `hallmark selftest` put on the\n\
         wire between the bundled reference server and the recorder, and the checks that turned to\n\
         `fail` with it. Without a fault no check has a finding. Written by `hallmark selftest --report\n\
         markdown=docs/kill-matrix.md`; do not edit.\n"
    )?;
    writeln!(out, "{}\n", figures(matrix))?;
    let mut assertion = "";
    for row in &matrix.rows {
        if row.assertion != assertion {
            assertion = &row.assertion;
            writeln!(out, "\n## {assertion}\n")?;
            writeln!(out, "| mutant | does | killed by | and by |")?;
            writeln!(out, "|---|---|---|---|")?;
        }
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            row.mutant,
            cell(&row.note),
            match &row.fate {
                Fate::Killed => codes(&row.named),
                Fate::Survived(_) => "**survives**".to_owned(),
                Fate::NotApplicable(why) => cell(why),
            },
            codes(&row.also)
        )?;
    }
    if !matrix.exempt.is_empty() {
        writeln!(out, "\n## Checks without a mutant\n")?;
        for (check, why) in &matrix.exempt {
            writeln!(out, "- `{check}`: {}", cell(why))?;
        }
    }
    Ok(())
}

fn figures(matrix: &Matrix) -> String {
    let count = |is: fn(&Row) -> bool| matrix.rows.iter().filter(|row| is(row)).count();
    let survivors = count(|row| matches!(row.fate, Fate::Survived(_)));
    let idle = count(|row| matches!(row.fate, Fate::NotApplicable(_)));
    let mut figures = format!(
        "{} mutants: {} killed, {survivors} survive",
        matrix.rows.len(),
        count(|row| row.fate == Fate::Killed)
    );
    if idle > 0 {
        figures.push_str(&format!(", {idle} not applicable"));
    }
    figures.push_str(&format!(
        "; {} checks, {} of them without a mutant",
        matrix.checks,
        matrix.exempt.len()
    ));
    figures
}

fn codes(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
