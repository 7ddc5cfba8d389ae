//! The findings on one field capture as a few sorted lines, kept in `tests/field/snapshots` and
//! reviewed like code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mcp_hallmark::score::{AssertionScore, CheckScore, Scorecard, Severity};

/// Set it to rewrite the snapshots.
const UPDATE: &str = "HALLMARK_UPDATE_FIELD";
/// Subjects that a line names; the others are counted.
const NAMED: usize = 3;
/// Longest name of a subject, in characters; the resources of some servers are long.
const LONGEST_NAME: usize = 48;

/// Every assertion of every set.
pub fn assertions(card: &Scorecard) -> impl Iterator<Item = &AssertionScore> {
    let own = card.assertions.iter().chain(&card.wire.assertions);
    own.chain(card.sets.iter().flat_map(|set| &set.assertions))
}

/// One line for every check and severity with findings, the worst first:
/// `severity required|advisory check-id count: subject, subject, subject`.
pub fn of(card: &Scorecard) -> String {
    let mut lines = BTreeSet::new();
    for check in assertions(card).flat_map(|assertion| &assertion.checks) {
        let mut groups: BTreeMap<Severity, Group> = BTreeMap::new();
        for finding in &check.findings {
            let group = groups.entry(finding.severity.unwrap_or(check.severity)).or_default();
            group.count += 1 + finding.again;
            group.subjects.insert(name_of(&finding.subject));
        }
        if check.left_out > 0 {
            groups.entry(check.severity).or_default().count += check.left_out;
        }
        lines.extend(
            groups.into_iter().map(|(severity, group)| (severity, line(check, severity, &group))),
        );
    }
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

#[derive(Default)]
struct Group {
    count: u32,
    subjects: BTreeSet<String>,
}

fn line(check: &CheckScore, severity: Severity, group: &Group) -> String {
    let required = if check.required { "required" } else { "advisory" };
    let named: Vec<&str> = group.subjects.iter().take(NAMED).map(String::as_str).collect();
    format!("{severity} {required} {} {}: {}", check.id, group.count, named.join(", "))
}

/// The name, on one line and not longer than [`LONGEST_NAME`].
fn name_of(subject: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    if subject.chars().count() <= LONGEST_NAME {
        return subject.chars().map(plain).collect();
    }
    subject.chars().take(LONGEST_NAME - 1).map(plain).chain(['…']).collect()
}

/// Compares what was found with what is kept, or rewrites it.
pub fn compare(found: &BTreeMap<String, String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field/snapshots");
    let file = |name: &str| folder.join(format!("{name}.txt"));
    let strays = kept(&folder).into_iter().filter(|name| !found.contains_key(name));
    if std::env::var_os(UPDATE).is_some() {
        strays.for_each(|name| fs::remove_file(file(&name)).unwrap());
        found.iter().for_each(|(name, lines)| fs::write(file(name), lines).unwrap());
        return;
    }
    let mut changes: Vec<String> =
        strays.map(|name| format!("{name}: a snapshot of no server")).collect();
    for (name, lines) in found {
        let old = fs::read_to_string(file(name)).unwrap_or_default();
        changes.extend(difference(name, &old, lines));
    }
    assert!(
        changes.is_empty(),
        "the findings on the field captures changed:\n{}\nread them against the captures, then \
         run `{UPDATE}=1 cargo test --test field` and commit the snapshots",
        changes.join("\n")
    );
}

fn kept(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// The lines that came and went, under the name of the server.
fn difference(name: &str, old: &str, new: &str) -> Vec<String> {
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
        (old.lines().collect(), new.lines().collect());
    let gone = before.difference(&after).map(|line| format!("  - {line}"));
    let come = after.difference(&before).map(|line| format!("  + {line}"));
    let mut changes: Vec<String> = gone.chain(come).collect();
    if changes.is_empty() {
        return changes;
    }
    // The old and the new line of one check stand together.
    changes.sort_by(|one, other| one[4..].split(' ').nth(2).cmp(&other[4..].split(' ').nth(2)));
    changes.insert(0, format!("{name}:"));
    changes
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn a_difference_shows_what_came_and_what_went() {
        let old = "major required a-check 2: x, y\nminor advisory b-check 1: z\n";
        let new = "major required a-check 3: x, y\nminor advisory b-check 1: z\n";
        assert_eq!(difference("demo", old, old), Vec::<String>::new());
        assert_eq!(
            difference("demo", old, new),
            ["demo:", "  - major required a-check 2: x, y", "  + major required a-check 3: x, y"]
        );
    }
}
