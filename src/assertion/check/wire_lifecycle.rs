//! W2: the revision's lifecycle is kept.

use serde_json::Value;

use super::wire_facts::{
    META_CAPABILITIES, META_VERSION, agreed, at_most_told, client_capabilities,
    declared_at_opening, finding_at, meta, revision_of, server_capabilities, strays,
};
use super::{Builtin, Look, View, finding};
use crate::assertion::{Of, Subject};
use crate::contract::{Exchange, HttpExchange, Session, StrayKind};
use crate::wire::{Revision, code, key_of_list, offers_only_stateless};

/// The checks of this family that look further than their subject.
pub(super) const CHECKS: &[(&str, Builtin)] = &[
    ("request-meta-required", request_meta_required),
    ("server-requests-declared", server_requests_declared),
];

/// The checks of this family that depend on the values of their subject alone.
pub(super) const OF_VALUES: &[(&str, Builtin)] = &[
    ("discover-answered", discover_answered),
    ("version-honest", version_honest),
    ("capabilities-agree", capabilities_agree),
    ("handshake-capabilities-agree", handshake_capabilities_agree),
    ("interim-results-declared", interim_results_declared),
    ("ping-answered", ping_answered),
];

/// `server/discover` is answered by a result wherever the stateless era is served.
fn discover_answered(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    if &*exchange.method != "server/discover" {
        return Look::Skip("not a discovery".to_owned());
    }
    let serves =
        |session: &Session| session.agreed && session.revision.is_some_and(Revision::is_stateless);
    if !view.contract.sessions.iter().any(serves) {
        return Look::Inapplicable("no request of the stateless era was served".to_owned());
    }
    if shook_hands_before(view, exchange) {
        return Look::Inapplicable("the session had shaken hands by then".to_owned());
    }
    if exchange.stated_revision().is_none_or(|revision| !revision.is_stateless()) {
        return Look::Skip("a probe without a known revision".to_owned());
    }
    let Some(error) = exchange.error() else {
        return if exchange.result().is_some() {
            Look::Fine
        } else {
            Look::Skip("no answer: requests-answered judges that".to_owned())
        };
    };
    let message = format!(
        "server/discover answers error {} though requests of 2026-07-28 are served",
        error.code.map_or_else(|| "without a code".to_owned(), |code| code.to_string())
    );
    Look::Faulty(vec![finding(subject, "", message, "a discover result")])
}

fn shook_hands_before(view: &View<'_>, exchange: &Exchange) -> bool {
    let session = view.contract.session(exchange.session);
    let introduction = session.and_then(|s| view.contract.exchanges.get(s.introduction?));
    introduction.is_some_and(|first| &*first.method == "initialize" && first.seq < exchange.seq)
}

/// No server speaks a revision that does not exist.
fn version_honest(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    if &*exchange.method == "initialize" {
        return handshake_version(subject, exchange);
    }
    let Some(asked) = meta(exchange, META_VERSION).and_then(Value::as_str) else {
        return Look::Skip("names no version".to_owned());
    };
    if !cannot_exist(asked) {
        return Look::Skip("asks for a revision that may exist".to_owned());
    }
    match agreed(view, exchange.session) {
        Some(revision) if revision.is_stateless() => {}
        _ => return Look::Skip("the session is not of the stateless era".to_owned()),
    }
    let expected = format!("error {} with the supported versions", code::UNSUPPORTED_VERSION);
    match (exchange.result(), exchange.error()) {
        (Some(_), _) => {
            let message =
                format!("{} is served under the made-up version {asked:?}", exchange.method);
            Look::Faulty(vec![finding(subject, "", message, expected)])
        }
        (None, Some(error)) if error.code != Some(code::UNSUPPORTED_VERSION) => {
            let found = error.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
            let message = format!("the made-up version {asked:?} is refused with {found}");
            Look::Faulty(vec![finding(subject, "/code", message, expected)])
        }
        (None, Some(_)) => Look::Fine,
        (None, None) => Look::Skip("no answer".to_owned()),
    }
}

