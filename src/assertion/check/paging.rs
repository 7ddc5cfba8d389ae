//! A7: lists page by tokens, native lists by native fields alone (rules `8.native-pagination`,
//! `8.cursor-pagination`, `8.house-pagination`, `8.cursor-lifetime`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::carrier::is_unflagged;
use super::compare::{in_role, payload, succeeded};
use super::failure::Failure;
use super::rows::{continuation, id_key, is_token_name, rows};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::capture::Role;
use crate::contract::{Contract, Exchange, Tool};
use crate::schema::{parameters, walk};
use crate::score::Finding;

/// The checks of this family that look further than their subject.
pub const CHECKS: &[(&str, Builtin)] = &[
    ("native-lists-page-natively", native_lists_page_natively),
    ("native-walks-end", native_walks_end),
    ("tool-lists-page-by-token", tool_lists_page_by_token),
    ("house-paging-labelled", house_paging_labelled),
    ("page-walks-end", page_walks_end),
    ("bad-token-refused", bad_token_refused),
];

/// The checks of this family that depend on the values of their subject alone.
pub const OF_VALUES: &[(&str, Builtin)] = &[
    ("continuation-fields-paired", continuation_fields_paired),
    ("continuation-fields-declared", continuation_fields_declared),
];

/// Members of tool payloads that have no business in a native list (rule `8.native-pagination`).
const HOUSE: &[&str] = &[
    "has_more",
    "hasMore",
    "next_cursor",
    "cursor",
    "total",
    "estimated_total",
    "limit",
    "offset",
    "page",
    "count",
];

/// Native list results page by `nextCursor`, a string, and nothing else.
fn native_lists_page_natively(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Walk(walk) = &subject.of else { return Look::Skip("not a list".into()) };
    let mut findings = Vec::new();
    for page in &walk.pages {
        let Some(exchange) = view.contract.exchanges.get(page.exchange) else { continue };
        let Some(result) = exchange.result() else { continue };
        let mut wrong = |key: &str, message: String| {
            findings.push(Finding {
                severity: None,
                subject: subject.name.clone(),
                message,
                seq: exchange.seqs(),
                pointer: format!("/result/{key}"),
                actual: result.get(key).cloned().unwrap_or_default(),
                expected: "nextCursor, a string, or its absence at the end".into(),
            });
        };
        for key in HOUSE.iter().filter(|key| result.get(**key).is_some()) {
            wrong(
                key,
                format!("{} carries {key}, which is no member of a native list", walk.method),
            );
        }
        if page.next_cursor.as_ref().is_some_and(|cursor| !cursor.is_string()) {
            wrong("nextCursor", format!("{} gives a nextCursor that is no string", walk.method));
        }
    }
    Look::of(findings)
}

/// A walk of a native list ends, and shows no record twice.
fn native_walks_end(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Walk(walk) = &subject.of else { return Look::Skip("not a list".into()) };
    let mut cursors: BTreeSet<String> = BTreeSet::new();
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    for page in &walk.pages {
        let seqs =
            || view.contract.exchanges.get(page.exchange).map(Exchange::seqs).unwrap_or_default();
        let wrong = |message: String, actual: Value, expected: &str| {
            Look::Faulty(vec![Finding {
                severity: None,
                subject: subject.name.clone(),
                message,
                seq: seqs(),
                pointer: "/result".into(),
                actual,
                expected: expected.into(),
            }])
        };
        if let Some(twice) = page.keys.iter().find(|key| !keys.insert(key)) {
            return wrong(
                format!("a walk of {} shows {twice} twice", walk.method),
                Value::from(twice.as_str()),
                "every record once",
            );
        }
        if let Some(cursor) = page.next_cursor.as_ref().filter(|c| c.is_string())
            && !cursors.insert(cursor.to_string())
        {
            return wrong(
                format!("a walk of {} comes back to a cursor that it gave before", walk.method),
                cursor.clone(),
                "a walk that ends by leaving nextCursor out",
            );
        }
    }
    match walk.complete {
        true => Look::Fine,
        // Whether a list that goes on and on ends at all, nobody has seen.
        false if walk.pages.len() > 1 => Look::Ask(format!(
            "does {} end? It was followed over {} pages",
            walk.method,
            walk.pages.len()
        )),
        false => Look::Skip("the walk was not followed to its end".into()),
    }
}

