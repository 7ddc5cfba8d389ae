//! A8: effects claimed in prose have a structured twin (rule `3.ap-prose-effects`).
//!
//! Code, because a claim counts only in a sentence about this tool that is neither negated nor
//! conditional.

use std::sync::LazyLock;

use regex::Regex;

use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{Contract, Tool};
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[("prose-claims-have-hints", prose_claims_have_hints)];

static READ_ONLY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(this tool|it) (does not|never|doesn't) (modify|change|alter|write)( (anything|any(thing)? .*|data|state|(the )?(database|system|environment|server|files?)( state)?))?$|\bread-only (tool|operation|call)\b|^read-only\b",
    )
});
static REPEAT_SAFE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(is idempotent|idempotent (operation|call|tool)|(safe|safely) to (retry|repeat|re-run|call again)|repeating (it|the call|this call) is (a no-op|harmless|safe))",
    )
});
static DESTROYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(permanently |irreversibly )(deletes?|removes?|erases?|overwrites?)\b|\b(this|it) (permanently |irreversibly )?(deletes|removes permanently|overwrites)\b|\bcannot be undone\b|\bis irreversible\b",
    )
});
static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b\d[\d,.]*\s*(requests?|calls?|queries|times)?\s*(per|/|an?)\s*(second|minute|hour|day|min\b|hr\b)",
    )
});
static LIMIT_CONTEXT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\b(rate|limit|quota|throttl|budget|requests?|calls?)"));
static NEGATED_OR_CONDITIONAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(not|isn't|never|no longer|unless|if|when|with the same|with a|key|only|can|may|could|optional(ly)?|some|use)\b",
    )
});

/// A regular expression that is written out here; each is compiled by the tests of its check.
pub fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern that the tests compile")
}

/// Every claim about effects in the description has the annotation or field that says it too.
fn prose_claims_have_hints(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let mut claims = 0;
    let mut findings = Vec::new();
    for sentence in sentences(&tool.description) {
        let seen = judge_sentence(view, tool, sentence);
        if seen.is_empty() || names_another_tool(view.contract, tool, sentence) {
            continue;
        }
        claims += seen.len();
        for fault in seen {
            findings.extend(fault.map(|(hint, message, expected)| Finding {
                actual: sentence.chars().take(200).collect::<String>().into(),
                ..finding(subject, hint, message, expected)
            }));
        }
    }
    if claims == 0 {
        return Look::Inapplicable("no description claims an effect".into());
    }
    Look::of(findings)
}

/// What is wrong with a claim (pointer, message, expectation); nothing when its twin is there.
type Fault = Option<(&'static str, String, &'static str)>;

fn judge_sentence(view: &View<'_>, tool: &Tool, sentence: &str) -> Vec<Fault> {
    let name = &tool.name;
    let plain = !NEGATED_OR_CONDITIONAL.is_match(sentence);
    let mut seen = Vec::new();
    if READ_ONLY.is_match(sentence) && !conditional(sentence) {
        let fault = (!tool.is_read_only()).then(|| {
            (
                "/annotations/readOnlyHint",
                format!("{name} says in prose that it is read-only, and readOnlyHint is not true"),
                "readOnlyHint: true",
            )
        });
        seen.push(fault);
    }
    if plain && REPEAT_SAFE.is_match(sentence) && !tool.is_read_only() {
        let fault = (tool.hint("idempotentHint") != Some(true)).then(|| {
            (
                "/annotations/idempotentHint",
                format!(
                    "{name} says in prose that repeating it is safe, and idempotentHint is not true"
                ),
                "idempotentHint: true",
            )
        });
        seen.push(fault);
    }
    if DESTROYS.is_match(sentence) && !conditional(sentence) {
        let honest =
            tool.hint("readOnlyHint") != Some(true) && tool.hint("destructiveHint") != Some(false);
        let fault = (!honest).then(|| {
            (
                "/annotations/destructiveHint",
                format!(
                    "{name} says in prose that it destroys, and its hints say that it does not"
                ),
                "readOnlyHint: false and destructiveHint not false",
            )
        });
        seen.push(fault);
    }
    if LIMIT.is_match(sentence) && LIMIT_CONTEXT.is_match(sentence) {
        let documented = &view.survey.limit_is_documented;
        let documented = *documented.get_or_init(|| limit_is_documented(view.contract));
        let fault = (!documented).then(|| {
            (
                "/description",
                format!("{name} states a call limit in prose, and no documented field carries it"),
                "rate_limit_remaining or retry_after_ms in the summary, the output schema or the error catalog",
            )
        });
        seen.push(fault);
    }
    seen
}

fn conditional(sentence: &str) -> bool {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(if|when|unless|with|may|can|could|does not delete|doesn't delete|not delete|not overwrite)\b",
        )
    });
    CONDITION.is_match(sentence)
}

fn limit_is_documented(contract: &Contract) -> bool {
    let names =
        |text: &str| text.contains("rate_limit_remaining") || text.contains("retry_after_ms");
    contract.summary.carriers.iter().any(|carrier| names(&carrier.text))
        || contract.tools.iter().any(|tool| {
            tool.record.get("_meta").is_some_and(|meta| names(&meta.to_string()))
                || tool.output.as_ref().is_some_and(|output| names(&output.to_string()))
        })
}

fn names_another_tool(contract: &Contract, tool: &Tool, sentence: &str) -> bool {
    let rest = sentence.replace(&tool.name, "");
    contract.tools.iter().any(|other| {
        other.name != tool.name && other.name.len() > 3 && rest.contains(other.name.as_str())
    })
}

/// Whether a text is written in another language than the phrases that are looked for: letters of
/// another script, or many words and none of the small ones of English.
pub fn is_foreign(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, other) =
        letters.fold((0, 0), |(all, other), c| (all + 1, other + usize::from(!c.is_ascii())));
    if other * 6 > all {
        return true;
    }
    let small = ["the", "a", "an", "to", "of", "in", "is", "for", "and", "or", "with", "by", "on"];
    let words: Vec<_> = text.split_whitespace().collect();
    words.len() > 9 && !words.iter().any(|word| small.contains(&word.to_lowercase().as_str()))
}

/// Sentences and lines of a text.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    static END: LazyLock<Regex> = LazyLock::new(|| pattern(r"[.!?;](\s+|$)|\n+"));
    END.split(text).map(str::trim).filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_stops_and_line_ends() {
        let text = "Get v1.2 now. Then stop!\n\nA line";
        assert_eq!(sentences(text).collect::<Vec<_>>(), ["Get v1.2 now", "Then stop", "A line"]);
    }

    #[test]
    fn other_languages_are_told_apart() {
        assert!(is_foreign("可选：覆盖服务地址 --server"));
        assert!(is_foreign(
            "Gibt alle offenen Einträge eines Projekts zurück, die jemand anderes anlegte"
        ));
        assert!(
            !is_foreign("The state of the issue") && !is_foreign("Label name") && !is_foreign("")
        );
    }

    #[test]
    fn claims_are_seen_and_negations_are_not() {
        assert!(DESTROYS.is_match("Permanently deletes the record"));
        assert!(!conditional("Permanently deletes the record"));
        assert!(conditional("It overwrites the file if it exists"));
        assert!(REPEAT_SAFE.is_match("The call is idempotent"));
        assert!(NEGATED_OR_CONDITIONAL.is_match("The call is not idempotent"));
        assert!(LIMIT.is_match("30 requests per minute") && LIMIT.is_match("(~30/min)"));
        assert!(!LIMIT.is_match("returns 30 results"));
    }
}