/// 2026-07-28: a request that does not say its version and the client's capabilities is malformed.
fn request_meta_required(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    if &*exchange.method == "initialize" || shook_hands_before(view, exchange) {
        return Look::Skip("a request of the handshake eras".to_owned());
    }
    if !agreed(view, exchange.session).is_some_and(Revision::is_stateless) {
        return Look::Skip("the session is not of the stateless era".to_owned());
    }
    let versioned = meta(exchange, META_VERSION).is_some_and(Value::is_string);
    let missing = match (versioned, meta(exchange, META_CAPABILITIES)) {
        (true, Some(_)) => return Look::Skip("says all that it must".to_owned()),
        (true, None) => META_CAPABILITIES,
        (false, _) => META_VERSION,
    };
    let http = view.contract.http_of(exchange);
    if !versioned && !can_only_be_stateless(view, exchange, http) {
        return Look::Skip("a server of both eras may read it either way".to_owned());
    }
    let what = format!("{} without {missing}", exchange.method);
    let expected = "error -32602, invalid params; over HTTP with status 400";
    let status = http.and_then(|http| http.responses.last()?.status);
    match (exchange.error(), exchange.result()) {
        // What the header says has no counterpart in the body: that is a mismatch, too.
        (Some(error), _) if http.is_some() && error.code == Some(code::HEADER_MISMATCH) => {
            Look::Fine
        }
        (Some(error), _) if error.code == Some(code::INVALID_PARAMS) => match status {
            None | Some(400) => Look::Fine,
            Some(status) => {
                let message = format!("{what} is refused with -32602, but with status {status}");
                Look::Faulty(vec![finding(subject, "/code", message, expected)])
            }
        },
        (Some(error), _) => {
            let found = error.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
            let message = format!("{what} is refused with {found}");
            Look::Faulty(vec![finding(subject, "/code", message, expected)])
        }
        (None, Some(_)) => {
            let message = format!("{what} is served");
            Look::Faulty(vec![finding(subject, "", message, expected)])
        }
        (None, None) => Look::Skip("no answer".to_owned()),
    }
}

/// Whether a request without a version is of the stateless era all the same: its header says so,
/// or the server offers no other.
fn can_only_be_stateless(
    view: &View<'_>,
    exchange: &Exchange,
    http: Option<&HttpExchange>,
) -> bool {
    let is_stateless =
        |version: &str| version.parse::<Revision>().is_ok_and(Revision::is_stateless);
    if let Some(http) = http {
        let header = http.request.headers.get("mcp-protocol-version");
        return header.is_some_and(|version| is_stateless(version.trim()));
    }
    let opening = view.contract.session(exchange.session).and_then(|session| {
        view.contract.exchanges.get(session.introduction?)?.result()?.get("supportedVersions")
    });
    offers_only_stateless(opening)
}

fn handshake_version(subject: &Subject<'_>, exchange: &Exchange) -> Look {
    let Some(answered) = exchange.result().and_then(|r| r.get("protocolVersion")?.as_str()) else {
        return Look::Skip("no version was answered".to_owned());
    };
    if !cannot_exist(answered) {
        return Look::Fine;
    }
    let asked = exchange.params.get("protocolVersion").and_then(Value::as_str);
    let message = if asked == Some(answered) {
        format!("initialize agrees to the made-up version {answered:?}")
    } else {
        format!("initialize answers version {answered:?}, which no revision has")
    };
    let expected = "a protocol version that the server implements";
    Look::Faulty(vec![finding(subject, "/protocolVersion", message, expected)])
}

/// Whether a version can be no revision, now or later: it is no date, or a date before the newest
/// known revision on which none was published, or one that is centuries away.
fn cannot_exist(version: &str) -> bool {
    if version.parse::<Revision>().is_ok() || version.starts_with("DRAFT") || version == "draft" {
        return false;
    }
    let is_date = version.len() == 10
        && version.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    !is_date || version < Revision::V2026_07_28.as_str() || version > "2100"
}

/// Stateless era: a capability is advertised exactly when its list is served.
fn capabilities_agree(view: &View<'_>, subject: &Subject<'_>) -> Look {
    capabilities(view, subject, true)
}

/// The same over a handshake, where it is a matter of advice.
fn handshake_capabilities_agree(view: &View<'_>, subject: &Subject<'_>) -> Look {
    capabilities(view, subject, false)
}

fn capabilities(view: &View<'_>, subject: &Subject<'_>, stateless: bool) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let name = match &*exchange.method {
        "tools/list" => "tools",
        "prompts/list" => "prompts",
        "resources/list" => "resources",
        "completion/complete" => "completions",
        _ => return Look::Skip("belongs to no advertised list".to_owned()),
    };
    let Some(revision) = revision_of(view, exchange) else {
        return Look::Skip("no revision was agreed".to_owned());
    };
    if revision.is_stateless() != stateless {
        return Look::Inapplicable("the session is of the other era".to_owned());
    }
    if name == "completions" && revision < Revision::V2025_03_26 {
        return Look::Inapplicable("the revision has no such capability".to_owned());
    }
    let session = view.contract.session(exchange.session);
    let Some(capabilities) = session.and_then(|session| server_capabilities(view, session)) else {
        return Look::Skip("no capabilities were seen".to_owned());
    };
    let is_advertised = capabilities.get(name).is_some();
    let refused = exchange.error().is_some_and(|e| e.code == Some(code::METHOD_NOT_FOUND));
    if is_advertised && refused {
        let message =
            format!("{} is not found though the server advertises {name}", exchange.method);
        let expected = format!("{} served, or {name} not advertised", exchange.method);
        return Look::Faulty(vec![finding(subject, "/code", message, expected)]);
    }
    let served = exchange.result().map_or(0, |result| count(&exchange.method, result));
    if !is_advertised && served > 0 {
        let message = format!(
            "{} gives {served} records though the server does not advertise {name}",
            exchange.method
        );
        let expected = format!("{name} among the advertised capabilities");
        return Look::Faulty(vec![finding(subject, "", message, expected)]);
    }
    Look::Fine
}

