//! What is said on standard error when something went wrong.

use super::args::{DriveArgs, TargetArgs};
use super::target::{Target, add_literals};
use crate::capture::Redactor;
use crate::report::{clean, clean_lines};
use crate::scenario::Scenario;
use crate::target::teach_secrets;

/// How much of what a target said fits on a line, in characters.
const LONGEST: usize = 300;

/// Says what is wrong; texts in it may come from anywhere.
pub fn complain(error: &anyhow::Error) {
    eprintln!("error: {}", clean_lines(&format!("{error:#}")));
}

/// Says why a target could not be driven: one line, then the advice. What the target said is
/// quoted, so the secrets that it was given are taken out.
pub fn complain_of_target(
    failure: &str,
    target: &TargetArgs,
    drive: &DriveArgs,
    scenario: &Scenario,
) {
    let mut redactor = Redactor::new();
    // Both succeeded before the target was driven.
    let _ = add_literals(&drive.redact, &mut redactor);
    if let Ok(target) = Target::resolve(target, scenario, &mut redactor) {
        teach_secrets(&target.spec, &mut redactor);
    }
    let (what, advice) = failure.rsplit_once("\n  fix: ").unwrap_or((failure, ""));
    eprintln!("error: {}", one_line(&redactor.cut_text(what)));
    if !advice.is_empty() {
        eprintln!("  fix: {}", clean_lines(&redactor.text(advice)));
    }
}

/// Text on one line, cut where it gets too long.
pub fn one_line(text: &str) -> String {
    let line = clean(text);
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_target_stays_on_one_bounded_line() {
        let page = format!("refused: <html>\r\n\u{1b}[2J\u{202e}{}", "x".repeat(1000));
        let line = one_line(&page);
        assert!(line.starts_with("refused: <html>  \\u{1b}[2J\\u{202e}xx"), "{line}");
        assert!(line.chars().count() == LONGEST + 3 && !line.contains(char::is_control), "{line}");
    }
}
