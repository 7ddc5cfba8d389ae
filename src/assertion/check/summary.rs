//! A6: a capability summary can be reached, says what the server does not do, and agrees with the
//! lists (rules `2.summary`, `2.negative-scope`, `2.instructions-advisory`).

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::lexicon::{is_verb, words};
use super::prose::{is_foreign, sentences};
use super::scope::{
    ABILITY, LIMITATION, REFUSAL, SMALL_CATALOG, is_tool_negative, speaks_of_the_server,
};
use super::summary_weight::weight;
use super::{Builtin, Look, View, finding};
use crate::assertion::Subject;
use crate::contract::{Carrier, CarrierKind, Contract};
use crate::score::Finding;

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("summary-reachable", summary_reachable),
    ("summary-on-a-sure-surface", summary_on_a_sure_surface),
    ("negative-scope-stated", negative_scope_stated),
    ("summary-names-listed-tools", summary_names_listed_tools),
    ("summary-surfaces-agree", summary_surfaces_agree),
];

/// Members that hold what a server does not do (rule `2.negative-scope`).
const NEGATIVE: &[&str] = &[
    "does_not",
    "doesNot",
    "not_supported",
    "unsupported",
    "out_of_scope",
    "non_goals",
    "negative_scope",
    "limitations",
];
/// Members that hold what it does.
const POSITIVE: &[&str] =
    &["does", "summary", "scope", "capabilities", "purpose", "features", "tools"];
/// Members that hold what must be there first.
const PREREQUISITE: &[&str] = &["prerequisites", "requires", "requirements", "auth"];
/// Most resources that must have been read before their absence counts.
const MOST_READS: usize = 10;
/// What a carrier holds.
#[derive(Debug, Default)]
struct PartsFound {
    positive: bool,
    negative: bool,
    prerequisite: bool,
}

/// A summary was found, with what the server does and what it does not do or needs.
fn summary_reachable(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let contract = view.contract;
    let carriers = &contract.summary.carriers;
    let parts: Vec<_> = carriers.iter().map(parts_of).collect();
    let qualifies = |found: &PartsFound| found.positive && (found.negative || found.prerequisite);
    let together = PartsFound {
        positive: parts.iter().any(|found| found.positive),
        negative: parts.iter().any(|found| found.negative),
        prerequisite: parts.iter().any(|found| found.prerequisite),
    };
    if qualifies(&together) {
        return Look::Fine;
    }
    if let Some(why) = untried(contract) {
        return Look::Skip(why);
    }
    let wanted = "a resource or a read-only tool without arguments that says what the server does and does not do";
    if carriers.is_empty() {
        let (severity, why) = weight(contract);
        let message = format!(
            "no instructions, resource or tool carries a capability summary ({} resources, {} tools \
             listed); {severity}, because {why}",
            contract.resources.len(),
            contract.tools.len()
        );
        let found = absent(subject, message, wanted);
        return Look::Faulty(vec![Finding { severity: Some(severity), ..found }]);
    }
    let missing = match (together.positive, together.negative || together.prerequisite) {
        (true, _) => "neither a limit nor a prerequisite",
        (false, true) => "nothing about what the server does",
        (false, false) => "neither what the server does nor what it does not do",
    };
    let carrier = &carriers[0];
    Look::Faulty(vec![on_carrier(
        carrier,
        subject,
        format!("the summary in {} ({} bytes) tells {missing}", carrier.name, carrier.text.len()),
        wanted,
    )])
}

/// A finding about something that is nowhere: the whole contract is no value to show.
fn absent(subject: &Subject<'_>, message: String, expected: &str) -> Finding {
    Finding { actual: Value::Null, ..finding(subject, "", message, expected) }
}

fn on_carrier(
    carrier: &Carrier,
    subject: &Subject<'_>,
    message: String,
    expected: &str,
) -> Finding {
    Finding {
        subject: carrier.name.clone(),
        seq: carrier.seq.clone(),
        pointer: carrier.pointer.clone(),
        actual: carrier.text.chars().take(200).collect::<String>().into(),
        message,
        ..finding(subject, "", "", expected)
    }
}

/// Advisory: the summary is on a surface that every client shows the agent.
fn summary_on_a_sure_surface(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let carriers = &view.contract.summary.carriers;
    let Some(first) = carriers.first() else {
        return Look::Skip("no capability summary was found".into());
    };
    if carriers.iter().any(|carrier| carrier.kind != CarrierKind::Instructions) {
        return Look::Fine;
    }
    if let Some(why) = untried(view.contract) {
        return Look::Skip(why);
    }
    Look::Faulty(vec![on_carrier(
        first,
        subject,
        "only the instructions carry a summary, and clients may drop them".into(),
        "the same summary in a resource or a read-only tool without arguments",
    )])
}