/// The token parameter of a tool.
fn token_parameter(tool: &Tool) -> Option<&str> {
    let named = |name: &str| {
        let lower = name.to_lowercase();
        lower == "after"
            || lower.ends_with("cursor")
            || lower.replace('_', "").ends_with("pagetoken")
    };
    parameters(&tool.input).into_iter().map(|parameter| parameter.name).find(|name| named(name))
}

/// Successful payloads of a tool.
fn payloads<'a>(
    contract: &'a Contract,
    tool: &'a Tool,
) -> impl Iterator<Item = (&'a Exchange, Value)> {
    contract
        .calls_of(&tool.name)
        .filter(|exchange| succeeded(exchange))
        .filter_map(|exchange| Some((exchange, payload(exchange)?)))
}

/// A tool whose list goes over several pages pages by a token that its results give.
fn tool_lists_page_by_token(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let offsets = ["page", "offset", "skip", "page_number", "pageNumber"];
    let Some(token) = token_parameter(tool) else {
        let offset = parameters(&tool.input).into_iter().find(|p| {
            let number = p.resolved.get("type").is_none_or(|kind| kind != "string");
            number && offsets.contains(&p.name)
        });
        return match offset {
            None => Look::Inapplicable("no list of a tool goes over several pages".into()),
            Some(offset) => Look::Ask(format!(
                "{} pages by {}: is its list small and in a stable order?",
                tool.name, offset.name
            )),
        };
    };
    let gives = |members: &Value| match members {
        Value::Object(members) => {
            continuation(members).token.is_some()
                || members
                    .values()
                    .filter_map(Value::as_object)
                    .any(|inner| continuation(inner).token.is_some())
        }
        _ => false,
    };
    let mut says_more = None;
    for (exchange, payload) in payloads(view.contract, tool) {
        if gives(&payload) {
            return Look::Fine;
        }
        let more =
            payload.as_object().is_some_and(|m| continuation(m).flag.is_some_and(|(_, more)| more));
        says_more = says_more.or(more.then_some(exchange));
    }
    let declared = tool.output.as_deref().is_some_and(|output| {
        walk(output).iter().any(|place| place.path.rsplit('/').next().is_some_and(is_token_name))
    });
    if declared {
        return Look::Fine;
    }
    // A row's own id may be what `after` takes.
    let own = token.to_lowercase() != "after";
    match (&tool.output, says_more) {
        (_, Some(exchange)) if own => Look::Faulty(vec![Finding {
            seq: exchange.seqs(),
            ..finding(
                subject,
                "/outputSchema",
                format!("{} takes {token}, says that there is more, and gives no token", tool.name),
                "a token beside the flag",
            )
        }]),
        (Some(_), _) if own => Look::Faulty(vec![finding(
            subject,
            "/outputSchema",
            format!(
                "{} takes {token}, and its output schema declares no token to give it",
                tool.name
            ),
            "the token that the parameter takes, declared in the output schema",
        )]),
        _ => Look::Skip("no result shows where the token comes from".into()),
    }
}

