//! A3: parameters say what goes in, and what leaving them out does (rules `3.param-names`,
//! `3.required-optional`).

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::lexicon::{singular, words};
use super::prose::{is_foreign, pattern, sentences};
use super::rows::is_token_name;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::Tool;
use crate::schema::{Parameter, default_of, parameters, types};
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("parameter-names-precise", parameter_names_precise),
    ("parameter-types-agree", parameter_types_agree),
    ("optional-omission-documented", optional_omission_documented),
    ("defaults-explained", defaults_explained),
    ("required-without-default", required_without_default),
];

/// Names that say nothing of the value that goes in (rule `3.param-names`).
const VAGUE: &[&str] = &[
    "id", "data", "value", "input", "obj", "item", "params", "arg", "msg", "since", "until",
    "before", "after", "date", "time", "from", "to",
];

/// Words after "optional" that it may still be about.
const NEAR: usize = 7;

/// Names that the wrapped products use for themselves, and that are clear there.
/// So are things that are their own name, free text, and plain measures.
#[rustfmt::skip]
const CONVENTIONAL: &[&str] = &[
    "action", "body", "branch", "bucket", "category", "city", "code", "color", "column", "command",
    "comment", "content", "country", "currency", "database", "datetime", "description", "domain",
    "email", "expression", "file", "filter", "folder", "format", "formula", "height", "host",
    "hostname", "index", "keyword", "label", "language", "level", "limit", "line", "location",
    "message", "method", "mode", "module", "name", "namespace", "note", "number", "operation",
    "owner", "package", "page", "path", "prompt", "query", "question", "reason", "region", "repo",
    "role", "schema", "scope", "script", "search", "size", "sort", "sql", "state", "status",
    "style", "symbol", "table", "tag", "template", "term", "text", "theme", "ticker", "timezone",
    "title", "topic", "type", "unit", "uri", "url", "version", "vertical", "width", "word",
    "assignee",
];

/// Nouns that are the value itself: a thing of that name has no other form to identify it by. One
/// of several forms, such as a date or a time, can still be [`VAGUE`].
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "address", "amount", "date", "day", "duration", "hash", "hour", "key", "minute", "month",
    "passphrase", "password", "pattern", "percentage", "phone", "price", "quantity", "recurrence",
    "regex", "regexp", "rrule", "score", "secret", "second", "slug", "string", "time", "timestamp",
    "token", "username", "uuid", "weekday", "year", "zipcode",
];

static OMISSION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)omi(t|ss)|absent|default|\b(if|when) (it is |they are |you do )?not (given|set|provided|specified|supplied|passed|present)|\bwhen unset|\bif unset|unspecified|unchanged|otherwise|\bif (empty|blank|missing|none|null|left out)|\bwhen (empty|blank|missing|none|null|left out)|leave (it )?(out|empty|blank)|\bleft (out|empty|blank)\b|without (it|this)\b|not provided|not specified|not set",
    )
});
/// A description that says the form of the value.
static FORM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bformat|e\.g\.|\bexample|\biso[ -]?\d+|\brfc ?\d+|yyyy|hh:mm|\bunix\b|\bepoch\b|timestamp|\bemail|\buuid\b|\burl\b|\bcron\b",
    )
});
/// One of several parameters is given: leaving this one out is defined by the others.
static ALTERNATIVE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(exactly|only|just|at least|at most) one of\b|\b(provide|pass|give|set|specify|supply|use) (one of|either)\b|\bnot both\b|mutually exclusive",
    )
});
/// A parameter that some uses of the tool do not look at.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(if|when|unless|optional(ly)?)\b|\b(for|in|with) [\w/,`' -]{1,60}\b(operations?|modes?|actions?)\b|\b(applies|applicable|relevant|valid|required|needed) (only )?(to|for|with|in)\b",
    )
});
/// A tool whose description says what becomes of everything that is not given.
static OTHERS_KEPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\bonly (the )?(referenced|specified|given|provided|supplied|passed|listed|named|included)\b|\b(others?|rest|remaining|else)\b[^.]{0,40}\b(preserved|kept|retained|untouched)\b|\b(current|default|active|existing|configured) or (the )?(provided|given|specified|supplied|named)\b|\b(provided|given|specified|supplied) or (the )?(current|default|active|existing|configured)\b",
    )
});

