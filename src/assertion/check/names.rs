//! A2: tool names are a service prefix, a verb and a noun (rule `3.naming`).

use super::lexicon::{is_plain_verb, is_verb, words};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] =
    &[("names-share-prefix", names_share_prefix), ("names-verb-noun", names_verb_noun)];

/// Every tool begins with a word sequence that another tool shares or that the server's name has.
fn names_share_prefix(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let contract = view.contract;
    if let Some(reason) = contract.params().get("unprefixed_names") {
        return Look::Inapplicable(format!("the scenario excuses the prefix: {reason}"));
    }
    let namespaced = |text: &str| text.to_lowercase().contains("namespac");
    if contract.summary.carriers.iter().any(|carrier| namespaced(&carrier.text)) {
        return Look::Inapplicable(
            "the capability summary says that hosts keep a namespace per server".into(),
        );
    }
    if contract.tools.len() == 1 && contract.identity.name.is_none() {
        return Look::Skip("one tool, and the server does not say its name".into());
    }
    if !view.naming().prefix_lengths(tool).is_empty() {
        return Look::Fine;
    }
    let name = &tool.name;
    let shared_with = if contract.tools.len() == 1 { "the server's name" } else { "another tool" };
    Look::Faulty(vec![finding(
        subject,
        "/name",
        format!("{name} begins with no service prefix that it shares with {shared_with}"),
        "a service prefix before the verb, the same on every tool",
    )])
}

/// The word after the prefix is a verb, and a noun follows it.
fn names_verb_noun(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let own = words(&tool.name);
    let mut starts = view.naming().prefix_lengths(tool).to_vec();
    starts.push(0);
    let fits = |&at: &usize| at + 1 < own.len() && is_verb(&own[at]);
    if starts.iter().any(fits) {
        return Look::Fine;
    }
    let name = &tool.name;
    match own.last() {
        Some(last) if is_plain_verb(last) => Look::Faulty(vec![finding(
            subject,
            "/name",
            format!("{name} ends in the verb `{last}`: no noun after it says what it acts on"),
            "prefix, verb, then at least one noun",
        )]),
        _ => {
            let word = own.get(starts[0]).map_or("", String::as_str);
            Look::Ask(format!("is `{word}` in {name} the verb that says what the tool does?"))
        }
    }
}