/// A flag that there is more comes with a token, and one that there is not comes without.
fn continuation_fields_paired(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let Some(members) = call.structured().and_then(Value::as_object) else {
        return Look::Skip("no structured result".into());
    };
    let mut judged = false;
    let mut findings = Vec::new();
    let inner =
        members.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_object()?)));
    for (below, members) in std::iter::once(("", members)).chain(inner) {
        let read = continuation(members);
        let Some((flag, more)) = read.flag else { continue };
        judged = true;
        let place = if below.is_empty() { String::new() } else { format!("/{below}") };
        let (message, expected) = match (more, read.token) {
            (true, None) => (
                format!("{}: {flag} is true and no token leads on", call.name),
                "a token beside the flag",
            ),
            (false, Some((token, _))) => (
                format!("{}: {flag} is false and {token} is there", call.name),
                "no token at the end",
            ),
            _ => continue,
        };
        findings.push(finding(
            subject,
            &format!("/structuredContent{place}/{flag}"),
            message,
            expected,
        ));
    }
    match judged {
        true => Look::of(findings),
        false => Look::Skip("the result has no flag that there is more".into()),
    }
}

/// Continuation fields are part of the payload that the output schema declares.
fn continuation_fields_declared(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Call(call) = &subject.of else { return Look::Skip("not a call".into()) };
    let in_meta =
        call.result().and_then(|result| result.get("_meta")?.as_object()).map(continuation);
    if let Some(found) = in_meta
        && let Some(name) = found.flag.map(|(name, _)| name).or(found.token.map(|(name, _)| name))
    {
        return Look::Faulty(vec![finding(
            subject,
            &format!("/_meta/{name}"),
            format!("{} pages by {name} in _meta", call.name),
            "continuation fields in structuredContent",
        )]);
    }
    let Some(members) = call.structured().and_then(Value::as_object) else {
        return Look::Skip("no structured result".into());
    };
    let read = continuation(members);
    let names: Vec<_> =
        read.flag.map(|(n, _)| n).into_iter().chain(read.token.map(|(n, _)| n)).collect();
    let Some(output) =
        call.tool.and_then(|tool| tool.output.as_deref()).filter(|_| !names.is_empty())
    else {
        return Look::Skip("no continuation field, or no output schema".into());
    };
    let declared: Vec<String> = walk(output).into_iter().map(|place| place.path).collect();
    let missing = names.into_iter().filter(|name| !declared.contains(&format!("/{name}")));
    Look::of(
        missing
            .map(|name| {
                finding(
                    subject,
                    &format!("/structuredContent/{name}"),
                    format!(
                        "{} pages by {name}, which its output schema does not declare",
                        call.name
                    ),
                    "every continuation field declared in the output schema",
                )
            })
            .collect(),
    )
}

/// Advisory: somewhere it says that the paging fields are a convention of the server.
fn house_paging_labelled(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Tool(tool) = &subject.of else { return Look::Skip("not a tool".into()) };
    let Some(output) = tool.output.as_deref() else {
        return Look::Skip("no output schema".into());
    };
    let flagged = walk(output).into_iter().any(|place| {
        let name = place.path.rsplit('/').next().unwrap_or_default();
        name.ends_with("has_more") || name == "hasMore" || name == "next_cursor"
    });
    if !flagged {
        return Look::Inapplicable("no tool declares paging fields of its own".into());
    }
    let labels = |text: &str| {
        let text = text.to_lowercase();
        ["convention", "house", "not protocol", "not the protocol"]
            .iter()
            .any(|word| text.contains(word))
    };
    let said = labels(&output.to_string())
        || labels(&tool.description)
        || view.contract.summary.carriers.iter().any(|carrier| labels(&carrier.text));
    match said {
        true => Look::Fine,
        false => Look::Faulty(vec![finding(
            subject,
            "/outputSchema",
            format!(
                "nothing says that the paging fields of {} are a convention of the server",
                tool.name
            ),
            "the words `house convention, not protocol` at the field or in the summary",
        )]),
    }
}

