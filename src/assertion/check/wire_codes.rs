//! W4, second half: error codes stand where they belong.

use serde_json::Value;

use super::wire_facts::{agreed, at_most_told, finding_at, revision_of, strays};
use super::wire_rpc::garbage;
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{Exchange, StrayKind};
use crate::wire::{Band, Messages, Revision, band, code};

/// The checks of this family that look further than their subject.
pub(super) const CHECKS: &[(&str, Builtin)] =
    &[("parse-error-code", parse_error_code), ("parse-errors-answered", parse_errors_answered)];

/// The checks of this family that depend on the values of their subject alone.
pub(super) const OF_VALUES: &[(&str, Builtin)] = &[
    ("error-codes-allocated", error_codes_allocated),
    ("unknown-method-code", unknown_method_code),
    ("malformed-params-code", malformed_params_code),
    ("unknown-tool-code", unknown_tool_code),
];

/// URL elicitation required: assigned in 2025-11-25 alone.
const URL_ELICITATION_REQUIRED: i64 = -32042;

/// Codes come from the standard, from the specification with their meaning, or from outside the
/// reserved space (rule 6.jsonrpc-code-allocation).
fn error_codes_allocated(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let Some(code) = exchange.error().and_then(|error| error.code) else {
        return Look::Skip("no integer code: error-valid judges that".to_owned());
    };
    let stateless = revision_of(view, exchange).is_some_and(Revision::is_stateless);
    let over_http = view.contract.session(exchange.session).is_some_and(|session| session.http);
    let Some(why) = misallocated(code, stateless, over_http) else {
        return Look::Fine;
    };
    let message = format!("{} answers error {code}: {why}", exchange.method);
    let expected =
        "a standard code, an assigned one with its meaning, or one outside -32768..-32000";
    Look::Faulty(vec![finding(subject, "/code", message, expected)])
}

fn misallocated(found: i64, stateless: bool, over_http: bool) -> Option<&'static str> {
    match band(found) {
        Band::JsonRpcReserved => Some("reserved by JSON-RPC and not assigned"),
        _ if !stateless => None,
        _ if found == code::LEGACY_RESOURCE_NOT_FOUND => Some("retired; not found is -32602"),
        _ if found == URL_ELICITATION_REQUIRED => Some("retired with 2025-11-25"),
        Band::LegacyServer => Some("from the legacy band -32019..-32000"),
        Band::McpReserved => match found {
            code::HEADER_MISMATCH if !over_http => Some("header mismatch, without HTTP headers"),
            code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_VERSION => {
                None
            }
            _ => Some("reserved for the specification and not assigned"),
        },
        Band::JsonRpc | Band::Application => None,
    }
}

/// A method that exists in no revision is answered by -32601.
fn unknown_method_code(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    if Revision::ALL.iter().any(|known| Messages::of(*known).knows_method(&exchange.method)) {
        return Look::Skip("a method of some revision".to_owned());
    }
    if agreed(view, exchange.session).is_none() {
        return Look::Skip("no revision was agreed".to_owned());
    }
    let expected = "error -32601, method not found";
    match (exchange.error(), exchange.result()) {
        (Some(error), _) if error.code == Some(code::METHOD_NOT_FOUND) => Look::Fine,
        (Some(error), _) => {
            let found = error.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
            let message = format!("the unknown method {} is refused with {found}", exchange.method);
            Look::Faulty(vec![finding(subject, "/code", message, expected)])
        }
        (None, Some(_)) if offers_more(&view.contract.identity.capabilities) => {
            Look::Skip("it may belong to an extension that the server advertises".to_owned())
        }
        (None, Some(_)) => {
            let message = format!("the unknown method {} is answered by a result", exchange.method);
            Look::Faulty(vec![finding(subject, "", message, expected)])
        }
        (None, None) => Look::Skip("no answer: requests-answered judges that".to_owned()),
    }
}

fn offers_more(capabilities: &Value) -> bool {
    ["extensions", "experimental"].iter().any(|member| {
        let members = capabilities.get(member).and_then(Value::as_object);
        members.is_some_and(|members| !members.is_empty())
    })
}

/// Params that no revision's request allows are answered by -32602.
fn malformed_params_code(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let Some(what) = malformed(exchange) else {
        return Look::Skip("its params have the shape of the method".to_owned());
    };
    if agreed(view, exchange.session).is_none() {
        return Look::Skip("no revision was agreed".to_owned());
    }
    expect_invalid_params(subject, exchange, &format!("{} with {what}", exchange.method))
}

