//! A4: a repair is one well-formed call that an agent can make as it stands (rules
//! `6.repair-object`, `6.repair-callable`, `6.repair-intent`, `6.repair-hints`).

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::failure::Failure;
use super::lexicon;
use super::prose::pattern;
use super::violation::{Violation, violations_of};
use super::{Builtin, Look, View};
use crate::assertion::Subject;
use crate::contract::{Envelope, Part, Tool};
use crate::score::Finding;

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("repair-well-formed", repair_well_formed),
    ("repair-callable", repair_callable),
    ("repair-keeps-arguments", repair_keeps_arguments),
    ("correctable-errors-carry-repair", correctable_errors_carry_repair),
];

/// Members that stand for a repair under another name.
const ALIASES: &[&str] = &["repairs", "repair_hints", "suggestions", "next_steps"];

/// `repair` is one object: a symbolic next step, one tool, its arguments, perhaps an alternative.
fn repair_well_formed(view: &View<'_>, subject: &Subject<'_>) -> Look {
    static STEP: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[a-z][a-z0-9_]*$"));
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let Some(envelope) = &failure.envelope else {
        return Look::Skip("prose without an envelope".into());
    };
    let wrong = |message: &str, expected: &str| {
        let message = format!("{}: {message}", subject.name);
        failure.finding(subject, Part::Repair, message, expected)
    };
    if let Some(alias) = ALIASES.iter().find(|alias| envelope.object.get(**alias).is_some()) {
        return Look::Faulty(vec![wrong(
            &format!("the envelope spells its repair {alias}"),
            "one object named repair",
        )]);
    }
    let Some(repair) = failure.repair() else {
        return Look::Inapplicable("no error has a repair".into());
    };
    let Some(members) = repair.as_object() else {
        return Look::Faulty(vec![wrong("repair is no object", "one object, not a list")]);
    };
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    let mut findings = Vec::new();
    if !text("next_step").is_some_and(|step| STEP.is_match(step)) {
        findings.push(wrong("repair.next_step is no symbol", "a string such as unlock_then_retry"));
    }
    if text("tool").is_none_or(str::is_empty) {
        findings.push(wrong("repair.tool names no tool", "the name of a listed tool"));
    }
    if !members.get("arguments").is_some_and(Value::is_object) {
        findings.push(wrong("repair.arguments is no object", "literal arguments"));
    }
    if members.get("alternative").is_some_and(|alternative| !alternative.is_string()) {
        findings.push(wrong("repair.alternative is no sentence", "a string"));
    }
    Look::of(findings)
}

/// The tool and the arguments of a repair.
fn call_of<'a>(failure: &'a Failure<'_>) -> Option<(&'a str, &'a Map<String, Value>)> {
    let repair = failure.repair()?;
    Some((repair.get("tool")?.as_str()?, repair.get("arguments")?.as_object()?))
}

/// The named tool is listed, and the arguments are literal and valid for it.
fn repair_callable(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let Some((name, arguments)) = call_of(&failure) else {
        return Look::Inapplicable("no error has a repair with a tool and arguments".into());
    };
    let wrong = |message: String, expected: &str| {
        Look::Faulty(vec![failure.finding(subject, Part::Repair, message, expected)])
    };
    let Some(tool) = view.contract.tool(name) else {
        if view.contract.complete_walk("tools/list").is_none() {
            return Look::Skip("the tool list was not walked to its end".into());
        }
        return wrong(
            format!("{}: the repair calls {name}, which is not listed", subject.name),
            "a listed tool",
        );
    };
    let sent = failure.call.and_then(|call| call.arguments);
    if let Some((path, text)) = placeholder(arguments, tool, sent) {
        return wrong(
            format!("{}: the repair holds the placeholder {text:?} in {path}", subject.name),
            "literal arguments",
        );
    }
    let broken = violations_of(view.contract, &tool.input, &Value::Object(arguments.clone()));
    match broken.first() {
        None => Look::Fine,
        Some(one) => wrong(
            format!(
                "{}: the repair's arguments break {} of {} in {name}",
                subject.name, one.keyword, one.path
            ),
            "arguments that the tool's input schema accepts",
        ),
    }
}

/// The first string that is a stand-in rather than a value. What the caller sent itself, and what
/// the schema's own pattern asks for, is a value.
fn placeholder<'a>(
    arguments: &'a Map<String, Value>,
    tool: &Tool,
    sent: Option<&Map<String, Value>>,
) -> Option<(&'a str, &'a str)> {
    static STAND_IN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^<[^<>]+>$|^\{[\w \-|]+\}$|^\[[\w \-|]+\]$|^\$\{?\w+\}?$|…|\.\.\.|\bTODO\b|\byour[_-]\w+|\bexample_\w+|\bone of\b",
        )
    });
    arguments.iter().find_map(|(name, value)| {
        let own = sent.is_some_and(|sent| sent.get(name) == Some(value));
        let patterned = tool.input.pointer(&format!("/properties/{name}/pattern")).is_some();
        let mut texts = match value {
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect::<Vec<_>>(),
        }
        .into_iter();
        let text = texts.find(|text| STAND_IN.is_match(text)).filter(|_| !own && !patterned)?;
        Some((name.as_str(), text))
    })
}

