//! A10: errors show nothing of the server's inside (rule `3.sec-sanitize`).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::envelope::read;
use super::prose::pattern;
use super::{Builtin, Look, View};
use crate::assertion::Subject;
use crate::contract::Part;
use crate::score::Finding;

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[("errors-leak-nothing", errors_leak_nothing)];

/// No error shows a secret, a stack trace or the place of a source file.
fn errors_leak_nothing(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let failure = match read(view, subject) {
        Ok(failure) => failure,
        Err(why) => return Look::Skip(why),
    };
    let said = match (failure.exchange.error(), failure.exchange.result()) {
        (Some(error), _) => format!("{}\n{}", error.message, texts(&error.data)),
        (None, Some(result)) => texts(result),
        _ => return Look::Skip("no answer".into()),
    };
    let sent = texts(&failure.exchange.params);
    let Some((what, hit)) = leak(&said, &sent) else { return Look::Fine };
    Look::Faulty(vec![Finding {
        actual: hit.chars().take(120).collect::<String>().into(),
        pointer: if failure.exchange.error().is_some() {
            "/error".into()
        } else {
            "/result".into()
        },
        ..failure.finding(
            subject,
            Part::Message,
            format!("an error of {} shows {what}", subject.name),
            "a message for the caller, and the trace in the server's own log",
        )
    }])
}

/// Every string of a value, one a line.
fn texts(value: &Value) -> String {
    let mut found = String::new();
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::String(text) => {
                found.push_str(text);
                found.push('\n');
            }
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => stack.extend(members.values()),
            _ => {}
        }
    }
    found
}

/// What leaks in a text, unless the caller sent it.
fn leak<'a>(said: &'a str, sent: &str) -> Option<(&'static str, &'a str)> {
    static LEAKS: LazyLock<[(&str, Regex); 5]> = LazyLock::new(|| {
        [
            (
                "a stack trace",
                pattern(
                    r"(?m)^\s+at (async )?[\w.<>\[\] $]+ \(?(file://|node:|/|[A-Z]:\\)[^)\n]*:\d+:\d+\)?",
                ),
            ),
            (
                "a stack trace",
                pattern(r#"Traceback \(most recent call last\)|File "[^"\n]+", line \d+, in "#),
            ),
            ("a stack trace", pattern(r"(?m)^goroutine \d+ \[|thread '[^'\n]+' panicked at")),
            (
                "the place of a source file",
                pattern(r"(/node_modules/|/site-packages/|/dist-packages/)[\w@./-]+"),
            ),
            (
                "a secret",
                pattern(
                    r"\b(gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{40,}|AKIA[0-9A-Z]{16}|xox[abpr]-[\w-]{20,}|sk-[A-Za-z0-9_-]{32,}|glpat-[\w-]{20,})\b|-----BEGIN [A-Z ]*PRIVATE KEY-----",
                ),
            ),
        ]
    });
    LEAKS.iter().find_map(|(what, pattern)| {
        let hit = pattern.find(said)?.as_str();
        (!sent.contains(hit)).then_some((*what, hit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_places_and_secrets_are_leaks() {
        for text in [
            "boom\n    at Object.run (/srv/app/index.js:10:5)",
            "Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in f",
            "thread 'main' panicked at src/main.rs:1",
            "Cannot find module '/srv/app/node_modules/zod/index.js'",
            "bad token ghp_0123456789012345678901234567890123456789",
        ] {
            assert!(leak(text, "").is_some(), "{text}");
        }
    }

    #[test]
    fn words_of_the_domain_and_of_the_caller_are_none() {
        for text in ["Access denied: /home/me/notes.txt", "We meet at Berlin (Mitte)", "sk-short"] {
            assert_eq!(leak(text, ""), None, "{text}");
        }
        let sent = "/srv/node_modules/zod/index.js";
        assert_eq!(leak("no such file: /srv/node_modules/zod/index.js", sent), None);
    }
}
