//! Reading the YAML files that people write: scenarios, assertions, sets.
//!
//! Owns the one shape that an error in such a file has: place, source line, and the fix. Refuses to
//! own what a file means. Invariant: every error names a file, and a line and column when the
//! parser knows them.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_saphyr::{Error as YamlError, Location};

/// Something wrong at one place of a file that a person wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// The file, as the reader knows it.
    pub file: String,
    /// Line from 1; 0 when unknown.
    pub line: u64,
    /// Column in characters from 1; 0 when unknown.
    pub column: u64,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// The line itself, when the place is known.
    pub excerpt: Option<String>,
}

impl FileError {
    /// An error at a place of `text`.
    pub fn at(
        file: &str,
        text: &str,
        (line, column): (u64, u64),
        message: impl Into<String>,
        fix: Option<String>,
    ) -> FileError {
        let excerpt = line
            .checked_sub(1)
            .and_then(|index| text.lines().nth(usize::try_from(index).ok()?))
            .map(str::to_owned);
        FileError { file: file.to_owned(), line, column, message: message.into(), fix, excerpt }
    }

    /// An error about a file as a whole.
    pub fn whole(file: &str, message: impl Into<String>, fix: Option<String>) -> FileError {
        FileError::at(file, "", (0, 0), message, fix)
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file, self.message)?;
        } else {
            write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        }
        if let Some(excerpt) = &self.excerpt {
            let column = usize::try_from(self.column).unwrap_or(1).max(1);
            write!(f, "\n{:5} | {excerpt}\n      | {:>column$}", self.line, "^")?;
        }
        match &self.fix {
            Some(fix) => write!(f, "\n  fix: {fix}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FileError {}

/// Line and column of a spanned value, for [`FileError::at`].
pub fn place(location: Location) -> (u64, u64) {
    (location.line(), location.column())
}

/// Parses one YAML document (JSON is YAML) into a model.
///
/// # Errors
///
/// Malformed YAML, an unknown or missing key, a value of the wrong type: with the place and, for a
/// misspelt key or value, the nearest valid one.
pub fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    serde_saphyr::from_str(text).map_err(|error| explain(file, text, &error))
}

fn explain(file: &str, text: &str, error: &YamlError) -> FileError {
    let error = error.without_snippet();
    let at = error.location().map_or((0, 0), place);
    let (message, fix) = match error {
        YamlError::SerdeUnknownField { field, expected, .. } => {
            (format!("unknown key `{field}`"), Some(suggest(field, expected)))
        }
        YamlError::SerdeUnknownVariant { variant, expected, .. } => {
            (format!("unknown value `{variant}`"), Some(suggest(variant, expected)))
        }
        YamlError::SerdeMissingField { field, .. } => {
            (format!("the key `{field}` is missing"), Some(format!("add `{field}:` here")))
        }
        YamlError::SerdeInvalidType { unexpected, expected, .. } => {
            (format!("found {unexpected}, expected {expected}"), None)
        }
        other => (without_place(&other.to_string()), None),
    };
    FileError::at(file, text, at, message, fix)
}

/// The parser ends its messages with a place of its own, which ours already says.
fn without_place(message: &str) -> String {
    let first = message.lines().next().unwrap_or(message);
    match first.rfind(" at line ") {
        Some(cut) if !first[cut..].contains(char::is_alphabetic) || first[cut..].len() < 40 => {
            first[..cut].to_owned()
        }
        _ => first.to_owned(),
    }
}

/// Most names that an error message lists.
const MOST_NAMES: usize = 24;

/// Advice on a name that is none of `known`: the nearest one, or what there is.
pub fn suggest<S: AsRef<str>>(unknown: &str, known: &[S]) -> String {
    match nearest(unknown, known.iter().map(AsRef::as_ref)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let shown = known.iter().take(MOST_NAMES).map(|name| format!("`{}`", name.as_ref()));
            let shown: Vec<_> = shown.collect();
            let more = known.len().saturating_sub(MOST_NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("use one of {}{more}", shown.join(", "))
        }
    }
}

/// The name nearest to `unknown`, when one is near enough to be meant.
pub fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let unknown = unknown.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::normalized_damerau_levenshtein(&unknown, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Sample {
        #[expect(dead_code, reason = "only its key matters here")]
        severity: Level,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Level {
        Major,
        Minor,
    }

    #[test]
    fn a_misspelt_key_is_shown_with_its_place_and_the_nearest_key() {
        let error = parse::<Sample>("a.yaml", "severity: major\nseverty: minor\n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 1), "{error}");
        assert_eq!(
            error.to_string(),
            "a.yaml:2:1: unknown key `severty`\n    2 | severty: minor\n      | ^\n  \
             fix: did you mean `severity`?"
        );
    }

    #[test]
    fn a_misspelt_value_is_shown_with_its_place_and_the_nearest_value() {
        let error = parse::<Sample>("a.yaml", "severity: majr\n").unwrap_err();
        assert_eq!((error.line, error.column), (1, 11), "{error}");
        assert_eq!(error.message, "unknown value `majr`");
        assert_eq!(error.fix.as_deref(), Some("did you mean `major`?"));
    }

    #[test]
    fn a_missing_key_and_broken_yaml_are_located() {
        let error = parse::<Sample>("a.yaml", "{}\n").unwrap_err();
        assert_eq!(error.message, "the key `severity` is missing");
        let error = parse::<Sample>("a.yaml", "severity: [\n").unwrap_err();
        assert!(error.line > 0, "{error}");
        assert!(!error.message.contains("line"), "{error}");
    }

    #[test]
    fn far_names_get_the_whole_list() {
        assert_eq!(suggest("zzz", &["one", "two"]), "use one of `one`, `two`");
        let many = ["a"; MOST_NAMES + 2];
        assert!(suggest("zzz", &many).ends_with("`a` and 2 more"));
        assert_eq!(nearest("a9", ["A9", "A10"]), Some("A9"));
    }
}