/// The parameters of a tool that are no branch of a union, each name once.
fn own_parameters(tool: &Tool) -> Vec<Parameter<'_>> {
    let mut seen = Vec::new();
    let mut own = parameters(&tool.input);
    own.retain(|parameter| {
        let first = !seen.contains(&parameter.name);
        seen.push(parameter.name);
        first
    });
    own
}

fn description<'a>(parameter: &Parameter<'a>) -> &'a str {
    let text = |schema: &'a Value| schema.get("description").and_then(Value::as_str);
    text(parameter.schema).or_else(|| text(parameter.resolved)).unwrap_or_default()
}

/// A member of a parameter's schema, its own, that of its alias, or that of a branch beside null.
fn offers(parameter: &Parameter<'_>, key: &str) -> bool {
    let branches = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|word| parameter.resolved.get(*word)?.as_array())
        .flatten();
    [parameter.schema, parameter.resolved].into_iter().chain(branches).any(|s| s.get(key).is_some())
}

/// Whether a parameter takes one string or number, and nothing else.
fn is_scalar(parameter: &Parameter<'_>) -> bool {
    let kinds = scalar_types(parameter);
    !kinds.is_empty() && kinds.iter().all(|kind| matches!(*kind, "string" | "number" | "integer"))
}

/// The types that a parameter takes, null aside, `integer` read as `number`; empty when unsaid.
fn scalar_types<'a>(parameter: &Parameter<'a>) -> Vec<&'a str> {
    let branches = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|word| parameter.resolved.get(*word)?.as_array())
        .flatten();
    let mut kinds: Vec<&str> = std::iter::once(parameter.resolved)
        .chain(branches)
        .flat_map(types)
        .filter(|kind| *kind != "null")
        .map(|kind| if kind == "integer" { "number" } else { kind })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// No scalar parameter has a name that could mean several things, unless its schema and
/// description say which.
fn parameter_names_precise(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let own = own_parameters(tool);
    if own.is_empty() {
        return Look::Skip("the tool takes no parameter".into());
    }
    let findings = own.iter().filter_map(|parameter| {
        let name = parameter.name;
        if !is_scalar(parameter) || CONVENTIONAL.contains(&name) || offers(parameter, "enum") {
            return None;
        }
        let constrained = ["format", "const"].iter().any(|key| offers(parameter, key));
        let pinned = offers(parameter, "pattern") && !description(parameter).trim().is_empty();
        let vague = VAGUE.contains(&name.to_lowercase().as_str())
            && !FORM.is_match(description(parameter));
        let why = if constrained || pinned {
            return None;
        } else if vague {
            "could mean several things"
        } else if is_bare_noun(view, name) {
            "names a thing and not the value that identifies it"
        } else {
            return None;
        };
        Some(finding(
            subject,
            &format!("/inputSchema{}", parameter.pointer),
            format!("{}: the parameter {name} {why}", tool.name),
            "a name that says the form of the value, such as issue_number, or a format or a pattern with a description",
        ))
    });
    Look::of(findings.collect())
}

/// Whether a name is one word that is also a noun in the name of a tool.
fn is_bare_noun(view: &View<'_>, name: &str) -> bool {
    let own = words(name);
    let [word] = &own[..] else { return false };
    // A plural names a set, and a set has no one form of value.
    *word == singular(word) && !VALUES.contains(&word.as_str()) && view.naming().has_noun(word)
}