/// Following the tokens of a tool's list ends, with no row twice.
fn page_walks_end(_: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let pages: Vec<_> = in_role(case, Role::Page)
        .into_iter()
        .filter(|page| succeeded(page))
        .filter_map(|page| Some((page, payload(page)?)))
        .collect();
    if pages.len() < 2 {
        return Look::Skip("the list has one page".into());
    }
    let all: Vec<Value> =
        pages.iter().filter_map(|(_, payload)| rows(payload)).flatten().cloned().collect();
    let Some((_, first_page)) = pages.first() else { return Look::Skip("no page".into()) };
    let Some(key) = rows(first_page).and_then(|rows| id_key(rows)) else {
        return Look::Skip("nothing identifies the rows".into());
    };
    let wrong = |pages: &[&Exchange], message: String, actual: Value, expected: &str| {
        Look::Faulty(vec![Finding {
            severity: None,
            subject: subject.name.clone(),
            message,
            seq: pages.iter().flat_map(|page| page.seqs()).collect(),
            pointer: "/result/structuredContent".into(),
            actual,
            expected: expected.into(),
        }])
    };
    let mut seen = BTreeSet::new();
    for row in &all {
        let Some(id) = row.get(key) else { continue };
        if !seen.insert(id.to_string()) {
            let on: Vec<_> = pages
                .iter()
                .filter(|(_, payload)| {
                    rows(payload)
                        .is_some_and(|rows| rows.iter().any(|row| row.get(key) == Some(id)))
                })
                .map(|(page, _)| *page)
                .collect();
            return wrong(
                &on,
                format!("{}: {key} {id} is on more than one page", subject.name),
                id.clone(),
                "every row once",
            );
        }
    }
    let mut tokens = BTreeSet::new();
    for (page, payload) in &pages {
        let token = payload.as_object().and_then(|members| continuation(members).token);
        if let Some((name, token)) = token
            && !tokens.insert(token.to_owned())
        {
            return wrong(
                &[page],
                format!("{}: {name} comes back to a token that it gave before", subject.name),
                token.into(),
                "a walk that ends",
            );
        }
    }
    Look::Fine
}

/// A token that the server did not give is refused with a code, not answered with page one.
fn bad_token_refused(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Case(case) = &subject.of else { return Look::Skip("not a case".into()) };
    let pages = in_role(case, Role::Page);
    let Some(call) = in_role(case, Role::Call).into_iter().next() else {
        return Look::Skip("no broken token was sent".into());
    };
    let given: Vec<String> = pages
        .iter()
        .filter_map(|page| payload(page))
        .filter_map(|payload| Some(continuation(payload.as_object()?).token?.1.to_owned()))
        .collect();
    let sent = call.params.get("arguments").and_then(Value::as_object);
    let forged = sent.into_iter().flatten().any(|(name, value)| {
        is_token_name(name)
            && value.as_str().is_some_and(|text| !given.iter().any(|token| token == text))
    });
    if !forged {
        return Look::Skip("the token that was sent may be a good one".into());
    }
    let wrong = |message: String, expected: &str| {
        Look::Faulty(vec![Finding {
            severity: None,
            subject: subject.name.clone(),
            message,
            seq: call.seqs(),
            pointer: "/result".into(),
            actual: payload(call).unwrap_or_default(),
            expected: expected.into(),
        }])
    };
    if view.contract.call(call).is_some_and(|call| is_unflagged(view, &call)) {
        return Look::Skip("a failure without the flag: failures-are-flagged".into());
    }
    if succeeded(call) {
        return wrong(
            format!("{}: a changed token is answered with a success", subject.name),
            "an error with a code, and how to start again",
        );
    }
    let Some(failure) = Failure::read(view.contract, call) else {
        return Look::Skip("the call was not answered".into());
    };
    match failure.environment() {
        Some(why) => Look::Skip(why.into()),
        None if failure.envelope.is_none() => Look::Skip("prose without an envelope".into()),
        None if failure.code().is_none() => {
            Look::Skip("refused without a code: errors-carry-symbolic-code".into())
        }
        None if failure.repair().is_none() => wrong(
            format!("{}: a changed token is refused without a way on", subject.name),
            "a repair that starts again without the token",
        ),
        None => Look::Fine,
    }
}