/// What makes the params of a request malformed in every revision.
fn malformed(exchange: &Exchange) -> Option<&'static str> {
    let params = &exchange.params;
    let is_other = |member: &str, fits: fn(&Value) -> bool| {
        params.get(member).is_some_and(|value| !fits(value))
    };
    match &*exchange.method {
        "tools/call" if is_other("arguments", Value::is_object) => {
            Some("arguments that are no object")
        }
        "tools/call" | "prompts/get" if !params.get("name").is_some_and(Value::is_string) => {
            Some("no name")
        }
        "resources/read" if !params.get("uri").is_some_and(Value::is_string) => Some("no uri"),
        method if method.ends_with("/list") && is_other("cursor", Value::is_string) => {
            Some("a cursor that is no string")
        }
        _ => None,
    }
}

fn expect_invalid_params(subject: &Subject<'_>, exchange: &Exchange, what: &str) -> Look {
    let expected = "error -32602, invalid params";
    match (exchange.error(), exchange.result()) {
        (Some(error), _) if error.code == Some(code::INVALID_PARAMS) => Look::Fine,
        (Some(error), _) => {
            let found = error.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
            let message = format!("{what} is refused with {found}");
            Look::Faulty(vec![finding(subject, "/code", message, expected)])
        }
        (None, Some(_)) => {
            let message = format!("{what} is answered by a result");
            Look::Faulty(vec![finding(subject, "", message, expected)])
        }
        (None, None) => Look::Skip("no answer".to_owned()),
    }
}

/// A tool that is not listed is a protocol error, -32602.
fn unknown_tool_code(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let name = exchange.params.get("name").and_then(Value::as_str);
    let Some(name) = name.filter(|_| &*exchange.method == "tools/call") else {
        return Look::Skip("not a call of a named tool".to_owned());
    };
    let is_known = view.contract.tool(name).is_some();
    if is_known || malformed(exchange).is_some() {
        return Look::Skip("a listed tool, or malformed params".to_owned());
    }
    if view.contract.complete_walk("tools/list").is_none() {
        return Look::Skip("the tools were not listed to the end".to_owned());
    }
    if agreed(view, exchange.session).is_none() {
        return Look::Skip("no revision was agreed".to_owned());
    }
    expect_invalid_params(subject, exchange, &format!("a call of the unknown tool {name:?}"))
}

/// Advisory, because such a line has no id to answer to: a client that sent broken JSON hears of it.
fn parse_errors_answered(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Session(session) = subject.of else {
        return Look::Skip("not a session".to_owned());
    };
    // Over HTTP the status answers.
    let line = garbage(view, session)
        .find(|line| serde_json::from_str::<serde::de::IgnoredAny>(&line.excerpt).is_err());
    let Some(line) = line.filter(|_| !session.http) else {
        return Look::Skip("every line sent was JSON".to_owned());
    };
    let answered = strays(view, session).any(|stray| stray.seq > line.seq);
    if answered || session.died.is_some() {
        return if answered {
            Look::Fine
        } else {
            Look::Skip("the session ended over it".to_owned())
        };
    }
    let message = "a line that is not JSON is met with silence".to_owned();
    let seq = vec![line.seq];
    let actual = Value::from(&*line.excerpt);
    Look::of(vec![finding_at(subject, seq, "", actual, message, "error -32700 with a null id")])
}

/// An answer to a line that is not JSON says -32700, to JSON that is no message -32600. Silence is
/// no fault: such a line has no id to answer to.
fn parse_error_code(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Session(session) = subject.of else {
        return Look::Skip("not a session".to_owned());
    };
    let sent: Vec<_> = garbage(view, session).collect();
    if sent.is_empty() {
        return Look::Skip("every line sent was a message".to_owned());
    }
    let mut answered = false;
    let findings = strays(view, session).filter_map(|stray| {
        let StrayKind::NoId { error: Some(error) } = &stray.kind else {
            return None;
        };
        let line = sent.iter().rev().find(|sent| sent.seq < stray.seq)?;
        answered = true;
        let found = error.code?;
        // A line longer than its excerpt cannot be told apart any more: both codes will do.
        let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&line.excerpt).is_ok();
        // JSON that is no message may still name a method, and be refused for that.
        let right: &[i64] = if is_json {
            &[code::INVALID_REQUEST, code::METHOD_NOT_FOUND, code::INVALID_PARAMS]
        } else {
            &[code::PARSE_ERROR, code::INVALID_REQUEST]
        };
        if right.contains(&found) {
            return None;
        }
        let (what, expected) = if is_json {
            ("JSON that is no message", "error -32600, invalid request")
        } else {
            ("a line that is not JSON", "error -32700, parse error")
        };
        let message = format!("{what} is refused with {found}");
        let seq = vec![line.seq, stray.seq];
        Some(finding_at(subject, seq, "/error/code", Value::from(found), message, expected))
    });
    let findings: Vec<_> = findings.collect();
    if !answered {
        return Look::Skip("lines that are no messages were met with silence".to_owned());
    }
    Look::of(at_most_told(findings))
}
