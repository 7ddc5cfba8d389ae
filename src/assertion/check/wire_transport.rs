//! W5: the transport is clean.

use serde_json::Value;

use super::wire_facts::{agreed, at_most_told, finding_at, revision_of, strays};
use super::{Builtin, Look, View};
use crate::assertion::{Of, Subject};
use crate::contract::{Exchange, HttpExchange, HttpHead, StrayKind};
use crate::score::Finding;
use crate::wire::{Revision, code};

/// The checks of this family.
pub(super) const CHECKS: &[(&str, Builtin)] = &[
    ("stdout-clean", stdout_clean),
    ("stdout-without-blanks", stdout_without_blanks),
    ("http-status", http_status),
    ("http-content-type", http_content_type),
    ("http-notification-accepted", http_notification_accepted),
    ("http-headers-enforced", http_headers_enforced),
    ("http-no-session", http_no_session),
];

/// Standard output carries messages and nothing else (rule 1.stdout).
fn stdout_clean(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Session(session) = subject.of else {
        return Look::Skip("not a session".to_owned());
    };
    if session.http {
        return Look::Inapplicable("the session runs over HTTP".to_owned());
    }
    let findings = strays(view, session).filter_map(|stray| {
        let what = match stray.kind {
            StrayKind::NotJson => "a line that is not JSON",
            StrayKind::NotMessage => "JSON that is no JSON-RPC message",
            _ => return None,
        };
        let message = format!("standard output carries {what}");
        let actual = Value::from(&*stray.excerpt);
        let expected = "JSON-RPC messages alone; talk belongs on standard error";
        Some(finding_at(subject, vec![stray.seq], "", actual, message, expected))
    });
    let findings: Vec<_> = findings.collect();
    let mut calls = view.contract.exchanges_of(session.number);
    if findings.is_empty() && !calls.any(|exchange| &*exchange.method == "tools/call") {
        return Look::Skip("no tool was called in the session".to_owned());
    }
    Look::of(at_most_told(findings))
}

/// Blank lines and byte-order marks hurt only strict parsers.
fn stdout_without_blanks(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let Of::Session(session) = subject.of else {
        return Look::Skip("not a session".to_owned());
    };
    if session.http {
        return Look::Inapplicable("the session runs over HTTP".to_owned());
    }
    let findings =
        strays(view, session).filter(|stray| stray.kind == StrayKind::Blank).map(|stray| {
            let message = "a blank line or a byte-order mark on standard output".to_owned();
            let actual = Value::from(&*stray.excerpt);
            finding_at(subject, vec![stray.seq], "", actual, message, "one message a line")
        });
    Look::of(at_most_told(findings.collect()))
}

/// A POST with its final response head and the request in its body, if there was one.
struct Post<'a> {
    http: &'a HttpExchange,
    response: &'a HttpHead,
    status: u16,
    request: Option<&'a Exchange>,
    revision: Option<Revision>,
}

impl<'a> Post<'a> {
    fn of(view: &View<'a>, subject: &Subject<'a>) -> Result<Post<'a>, Look> {
        let Of::Http(http) = subject.of else {
            return Err(Look::Skip("not an HTTP exchange".to_owned()));
        };
        if !http.request.method.eq_ignore_ascii_case("POST") {
            return Err(Look::Skip("not a POST".to_owned()));
        }
        let answered = http.responses.last().and_then(|head| Some((head, head.status?)));
        let Some((response, status)) = answered else {
            return Err(Look::Skip("no response head".to_owned()));
        };
        if matches!(status, 401 | 403 | 407 | 429) || status >= 500 && status != 501 {
            // Credentials, quotas and gateways are another matter than the shape of the protocol.
            return Err(Look::Skip(format!("refused with {status}")));
        }
        let request = request_of(view, http);
        let revision = match request {
            Some(exchange) => revision_of(view, exchange),
            None => agreed(view, http.session),
        };
        Ok(Post { http, response, status, request, revision })
    }

    fn header<'h>(head: &'h HttpHead, name: &str) -> Option<&'h str> {
        head.headers.get(name).map(|value| value.trim())
    }

    /// Whether something in front of the server may have answered: the body is no message, or the
    /// `Server` header is another than that of the session's first response.
    fn is_of_a_gateway(&self, view: &View<'_>) -> bool {
        let kind = Post::header(self.response, "content-type").unwrap_or_default();
        let is_message = kind.contains("json") || kind.starts_with("text/event-stream");
        let first = view.contract.http_in(self.http.session).find_map(|http| http.responses.last());
        let server = first.and_then(|head| Post::header(head, "server"));
        !is_message || server != Post::header(self.response, "server")
    }

    fn fault(&self, subject: &Subject<'_>, message: String, expected: &str) -> Finding {
        let seq = vec![self.http.request.seq, self.response.seq];
        finding_at(subject, seq, "/status", Value::from(self.status), message, expected)
    }
}

