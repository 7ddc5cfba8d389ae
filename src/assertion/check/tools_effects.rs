//! What a tool does beyond its answer, where several exchanges tell: stored text, repeats under one
//! key, stale versions, follow-ups (rules `3.sec-untrusted-content`, `3.idempotency-key`,
//! `3.version-precondition`, `3.dispatched-vs-applied`).

use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde_json::{Map, Value};

use super::compare::{in_role, succeeded};
use super::failure::Failure;
use super::prose::pattern;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::contract::{CallView, Contract, Exchange, Part};

/// Checks of this family.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("stored-text-stays-data", stored_text_stays_data),
    ("same-key-same-effect", same_key_same_effect),
    ("stale-updates-refused", stale_updates_refused),
    ("follow-ups-callable", follow_ups_callable),
];

/// Words that stored text must have to be told from words that anybody would use.
const TELLING_WORDS: usize = 4;
/// How far back stored text is looked for, in writes before the failure.
const WRITES: usize = 200;

/// A failure does not quote, as the server's own words, what an earlier call of another request
/// stored.
fn stored_text_stays_data(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Some(failure) = Failure::of(view.contract, subject) else {
        return Look::Skip("not a failure".into());
    };
    let own = failure.exchange.params.to_string();
    let spoken = spoken(&failure);
    let before = view.contract.exchanges.partition_point(|e| e.seq < failure.exchange.seq);
    let writes = view.contract.exchanges[..before].iter().rev().filter(|e| is_write(view, e));
    let mut stored: Vec<&str> = Vec::new();
    for write in writes.take(WRITES) {
        let Some(Value::Object(arguments)) = write.params.get("arguments") else { continue };
        let texts = arguments.values().filter_map(Value::as_str);
        stored.extend(texts.filter(|text| text.split_whitespace().count() >= TELLING_WORDS));
    }
    // What the caller itself just sent may come back to it.
    stored.retain(|text| !own.contains(Value::from(*text).to_string().trim_matches('"')));
    if stored.is_empty() {
        return Look::Skip("no text of others was stored before it".into());
    }
    let quoted = stored.iter().find(|text| spoken.iter().any(|(_, said)| said.contains(**text)));
    match quoted {
        None => Look::Fine,
        Some(text) => Look::Faulty(vec![finding(
            subject,
            "",
            format!(
                "{} says, in the server's own words, what a caller stored: {text:?}",
                subject.name
            ),
            "a message in the server's words; stored text in data alone",
        )]),
    }
}

/// The members in which a failure speaks with the server's voice.
fn spoken(failure: &Failure<'_>) -> Vec<(&'static str, String)> {
    let envelope = failure.envelope.as_ref();
    let message = envelope.and_then(|envelope| envelope.message()).map(str::to_owned);
    let repair = failure.part(Part::Repair).map(Value::to_string);
    let text = envelope.is_none().then(|| failure.text.to_owned());
    let all = [("message", message), ("repair", repair), ("text", text)];
    all.into_iter().filter_map(|(member, said)| Some((member, said?))).collect()
}

/// Whether an exchange is a successful call of a tool that is not marked read-only.
fn is_write(view: &View<'_>, exchange: &Exchange) -> bool {
    let call = view.contract.call(exchange);
    call.is_some_and(|call| call.tool.is_some_and(|tool| !tool.is_read_only()) && call.is_success())
}

/// Members that identify what a call made.
static IDENTIFIER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)(^|_)(id|number|uuid|guid|url|uri)$|(^|[a-z])(Id|Uuid|Url)$"));
/// Identifiers of the request itself, which are new each time.
static OF_REQUEST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)request|correlation|trace|session|event|log"));

/// A call that is repeated with its key answers with the same identifiers.
fn same_key_same_effect(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let of = |role| {
        in_role(case, role)
            .into_iter()
            .find_map(|exchange| view.contract.call(exchange).filter(|_| succeeded(exchange)))
    };
    let (Some(first), Some(repeat)) = (of(Role::Call), of(Role::Repeat)) else {
        return Look::Skip("call and repeat did not both succeed".into());
    };
    let Some(key) = key_of(&first) else {
        return Look::Skip("the call carries no key against repeats".into());
    };
    if first.arguments != repeat.arguments {
        return Look::Skip("the repeat is another call".into());
    }
    let ids = |call: &CallView<'_>| {
        let mut ids = Vec::new();
        identifiers(call.structured().unwrap_or(&Value::Null), &mut String::new(), &mut ids);
        ids
    };
    let (one, two) = (ids(&first), ids(&repeat));
    let Some((pointer, was)) = one.first() else {
        return Look::Skip("the result identifies nothing".into());
    };
    if one == two {
        return Look::Fine;
    }
    let other = one.iter().find(|id| !two.contains(id));
    let (pointer, was) = other.unwrap_or(&(pointer.clone(), was.clone())).clone();
    let now = two.iter().find(|(at, _)| *at == pointer).map_or(Value::Null, |(_, id)| id.clone());
    Look::Faulty(vec![finding(
        subject,
        "",
        format!(
            "{} was sent twice with the same {key}, and {pointer} was {was} first and {now} then",
            first.name
        ),
        "the first result again",
    )])
}

/// The key against repeats that a call carries.
fn key_of<'a>(call: &CallView<'a>) -> Option<&'a str> {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)^(idempotency|dedup\w*|client_request|client_mutation|request)_?(key|id|token)$",
        )
    });
    call.arguments?.keys().map(String::as_str).find(|name| KEY.is_match(name))
}