/// Why absence cannot be concluded: something that may carry a summary was not tried, or is
/// written in a language that the phrases looked for are not of.
fn untried(contract: &Contract) -> Option<String> {
    let capabilities = &contract.identity.capabilities;
    let lists_tools = capabilities.get("tools").is_some() || !capabilities.is_object();
    if lists_tools && contract.complete_walk("tools/list").is_none() {
        return Some("the tools were not listed to their end".into());
    }
    let carriers = &contract.summary.carriers;
    if let Some(carrier) = carriers.iter().find(|carrier| is_foreign(&carrier.text)) {
        return Some(format!("{} is not in English", carrier.name));
    }
    if let Some(first) = contract.summary.unread.first() {
        return Some(format!("{first} may carry a summary and was not read"));
    }
    let reads = contract.exchanges.iter().filter(|read| &*read.method == "resources/read");
    let asked: HashSet<&str> = reads.filter_map(|read| read.params.get("uri")?.as_str()).collect();
    let read = contract.resources.iter().filter(|resource| asked.contains(&*resource.uri)).count();
    (read < contract.resources.len().min(MOST_READS))
        .then(|| format!("{} listed resources were not read", contract.resources.len() - read))
}

fn parts_of(carrier: &Carrier) -> PartsFound {
    let filled = |keys: &[&str]| {
        carrier.json.as_ref().is_some_and(|json| keys.iter().any(|key| has_filled(json, key)))
    };
    let prose = match &carrier.json {
        Some(_) => "",
        None => carrier.text.as_str(),
    };
    PartsFound {
        positive: filled(POSITIVE) || sentences(prose).any(|s| ABILITY.is_match(s)),
        negative: filled(NEGATIVE) || sentences(prose).any(|s| REFUSAL.is_match(s)),
        prerequisite: filled(PREREQUISITE) || sentences(prose).any(|s| LIMITATION.is_match(s)),
    }
}

/// Whether a member of a name is somewhere in a value, and not empty.
fn has_filled(value: &Value, key: &str) -> bool {
    match value {
        Value::Object(members) => {
            members.get(key).is_some_and(is_filled)
                || members.values().any(|inner| has_filled(inner, key))
        }
        Value::Array(items) => items.iter().any(|inner| has_filled(inner, key)),
        _ => false,
    }
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}

/// Some surface says what the server as a whole does not do.
fn negative_scope_stated(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let contract = view.contract;
    let json = contract.summary.carriers.iter().filter_map(|carrier| carrier.json.as_ref());
    if json.clone().any(|json| NEGATIVE.iter().any(|key| has_filled(json, key))) {
        return Look::Fine;
    }
    let summaries = contract.summary.carriers.iter().map(|carrier| carrier.text.as_str());
    let descriptions = contract.tools.iter().map(|tool| tool.description.as_str());
    if summaries
        .clone()
        .chain(descriptions.clone())
        .flat_map(sentences)
        .any(|s| speaks_of_the_server(contract, s))
    {
        return Look::Fine;
    }
    if let Some(why) = untried(contract) {
        return Look::Skip(why);
    }
    let of_a_tool = summaries
        .chain(descriptions)
        .flat_map(sentences)
        .find(|sentence| is_tool_negative(sentence));
    match of_a_tool {
        Some(_) if contract.tools.len() <= SMALL_CATALOG => Look::Fine,
        Some(sentence) => Look::Ask(format!(
            "only tools say what they do not do ({:?}): is that enough for the server?",
            sentence.chars().take(160).collect::<String>()
        )),
        None => Look::Faulty(vec![absent(
            subject,
            "nothing says which plausible tasks the server does not do".into(),
            "a filled does_not (or the like) in the summary, or a sentence about the server",
        )]),
    }
}