/// A parameter has one type wherever its name is used.
fn parameter_types_agree(view: &View<'_>, subject: &Subject<'_>) -> Look {
    /// A name with the types, format and tool of its first use.
    type Use<'a> = (Vec<&'a str>, Option<&'a str>, &'a Tool);
    let mut first: std::collections::BTreeMap<&str, Use<'_>> = std::collections::BTreeMap::new();
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: HashSet<&str> = HashSet::new();
    for tool in &view.contract.tools {
        for parameter in own_parameters(tool).into_iter().filter(is_scalar) {
            let kinds = scalar_types(&parameter);
            let format = parameter.resolved.get("format").and_then(Value::as_str);
            let Some((known, known_format, other)) = first.get(parameter.name) else {
                first.insert(parameter.name, (kinds, format, tool));
                continue;
            };
            // A format of a number says how wide it is, not what it means.
            let formats_differ = kinds == ["string"]
                && matches!((known_format, format), (Some(a), Some(b)) if *a != b);
            if (*known != kinds || formats_differ) && told.insert(parameter.name) {
                let said = |kinds: &[&str], format: Option<&str>| match format {
                    Some(format) => format!("{} ({format})", kinds.join("|")),
                    None => kinds.join("|"),
                };
                findings.push(Finding {
                    subject: parameter.name.to_owned(),
                    message: format!(
                        "the parameter {} is a {} in {} and a {} in {}",
                        parameter.name,
                        said(known, *known_format),
                        other.name,
                        said(&kinds, format),
                        tool.name
                    ),
                    seq: vec![tool.seq],
                    pointer: format!("{}/inputSchema{}", tool.pointer, parameter.pointer),
                    actual: parameter.resolved.get("type").cloned().unwrap_or(Value::Null),
                    ..finding(subject, "", "", "one type and format for one name")
                });
            }
        }
    }
    if first.is_empty() {
        return Look::Skip("no tool takes a scalar parameter".into());
    }
    Look::of(findings)
}

/// What the description of an optional parameter says about leaving it out.
enum Omission {
    Said,
    Hinted,
    DefaultOnly,
    Nothing,
}

fn omission(parameter: &Parameter<'_>) -> Omission {
    let text = description(parameter);
    // Without a continuation token there is but one place to begin.
    if is_token_name(parameter.name) || OMISSION.is_match(text) || ALTERNATIVE.is_match(text) {
        Omission::Said
    } else if CONDITION.is_match(text) || is_foreign(text) {
        Omission::Hinted
    } else if default_of(parameter).is_some_and(|default| !default.is_null()) {
        Omission::DefaultOnly
    } else {
        Omission::Nothing
    }
}

fn optional<'a>(tool: &'a Tool) -> Vec<Parameter<'a>> {
    let mut own = own_parameters(tool);
    own.retain(|parameter| !parameter.required && !parameter.conditional);
    own
}

/// Whether the description of a tool speaks of omission: in general, or of this parameter. A bare
/// common word is no mention of a parameter, unless alternatives are named.
fn told_by_tool(tool: &Tool, parameter: &Parameter<'_>) -> bool {
    let text = &tool.description;
    OMISSION.is_match(text)
        || OTHERS_KEPT.is_match(text)
        || sentences(text).any(|sentence| {
            let is_told = |name: &str| {
                ALTERNATIVE.is_match(sentence)
                    || words(name).len() > 1 && CONDITION.is_match(sentence)
            };
            sentence.contains(parameter.name) && is_told(parameter.name)
                || follows_optional(sentence, parameter.name)
        })
}

/// Whether a sentence calls what a parameter is named after optional: `an optional base branch`.
fn follows_optional(sentence: &str, name: &str) -> bool {
    let said: Vec<String> = words(sentence).into_iter().filter(|word| !word.is_empty()).collect();
    let name = words(name);
    let is_optional = |word: &String| matches!(word.as_str(), "optional" | "optionally");
    said.iter().enumerate().filter(|(_, word)| is_optional(word)).any(|(at, _)| {
        let near: Vec<_> = said[at..].iter().take(NEAR).collect();
        name.iter().all(|word| near.contains(&word))
    })
}