/// The request that an HTTP exchange carried: its message follows the head at once, so a few
/// neighbours are enough to find it.
fn request_of<'a>(view: &View<'a>, http: &HttpExchange) -> Option<&'a Exchange> {
    let exchanges = &view.contract.exchanges;
    let after = exchanges.partition_point(|exchange| exchange.seq < http.request.seq);
    exchanges[after..]
        .iter()
        .take(8)
        .find(|exchange| exchange.session == http.session && exchange.http == Some(http.number))
}

/// Results come with 200; where 2026-07-28 binds the status of an error, that status.
fn http_status(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let post = match Post::of(view, subject) {
        Ok(post) => post,
        Err(look) => return look,
    };
    let Some(request) = post.request else {
        return Look::Skip("no request in the body".to_owned());
    };
    let method = &request.method;
    if request.result().is_some() {
        if post.status == 200 {
            return Look::Fine;
        }
        let message = format!("the result of {method} comes with status {}", post.status);
        return Look::Faulty(vec![post.fault(subject, message, "status 200")]);
    }
    let Some(found) = request.error().and_then(|error| error.code) else {
        return Look::Skip("no answer in the response".to_owned());
    };
    if !post.revision.is_some_and(Revision::is_stateless) {
        return Look::Skip("before 2026-07-28 no status is bound to an error".to_owned());
    }
    let bound = match found {
        code::METHOD_NOT_FOUND => 404,
        code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_VERSION => 400,
        _ => return Look::Skip("no status is bound to the code".to_owned()),
    };
    if post.status == bound {
        return Look::Fine;
    }
    let message = format!("error {found} of {method} comes with status {}", post.status);
    Look::Faulty(vec![post.fault(subject, message, &format!("status {bound}"))])
}

/// Requests are answered as one JSON object or as an event stream.
fn http_content_type(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let post = match Post::of(view, subject) {
        Ok(post) => post,
        Err(look) => return look,
    };
    let Some(request) = post.request.filter(|_| post.status == 200) else {
        return Look::Skip("no request answered with 200".to_owned());
    };
    let found = Post::header(post.response, "content-type").unwrap_or_default();
    let kind = found.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if matches!(&*kind, "application/json" | "text/event-stream") {
        return Look::Fine;
    }
    let message = if found.is_empty() {
        format!("the response to {} has no content type", request.method)
    } else {
        format!("the response to {} has content type {found:?}", request.method)
    };
    let seq = vec![post.http.request.seq, post.response.seq];
    let expected = "application/json or text/event-stream";
    let pointer = "/headers/content-type";
    let actual = if found.is_empty() { Value::Null } else { Value::from(found) };
    Look::Faulty(vec![finding_at(subject, seq, pointer, actual, message, expected)])
}

/// A notification that is accepted gets 202.
fn http_notification_accepted(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let post = match Post::of(view, subject) {
        Ok(post) => post,
        Err(look) => return look,
    };
    let head = post.http.request.seq;
    let next_is_garbage = view
        .contract
        .garbage
        .iter()
        .any(|sent| sent.session == post.http.session && (head..head + 8).contains(&sent.seq));
    if post.request.is_some() || next_is_garbage {
        return Look::Skip("no notification in the body".to_owned());
    }
    if !(200..300).contains(&post.status) {
        return Look::Skip("the notification was not accepted".to_owned());
    }
    if post.status == 202 {
        return Look::Fine;
    }
    let message = format!("an accepted notification is answered with status {}", post.status);
    Look::Faulty(vec![post.fault(subject, message, "status 202 without a body")])
}