fn count(method: &str, result: &Value) -> usize {
    let records = match key_of_list(method) {
        Some((member, _)) => result.get(member),
        None => result.pointer("/completion/values"),
    };
    records.and_then(Value::as_array).map_or(0, Vec::len)
}

/// The server's own requests: none in the stateless era; before, only what the client declared.
fn server_requests_declared(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Session(session) = subject.of else {
        return Look::Skip("not a session".to_owned());
    };
    let Some(revision) = agreed(view, session.number) else {
        return Look::Skip("no revision was agreed".to_owned());
    };
    let declared = declared_at_opening(view, session);
    let findings = strays(view, session).filter_map(|stray| {
        let StrayKind::Request { method, .. } = &stray.kind else {
            return None;
        };
        let (message, expected) = if revision.is_stateless() {
            let expected = "no requests from the server; input is asked for in a result";
            (format!("the server sends a request, {method}"), expected.to_owned())
        } else {
            let needed = needed_capability(method)?;
            if declared.is_some_and(|declared| declared.get(needed).is_some()) {
                return None;
            }
            let message = format!("the server sends {method} to a client without {needed}");
            (message, format!("{method} only to a client that declares {needed}"))
        };
        let actual = Value::from(method.as_str());
        Some(finding_at(subject, vec![stray.seq], "/method", actual, message, expected))
    });
    Look::of(at_most_told(findings.collect()))
}

/// The client capability that a server request needs; `ping` needs none, and what the revision
/// does not define is no matter of declaration.
fn needed_capability(method: &str) -> Option<&'static str> {
    match method {
        "sampling/createMessage" => Some("sampling"),
        "elicitation/create" => Some("elicitation"),
        "roots/list" => Some("roots"),
        _ if method.starts_with("tasks/") => Some("tasks"),
        _ => None,
    }
}

/// Interim results ask only for what this very request declared.
fn interim_results_declared(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    let Some(result) = exchange.result() else {
        return Look::Skip("not answered by a result".to_owned());
    };
    let Some(revision) = revision_of(view, exchange) else {
        return Look::Skip("no revision was agreed".to_owned());
    };
    if !revision.is_stateless() {
        return Look::Inapplicable("results before 2026-07-28 are never interim".to_owned());
    }
    let declared = client_capabilities(view, exchange).unwrap_or(&Value::Null);
    let at = |below: &str| format!("/_meta/{}{below}", META_CAPABILITIES.replace('/', "~1"));
    match result.get("resultType").and_then(Value::as_str) {
        Some("task") => {
            let tasks = declared.pointer("/extensions/io.modelcontextprotocol~1tasks");
            if tasks.is_some() {
                return Look::Fine;
            }
            let message = format!("{} answers a task to a client without tasks", exchange.method);
            let expected = format!("a task only when the request declares {}", at("/extensions"));
            Look::Faulty(vec![finding(subject, "/resultType", message, expected)])
        }
        Some("input_required") => {
            let asked = result.get("inputRequests").and_then(Value::as_object);
            let findings = asked.into_iter().flatten().filter_map(|(key, request)| {
                let method = request.get("method")?.as_str()?;
                let needed = needed_capability(method)?;
                if declared.get(needed).is_some() {
                    return None;
                }
                let message =
                    format!("{} asks for {method} of a client without {needed}", exchange.method);
                let below = format!("/inputRequests/{}", key.replace('~', "~0").replace('/', "~1"));
                let expected = format!("{method} only when the request declares {needed}");
                Some(finding(subject, &below, message, expected))
            });
            Look::of(findings.collect())
        }
        _ => Look::Skip("a complete result".to_owned()),
    }
}

/// `ping` is answered by an empty result wherever it exists.
fn ping_answered(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Exchange(exchange) = subject.of else {
        return Look::Skip("not an exchange".to_owned());
    };
    if &*exchange.method != "ping" {
        return Look::Skip("not a ping".to_owned());
    }
    match revision_of(view, exchange) {
        None => return Look::Skip("no revision was agreed".to_owned()),
        Some(revision) if revision.is_stateless() => {
            return Look::Inapplicable("2026-07-28 has no ping".to_owned());
        }
        Some(_) => {}
    }
    match exchange.error() {
        None => Look::Fine,
        Some(error) => {
            let found = error.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
            let message = format!("ping answers error {found}");
            Look::Faulty(vec![finding(subject, "", message, "an empty result")])
        }
    }
}