/// Scalars of a result that identify something, with their pointers; lists are left out.
fn identifiers(value: &Value, at: &mut String, found: &mut Vec<(String, Value)>) {
    let Value::Object(members) = value else { return };
    for (name, member) in members {
        let length = at.len();
        at.push('/');
        at.push_str(name);
        let scalar = member.is_string() || member.is_number();
        if scalar && IDENTIFIER.is_match(name) && !OF_REQUEST.is_match(name) {
            found.push((at.clone(), member.clone()));
        }
        identifiers(member, at, found);
        at.truncate(length);
    }
}

/// Arguments that carry the version on which a change rests.
static PRECONDITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)^(expected|base|known|if)_?(version|revision|etag|match)$|^(etag|if_match|version_token)$",
    )
});

/// A change that rests on a version which a later change replaced is refused.
fn stale_updates_refused(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let stated = call.arguments.and_then(|arguments| {
        let mut stated = arguments.iter().filter(|(name, _)| PRECONDITION.is_match(name));
        stated.find_map(|(name, token)| Some((name, token.as_str()?)))
    });
    let Some((name, token)) = stated else {
        return Look::Inapplicable("the call rests on no version".into());
    };
    let Some(replaced) = replaced_by(view.contract, call, token) else {
        return Look::Skip("nothing shows that the version was replaced before the call".into());
    };
    if !call.is_success() {
        return Look::Fine;
    }
    let mut found = finding(
        subject,
        "",
        format!(
            "{} carried out a change with the {name} {token:?}, which the change at seq {} had replaced",
            call.name, replaced.seq
        ),
        "an error with a code that says conflict, and nothing changed",
    );
    found.seq.insert(0, replaced.seq);
    Look::Faulty(vec![found])
}

/// The successful change of the same thing that came between the read which issued a version and
/// this call, and whose own answer shows another version.
fn replaced_by<'a>(
    contract: &'a Contract,
    call: &CallView<'_>,
    token: &str,
) -> Option<&'a Exchange> {
    let earlier: Vec<&Exchange> = contract
        .exchanges_of(call.exchange.session)
        .filter(|e| e.seq < call.exchange.seq)
        .collect();
    let holds = |exchange: &Exchange| exchange.result().and_then(|r| member_of(r, token));
    let issued = earlier.iter().rposition(|exchange| holds(exchange).is_some())?;
    let member = holds(earlier[issued])?;
    let arguments = call.arguments?;
    let same_thing = |other: &Map<String, Value>| {
        let required = call.tool.and_then(|tool| tool.input.get("required")?.as_array());
        let mut names = required.into_iter().flatten().filter_map(Value::as_str);
        names.all(|name| PRECONDITION.is_match(name) || arguments.get(name) == other.get(name))
    };
    earlier[issued + 1..].iter().copied().find(|exchange| {
        contract.call(exchange).is_some_and(|change| {
            change.tool.is_some_and(|tool| !tool.is_read_only())
                && change.is_success()
                && change.arguments.is_some_and(same_thing)
                && change.structured().is_some_and(|result| has_other(result, &member, token))
        })
    })
}

/// The name of the member that holds a text, somewhere in a value.
fn member_of(value: &Value, text: &str) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().find_map(|(name, member)| match member {
            Value::String(held) if held == text => Some(name.clone()),
            inner => member_of(inner, text),
        }),
        Value::Array(items) => items.iter().find_map(|item| member_of(item, text)),
        _ => None,
    }
}

/// Whether a member of that name holds another text.
fn has_other(value: &Value, member: &str, text: &str) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, held)| {
            (name == member && held.as_str().is_some_and(|held| held != text))
                || has_other(held, member, text)
        }),
        Value::Array(items) => items.iter().any(|item| has_other(item, member, text)),
        _ => false,
    }
}

/// Members that say how to find out whether an effect was applied.
const FOLLOW_UPS: &[&str] = &["follow_up", "followUp", "next_step", "verification"];

/// What a result says to call next is a listed tool with arguments that its schema takes.
fn follow_ups_callable(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let structured = call.structured().and_then(Value::as_object);
    let named = structured.and_then(|members| {
        FOLLOW_UPS.iter().find_map(|name| Some((*name, members.get(*name)?.as_object()?)))
    });
    let Some((name, follow_up)) = named else {
        return Look::Inapplicable("the result names nothing to call next".into());
    };
    let below = format!("/structuredContent/{name}");
    let wanted = "a listed tool with arguments that its schema takes";
    let Some(tool) = follow_up.get("tool").and_then(Value::as_str) else {
        return Look::Skip("it tells what to do in words".into());
    };
    let Some(listed) = view.contract.tool(tool) else {
        let message = format!("{} says to call {tool} next, which is not listed", call.name);
        return Look::Faulty(vec![finding(subject, &format!("{below}/tool"), message, wanted)]);
    };
    let arguments = follow_up.get("arguments").cloned().unwrap_or_else(|| Map::new().into());
    let fits =
        |schema: &Arc<Value>| view.contract.validator(schema).map(|v| v.is_valid(&arguments));
    match fits(&listed.input) {
        Ok(true) => Look::Fine,
        Ok(false) => Look::Faulty(vec![finding(
            subject,
            &format!("{below}/arguments"),
            format!(
                "{} says to call {tool} next with arguments that its schema refuses",
                call.name
            ),
            wanted,
        )]),
        Err(_) => Look::Skip(format!("the schema of {tool} cannot be used")),
    }
}
