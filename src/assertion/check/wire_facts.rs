//! What the wire checks know about the session around a subject.

use serde_json::Value;

use super::{Look, View};
use crate::assertion::{Of, Subject};
use crate::contract::{Exchange, Session, Stray};
use crate::score::Finding;
use crate::wire::Revision;

/// Key of the protocol version in a 2026-07-28 request's `_meta`.
pub const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Key of the progress token in any request's `_meta`.
pub const META_PROGRESS: &str = "progressToken";
/// Key of the client's capabilities in a 2026-07-28 request's `_meta`.
pub const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Key of the wanted log level in a 2026-07-28 request's `_meta`.
pub const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The revision that an exchange is judged by.
pub fn revision_of(view: &View<'_>, exchange: &Exchange) -> Option<Revision> {
    view.contract.settled_revision(exchange)
}

/// The revision that a session agreed on.
pub fn agreed(view: &View<'_>, session: u32) -> Option<Revision> {
    let session = view.contract.session(session)?;
    session.revision.filter(|_| session.agreed)
}

/// A member of a request's `_meta`.
pub fn meta<'a>(exchange: &'a Exchange, key: &str) -> Option<&'a Value> {
    exchange.params.get("_meta")?.get(key)
}

/// The `capabilities` object that the server gave in a session: in its own discover or initialize
/// result, else (a further session of the same era) in that of the contract.
pub fn server_capabilities<'a>(view: &View<'a>, session: &Session) -> Option<&'a Value> {
    let opening = session.introduction.and_then(|index| view.contract.exchanges.get(index));
    if let Some(capabilities) = opening.and_then(|exchange| exchange.result()?.get("capabilities"))
    {
        return Some(capabilities);
    }
    let stateless = |revision: Option<Revision>| revision.is_some_and(Revision::is_stateless);
    let same_era = stateless(session.revision) && stateless(view.contract.revision);
    let capabilities = &view.contract.identity.capabilities;
    (same_era && capabilities.is_object()).then_some(capabilities)
}

/// The capabilities that the client declared for a request: its own in the stateless era, those of
/// `initialize` before.
pub fn client_capabilities<'a>(view: &View<'a>, exchange: &'a Exchange) -> Option<&'a Value> {
    if let Some(own) = meta(exchange, META_CAPABILITIES) {
        return Some(own);
    }
    let session = view.contract.session(exchange.session)?;
    declared_at_opening(view, session)
}

/// The capabilities that the client declared in `initialize`.
pub fn declared_at_opening<'a>(view: &View<'a>, session: &Session) -> Option<&'a Value> {
    view.contract.exchanges.get(session.introduction?)?.params.get("capabilities")
}

/// Strays of one session.
pub fn strays<'a>(
    view: &View<'a>,
    session: &Session,
) -> impl DoubleEndedIterator<Item = &'a Stray> + use<'a> {
    view.contract.strays_of(session.number)
}

/// A session that the server took part in, or why there is nothing to judge.
pub fn live_session<'a>(view: &View<'_>, subject: &Subject<'a>) -> Result<&'a Session, Look> {
    let Of::Session(session) = subject.of else {
        return Err(Look::Skip("not a session".to_owned()));
    };
    let number = session.number;
    let spoke = view.contract.exchanges_of(number).any(|e| e.answer_seq.is_some())
        || strays(view, session).next().is_some();
    if spoke { Ok(session) } else { Err(Look::Skip("the server said nothing in it".to_owned())) }
}

/// A finding about a message other than the subject's own.
pub fn finding_at(
    subject: &Subject<'_>,
    seq: Vec<u64>,
    pointer: &str,
    actual: Value,
    message: String,
    expected: impl Into<String>,
) -> Finding {
    Finding {
        severity: None,
        subject: subject.name.clone(),
        message,
        seq,
        pointer: pointer.to_owned(),
        actual,
        expected: expected.into(),
    }
}

/// How many findings a check tells of one session; the last one says how many more there were.
pub const FINDINGS_TOLD: usize = 10;

/// Keeps the first findings and says in the last one how many more there were.
pub fn at_most_told(mut findings: Vec<Finding>) -> Vec<Finding> {
    let more = findings.len().saturating_sub(FINDINGS_TOLD);
    findings.truncate(FINDINGS_TOLD);
    if more > 0
        && let Some(last) = findings.last_mut()
    {
        last.message.push_str(&format!(" (and {more} more in this session)"));
    }
    findings
}
