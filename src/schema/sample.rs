//! A short string that matches a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Longest string that is built.
const LONGEST: usize = 4_096;

/// Gives a short string that matches a regular expression, or nothing when the expression is
/// outside the regular language (look-around, back references) or absurd. The caller checks it.
pub fn sample_of_pattern(pattern: &str) -> Option<String> {
    let hir = regex_syntax::ParserBuilder::new().nest_limit(60).build().parse(pattern).ok()?;
    let mut out = String::new();
    write_sample(&hir, &mut out)?;
    Some(out)
}

fn write_sample(hir: &Hir, out: &mut String) -> Option<()> {
    if out.len() > LONGEST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(()),
        HirKind::Literal(literal) => {
            out.push_str(std::str::from_utf8(&literal.0).ok()?);
            Some(())
        }
        HirKind::Class(class) => {
            out.push(friendly(class)?);
            Some(())
        }
        HirKind::Repetition(repetition) => {
            // One where none would do: an empty identifier rarely means anything to a server.
            let most = repetition.max.unwrap_or(u32::MAX);
            let times = repetition.min.max(1).min(most);
            (0..times).try_for_each(|_| write_sample(&repetition.sub, out))
        }
        HirKind::Capture(capture) => write_sample(&capture.sub, out),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write_sample(part, out)),
        HirKind::Alternation(branches) => write_sample(branches.first()?, out),
    }
}

/// The character of a class that reads best: a letter, a digit, then whatever comes first.
fn friendly(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|r| (r.start(), r.end())).collect(),
        Class::Bytes(class) => {
            class.iter().map(|r| (char::from(r.start()), char::from(r.end()))).collect()
        }
    };
    let within = |wanted: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&wanted));
    "aA1b-_ .".chars().find(|c| within(*c)).or_else(|| ranges.first().map(|(from, _)| *from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_match_their_pattern() {
        for pattern in [
            "^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$",
            "^[A-Za-z0-9._-]+$",
            r"^v:[0-9a-f]{8}$",
            r"^\d{4}-\d{2}-\d{2}$",
            "^(alpha|beta)+$",
            r"^[^\s]+@[^\s]+$",
        ] {
            let sample = sample_of_pattern(pattern).expect(pattern);
            assert!(regex::Regex::new(pattern).expect(pattern).is_match(&sample), "{pattern}");
        }
    }

    #[test]
    fn look_around_is_declined() {
        assert_eq!(sample_of_pattern("^(?!x)y$"), None);
    }
}