/// Every tool that a summary names is listed, and a list of tools in it hides none.
fn summary_names_listed_tools(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let contract = view.contract;
    if contract.complete_walk("tools/list").is_none() {
        return Look::Skip("the tool list was not walked to its end".into());
    }
    let Some(prefix) = shared_first_word(contract) else {
        return Look::Skip("the tools share no prefix by which a name could be told".into());
    };
    if contract.summary.carriers.is_empty() {
        return Look::Skip("no capability summary was found".into());
    }
    let mut findings = Vec::new();
    for carrier in &contract.summary.carriers {
        let mut unlisted = BTreeSet::new();
        match &carrier.json {
            Some(json) => collect_names(json, prefix, &mut unlisted),
            None => sentences(&carrier.text)
                .filter(|sentence| !REFUSAL.is_match(sentence))
                .for_each(|sentence| names_in(sentence, prefix, &mut unlisted)),
        }
        unlisted.retain(|name| contract.tool(name).is_none());
        for name in unlisted {
            findings.push(on_carrier(
                carrier,
                subject,
                format!("{} names the tool {name}, which is not listed", carrier.name),
                "only tools of the list",
            ));
        }
        let Some(named) = carrier.json.as_ref().and_then(tools_named) else { continue };
        for tool in contract.tools.iter().filter(|tool| !named.contains(tool.name.as_str())) {
            findings.push(on_carrier(
                carrier,
                subject,
                format!("the tools of {} leave out {}, which is listed", carrier.name, tool.name),
                "every listed tool",
            ));
        }
    }
    Look::of(findings)
}

/// The first word that every tool name begins with, when it is no verb.
fn shared_first_word(contract: &Contract) -> Option<&str> {
    let (first, _) = contract.tools.first()?.name.split_once('_')?;
    let shared = contract.tools.len() > 1
        && contract
            .tools
            .iter()
            .all(|tool| tool.name.split_once('_').is_some_and(|(word, _)| word == first));
    (shared && !is_verb(first)).then_some(first)
}

/// Words of a text that read as tool names: the prefix, a verb, a noun.
fn names_in(text: &str, prefix: &str, found: &mut BTreeSet<String>) {
    for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let parts = words(word);
        let reads_as_tool =
            word.contains('_') && parts.len() > 2 && parts[0] == prefix && is_verb(&parts[1]);
        if reads_as_tool {
            found.insert(word.to_owned());
        }
    }
}

/// The names in a JSON summary, what it says is not there left out.
fn collect_names(value: &Value, prefix: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                if NEGATIVE.contains(&key.as_str())
                    || key.contains("replace")
                    || key.contains("deprecat")
                {
                    continue;
                }
                names_in(key, prefix, found);
                collect_names(inner, prefix, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, prefix, found)),
        Value::String(text) => sentences(text)
            .filter(|sentence| !REFUSAL.is_match(sentence))
            .for_each(|sentence| names_in(sentence, prefix, found)),
        _ => {}
    }
}

/// The names in a `tools` member that lists tools: strings, objects with a name, or keys.
fn tools_named(json: &Value) -> Option<BTreeSet<&str>> {
    let tools = json.get("tools")?;
    let names: Option<BTreeSet<&str>> = match tools {
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().or_else(|| item.get("name")?.as_str())).collect()
        }
        Value::Object(members) => Some(members.keys().map(String::as_str).collect()),
        _ => None,
    };
    // Categories or counts under that name are no list of tools.
    names.filter(|names| names.iter().filter(|name| name.contains('_')).count() > 1)
}

/// Surfaces that carry the same members of a summary say the same.
fn summary_surfaces_agree(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let carriers: Vec<_> = view
        .contract
        .summary
        .carriers
        .iter()
        .filter_map(|carrier| Some((carrier, carrier.json.as_ref()?.as_object()?)))
        .collect();
    let mut compared = false;
    let mut findings = Vec::new();
    for (index, (one, left)) in carriers.iter().enumerate() {
        for (two, right) in &carriers[index + 1..] {
            for key in [
                "does",
                "does_not",
                "not_supported",
                "out_of_scope",
                "limitations",
                "prerequisites",
            ] {
                let (Some(a), Some(b)) = (left.get(key), right.get(key)) else { continue };
                compared = true;
                if !super::compare::differences(a, b).is_empty() {
                    findings.push(on_carrier(
                        two,
                        subject,
                        format!("{} and {} say different things under {key}", one.name, two.name),
                        "the same on every surface",
                    ));
                }
            }
        }
    }
    match compared {
        true => Look::of(findings),
        false => Look::Skip("no two surfaces carry the same member".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_out_of_prose() {
        let mut found = BTreeSet::new();
        names_in(
            "call `github_get_issue`, github_token or github_issues_mcp",
            "github",
            &mut found,
        );
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["github_get_issue"]);
    }
}
