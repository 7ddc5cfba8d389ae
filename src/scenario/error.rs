//! Errors in scenario files, each with its place and the fix.

use std::fmt;

/// A scenario that could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    /// File name as given, or the built-in id.
    pub file: String,
    /// Line and column from 1, when the place is known.
    pub at: Option<(u64, u64)>,
    /// What is wrong, as a fragment.
    pub message: String,
    /// The offending line of the file, when the place is known.
    pub source_line: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
}

impl std::error::Error for ScenarioError {}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some((line, column)) = self.at {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        if let (Some(source), Some((line, column))) = (&self.source_line, self.at) {
            let gutter = line.to_string();
            let pad = " ".repeat(gutter.len());
            let caret = " ".repeat(usize::try_from(column.saturating_sub(1)).unwrap_or(0));
            write!(f, "\n{pad} |\n{gutter} | {source}\n{pad} | {caret}^")?;
        }
        if let Some(advice) = &self.advice {
            write!(f, "\nhelp: {advice}")?;
        }
        Ok(())
    }
}

impl ScenarioError {
    /// An error about the file as a whole.
    pub(super) fn whole(file: &str, message: impl Into<String>) -> Self {
        ScenarioError {
            file: file.to_owned(),
            at: None,
            message: message.into(),
            source_line: None,
            advice: None,
        }
    }

    /// With a piece of advice.
    pub(super) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// From what the YAML reader said about `text`.
    pub(super) fn of_yaml(file: &str, text: &str, error: &serde_saphyr::Error) -> Self {
        use serde_saphyr::Error as Yaml;
        let error = error.without_snippet();
        let (message, advice) = match error {
            Yaml::SerdeUnknownField { field, expected, .. } => {
                (format!("unknown key `{field}`"), nearest(field, expected.iter().copied()))
            }
            Yaml::SerdeUnknownVariant { variant, expected, .. } => {
                (format!("unknown value `{variant}`"), nearest(variant, expected.iter().copied()))
            }
            Yaml::SerdeMissingField { field, .. } => {
                (format!("missing key `{field}`"), Some(format!("add `{field}:`")))
            }
            other => (first_line(&other.to_string()), None),
        };
        let at = error.location().map(|at| (at.line(), at.column())).filter(|at| at.0 > 0);
        let source_line = at
            .and_then(|(line, _)| usize::try_from(line).ok())
            .and_then(|line| text.lines().nth(line - 1))
            .map(str::to_owned);
        ScenarioError { file: file.to_owned(), at, message, source_line, advice }
    }
}

/// Names the nearest of the known words, or lists them all when none is near.
pub(super) fn nearest<'a>(
    word: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<String> {
    let best = known
        .clone()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((score, candidate)) if score >= 0.8 => Some(format!("did you mean `{candidate}`?")),
        Some(_) => Some(format!("known are {}", known.collect::<Vec<_>>().join(", "))),
        None => None,
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