/// A repair of the same tool keeps every argument that was valid, and changes only the broken one.
fn repair_keeps_arguments(view: &View<'_>, subject: &Subject<'_>) -> Look {
    static SECRET: LazyLock<Regex> = LazyLock::new(|| pattern("(?i)secret|token|password|key"));
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let Some((name, arguments)) = call_of(&failure) else {
        return Look::Inapplicable("no error has a repair with a tool and arguments".into());
    };
    let Some((call, sent)) = failure.call.and_then(|call| Some((call, call.arguments?))) else {
        return Look::Skip("the failure is of no call with object arguments".into());
    };
    if name != call.name {
        return Look::Skip("the repair is a call of another tool".into());
    }
    let violations = failure.violations();
    let fields = failure.fields();
    let broken = |property: &str| {
        violations.iter().any(|one| one.top() == property)
            || fields.iter().any(|field| {
                super::violation::normal_path(field).split('.').next() == Some(property)
            })
    };
    if violations.is_empty() && fields.is_empty() {
        return Look::Skip("which argument was wrong cannot be told".into());
    }
    // A constraint between parameters may be repaired by changing either.
    if violations.iter().any(|one| one.path.is_empty())
        || (violations.is_empty() && fields.len() > 1)
    {
        return Look::Skip("a constraint between parameters was broken".into());
    }
    let mut findings = Vec::new();
    for (property, value) in sent.iter().filter(|(property, _)| !broken(property)) {
        let fault = match arguments.get(property) {
            Some(kept) if kept == value => continue,
            // What is wrong with a valid call may lie in several arguments together.
            Some(_) if violations.is_empty() => continue,
            Some(_) => "changes",
            None if SECRET.is_match(property) => continue,
            None => "drops",
        };
        findings.push(failure.finding(
            subject,
            Part::Repair,
            format!("{}: the repair {fault} {property}, which was valid", subject.name),
            "every valid argument of the caller, unchanged",
        ));
    }
    for property in
        arguments.keys().filter(|property| !sent.contains_key(*property) && !broken(property))
    {
        if violations.is_empty() {
            break;
        }
        findings.push(failure.finding(
            subject,
            Part::Repair,
            format!("{}: the repair adds {property}, which the caller did not send", subject.name),
            "the smallest change that repairs the call",
        ));
    }
    Look::of(findings)
}

/// An error that a caller can correct says how, where the schema or a lookup tells it.
fn correctable_errors_carry_repair(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let Some(tool) =
        failure.call.and_then(|call| call.tool).filter(|_| failure.exchange.error().is_none())
    else {
        return Look::Skip("not an error result of a listed tool".into());
    };
    if failure.envelope.is_none() {
        return Look::Skip("prose without an envelope".into());
    }
    if let Some(why) = failure.environment() {
        return Look::Skip(why.into());
    }
    let violations = failure.violations();
    let (what, expected) = match &violations[..] {
        [] => match lookup_of(view, tool, &failure) {
            Some(lookup) => (
                format!(
                    "{} says {} although {lookup} would find it",
                    subject.name,
                    failure.code().unwrap_or_default()
                ),
                format!("a repair that calls {lookup}"),
            ),
            None => return Look::Skip("nothing can be derived for a repair".into()),
        },
        [one] if is_derivable(tool, one) => (
            format!(
                "{} refuses a broken {} of {} without a repair",
                subject.name, one.keyword, one.path
            ),
            "a repair with the corrected call".to_owned(),
        ),
        _ => return Look::Skip("nothing can be derived for a repair".into()),
    };
    if failure.repair().is_some() {
        return Look::Fine;
    }
    let mut found = Finding { expected, ..failure.finding(subject, Part::Repair, what, "") };
    if let Some(hint) = failure.envelope.as_ref().and_then(Envelope::hint) {
        found.message.push_str("; its recovery.hint is prose, which no agent can call");
        found.actual = Value::from(hint);
    }
    Look::Faulty(vec![found])
}

/// Whether the schema tells what the corrected argument is: a member of an enumeration, a default,
/// or a constant. Leaving an optional parameter out would change what the caller asked for.
fn is_derivable(tool: &Tool, one: &Violation) -> bool {
    let node = tool.input.pointer(&format!("/properties/{}", one.top()));
    let offers = |key: &str| node.is_some_and(|node| node.get(key).is_some());
    match one.keyword.as_str() {
        "enum" | "const" => !one.allowed.is_empty(),
        "type" | "format" | "pattern" => {
            one.path == one.top() && (offers("default") || offers("const") || offers("enum"))
        }
        "required" => offers("default") || offers("const"),
        _ => false,
    }
}

/// A read-only tool that finds what a `..._not_found` failure says is missing.
fn lookup_of<'a>(view: &View<'a>, tool: &Tool, failure: &Failure<'_>) -> Option<&'a str> {
    let code = lexicon::words(failure.code()?);
    let missing = code.join(" ");
    if !["not found", "no such", "unknown", "does not exist"]
        .iter()
        .any(|said| missing.contains(said))
    {
        return None;
    }
    // What else is allowed is a way on too.
    let details = failure.part(Part::Details);
    if details.is_some_and(|details| {
        details
            .get("allowed")
            .is_some_and(|allowed| allowed.as_array().is_some_and(|a| !a.is_empty()))
    }) {
        return None;
    }
    let nouns = code.iter().map(|word| lexicon::singular(word));
    let finder = view.naming().finder(view.contract, tool, nouns)?;
    Some(&finder.name)
}