/// Every optional parameter says what leaving it out does. A tool whose description speaks of
/// omission, or a parameter that only hints at it, is for a judge.
fn optional_omission_documented(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let optional = optional(tool);
    if optional.is_empty() {
        return Look::Skip("the tool has no optional parameter".into());
    }
    let (told, silent): (Vec<_>, Vec<_>) = optional
        .iter()
        .filter(|p| matches!(omission(p), Omission::Nothing))
        .partition(|p| told_by_tool(tool, p));
    if !silent.is_empty() {
        return Look::Faulty(
            silent
                .into_iter()
                .map(|parameter| {
                    let mut found = finding(
                        subject,
                        &format!("/inputSchema{}", parameter.pointer),
                        format!(
                            "{}: nothing says what leaving out {} does",
                            tool.name, parameter.name
                        ),
                        "a sentence such as \"Omitted means ...\" in its description",
                    );
                    found.actual = Value::from(description(parameter));
                    found
                })
                .collect(),
        );
    }
    if let Some(parameter) = told.first() {
        return Look::Ask(format!(
            "does the description of {} cover what leaving out {} does?",
            tool.name, parameter.name
        ));
    }
    match optional.iter().find(|p| matches!(omission(p), Omission::Hinted)) {
        Some(parameter) => Look::Ask(format!(
            "does {:?} say what leaving out {} of {} does?",
            description(parameter).chars().take(160).collect::<String>(),
            parameter.name,
            tool.name
        )),
        None => Look::Fine,
    }
}

/// A default is told in prose too, not by the keyword alone.
fn defaults_explained(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let mut with_default = optional(tool);
    with_default
        .retain(|parameter| default_of(parameter).is_some_and(|default| !default.is_null()));
    if with_default.is_empty() {
        return Look::Skip("no optional parameter has a default".into());
    }
    if OMISSION.is_match(&tool.description) {
        return Look::Skip("the description of the tool speaks of omission or defaults".into());
    }
    let silent = with_default.iter().filter(|p| matches!(omission(p), Omission::DefaultOnly));
    Look::of(
        silent
            .map(|parameter| {
                finding(
                    subject,
                    &format!("/inputSchema{}/default", parameter.pointer),
                    format!(
                        "{}: only the keyword says that {} has a default",
                        tool.name, parameter.name
                    ),
                    "a sentence in its description that says so, and who applies it",
                )
            })
            .collect(),
    )
}

/// A parameter with a default is not required.
fn required_without_default(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let own = own_parameters(tool);
    let required: Vec<_> = own.iter().filter(|parameter| parameter.required).collect();
    if required.is_empty() {
        return Look::Skip("the tool has no required parameter".into());
    }
    let both =
        required.into_iter().filter(|p| default_of(p).is_some_and(|default| !default.is_null()));
    Look::of(
        both.map(|parameter| {
            finding(
                subject,
                &format!("/inputSchema{}/default", parameter.pointer),
                format!(
                    "{}: {} is required and has a default that can never apply",
                    tool.name, parameter.name
                ),
                "optional with a default, or required without one",
            )
        })
        .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omission_is_told_in_many_words() {
        for text in [
            "Omitted means no filter.",
            "Defaults to 10",
            "Maximum (default: 10)",
            "If not provided, all are returned",
            "Leave empty for all",
            "when unset the server decides",
        ] {
            assert!(OMISSION.is_match(text), "{text}");
        }
        for text in ["The number of results", "Optional. The label", "Used when sorting"] {
            assert!(!OMISSION.is_match(text), "{text}");
        }
        assert!(CONDITION.is_match("Optional. The label") && !CONDITION.is_match("The label"));
    }
}