/// 2026-07-28: a request whose routing headers are missing or disagree with its body is refused
/// with 400 and -32020 (rule 1.transport). Judged on the requests that were sent so.
fn http_headers_enforced(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let post = match Post::of(view, subject) {
        Ok(post) => post,
        Err(look) => return look,
    };
    let Some(request) = post.request else {
        return Look::Skip("no request in the body".to_owned());
    };
    if !agreed(view, post.http.session).is_some_and(Revision::is_stateless) {
        return Look::Skip("no request of the stateless era".to_owned());
    }
    let Some(stated) = request.stated_revision().filter(|revision| revision.is_stateless()) else {
        return Look::Skip("the body names no known revision".to_owned());
    };
    let Some(wrong) = wrong_header(&post.http.request, request, stated) else {
        return Look::Skip("its headers agree with its body".to_owned());
    };
    if post.is_of_a_gateway(view) {
        return Look::Skip("a gateway in front of the server may have answered".to_owned());
    }
    let found = request.error().and_then(|error| error.code);
    if post.status == 400 && found == Some(code::HEADER_MISMATCH) {
        return Look::Fine;
    }
    let answer = match found {
        Some(found) => format!("error {found}"),
        None if request.result().is_some() => "a result".to_owned(),
        None => "no JSON-RPC error".to_owned(),
    };
    let message = format!(
        "a {} whose {wrong} is answered with status {} and {answer}",
        request.method, post.status
    );
    Look::Faulty(vec![post.fault(subject, message, "status 400 and error -32020")])
}

/// Whether a request must be refused for its routing headers, whatever else it asks.
pub(super) fn has_wrong_headers(view: &View<'_>, exchange: &Exchange) -> bool {
    let Some(stated) = exchange.stated_revision().filter(|revision| revision.is_stateless()) else {
        return false;
    };
    let http = view.contract.http_of(exchange);
    http.is_some_and(|http| wrong_header(&http.request, exchange, stated).is_some())
}

/// What is wrong with the routing headers of a request. Encoded values are left alone.
fn wrong_header(head: &HttpHead, request: &Exchange, stated: Revision) -> Option<String> {
    if head.headers.is_empty() {
        return None; // The capture keeps none: nothing can be said.
    }
    let name = match &*request.method {
        "tools/call" | "prompts/get" => request.params.get("name").and_then(Value::as_str),
        "resources/read" => request.params.get("uri").and_then(Value::as_str),
        _ => None,
    };
    let expected = [
        ("mcp-protocol-version", Some(stated.as_str())),
        ("mcp-method", Some(&*request.method)),
        ("mcp-name", name),
    ];
    expected.into_iter().find_map(|(header, value)| {
        let value = value?;
        match Post::header(head, header) {
            // A server with clients older than 2025-06-18 may take the request for one of theirs.
            None if header == "mcp-protocol-version" => None,
            None => Some(format!("header {header} is missing")),
            Some(found) if found.starts_with("=?base64?") || found == value.trim() => None,
            Some(found) => Some(format!("header {header} says {found:?}")),
        }
    })
}

/// 2026-07-28 has no sessions: a server that serves it mints no session ids.
fn http_no_session(view: &View<'_>, subject: &Subject<'_>) -> Look {
    let post = match Post::of(view, subject) {
        Ok(post) => post,
        Err(look) => return look,
    };
    let Some(request) = post.request.filter(|request| request.result().is_some()) else {
        return Look::Skip("no request answered by a result".to_owned());
    };
    if !post.revision.is_some_and(Revision::is_stateless) {
        return Look::Inapplicable("sessions exist before 2026-07-28".to_owned());
    }
    match Post::header(post.response, "mcp-session-id") {
        None => Look::Fine,
        Some(id) => {
            let message = format!("the response to {} carries a session id", request.method);
            let seq = vec![post.http.request.seq, post.response.seq];
            let pointer = "/headers/mcp-session-id";
            let expected = "no session id: the era is stateless";
            Look::Faulty(vec![finding_at(
                subject,
                seq,
                pointer,
                Value::from(id),
                message,
                expected,
            )])
        }
    }
}
