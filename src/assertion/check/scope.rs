//! What a sentence says of scope: what is done, what is not, and what is needed for it (rule
//! `2.negative-scope`).

use std::sync::LazyLock;

use regex::Regex;

use super::prose::pattern;
use crate::contract::Contract;

/// Largest catalog whose tool descriptions may stand for the server (rule `2.negative-scope`).
pub(super) const SMALL_CATALOG: usize = 3;

/// It says of something that it is not done.
pub(super) static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(does not|doesn't|do not|don't|cannot|can't|can not|will not|won't|never|no support|not support(ed)?|unsupported|excludes?|out of scope|not offered|not available|not provided|no way to|read-only)\b",
    )
});
/// It says of something what it needs, or how much at most.
pub(super) static LIMITATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(requires?|needs?|only|must be|prerequisites?|limit(ed|ation)?s?|at most|maximum)\b",
    )
});
/// It says what can be done.
pub(super) static ABILITY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(provides?|offers?|allows?|lets?|enables?|supports?|manages?|can|gives?|exposes?|use (this|the)|tools? (for|to)|access(es)? |search|find|read|create|quer(y|ies)|server for|interface)\b|\b(use|call|run) [\w`/-]+ (to|for)\b",
    )
});

/// Whether a sentence says of the server that it does not do something. What the agent is told to
/// do or not to do is no scope.
pub(super) fn speaks_of_the_server(contract: &Contract, sentence: &str) -> bool {
    static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b((this|the) (mcp )?(server|service|integration|api)|this mcp)\b|^it\b|\bout of scope\b|\bnot supported\b|\bunsupported\b",
        )
    });
    static NEGATIVE_CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(does not|doesn't|cannot|can't|can not|will not|won't|never|is not able|excludes?|out of scope|(is|are) not (supported|offered|available|included)|not supported|unsupported)\b",
        )
    });
    let by_name = contract.identity.name.as_deref().is_some_and(|name| {
        name.len() > 3 && sentence.to_lowercase().contains(&name.to_lowercase())
    });
    (by_name || SUBJECT.is_match(sentence))
        && NEGATIVE_CLAIM.is_match(sentence)
        && !is_directive(sentence)
}

pub(super) fn is_tool_negative(sentence: &str) -> bool {
    static TOOL: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(this tool|it|this|(the|these|other|curated) tools) (does not|doesn't|do not|don't|cannot|can't|will not|won't|never)\b|^(does not|doesn't|cannot)\b|\b(is|are) never\b",
        )
    });
    // "Never returns" tells of the tool, "never return" tells the agent.
    static NEVER_DOES: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)^\W*never \w+[^\Ws]s\b"));
    NEVER_DOES.is_match(sentence) || TOOL.is_match(sentence) && !is_directive(sentence)
}

/// Whether a sentence tells the agent what to do.
fn is_directive(sentence: &str) -> bool {
    static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(please )?(do not|don't|never|always|avoid|use|prefer|call|make sure|ensure|you (must|should|can|cannot|can't|may))\b|\byou (must|should)( not)?\b",
        )
    });
    DIRECTIVE.is_match(sentence.trim_start_matches(|c: char| !c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_no_scope() {
        for text in ["Do not retry this call", "- Never use it for lists", "You must not send two"]
        {
            assert!(is_directive(text), "{text}");
        }
        assert!(!is_directive("This server does not delete issues"));
    }
}
