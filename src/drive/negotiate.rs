//! Agreeing on a revision: the newest first, the handshake when that fails.

use std::time::Duration;

use serde_json::{Value, json};

use super::framing::client_info;
use super::{Agreement, Dialer, OpenError, Progress, Reply, Session};
use crate::capture::{Step, Transport};
use crate::contract::Answer;
use crate::target::TargetSpec;
use crate::wire::{Revision, code};

const DISCOVER: &str = "server/discover";
const INITIALIZE: &str = "initialize";
/// What the handshake offers unless another revision is forced.
const HANDSHAKE: Revision = Revision::V2025_11_25;

/// Opens a session in the revision that is forced, or known from an earlier session of the run, or
/// found out.
pub(super) async fn open<'d>(
    dialer: &'d Dialer<'d>,
    spec: &TargetSpec,
    step: &Step,
) -> Result<Session<'d>, OpenError> {
    let at = At { dialer, spec, step, wait: dialer.start_wait() };
    let session = match dialer.forced.or(dialer.known()) {
        Some(revision) if revision.is_stateless() => at.newest_only(revision).await?,
        Some(revision) => at.handshake_afresh(revision).await?,
        None => at.find_out().await?,
    };
    dialer.know(session.revision());
    let server = server_name(&session.agreement().result);
    let (number, revision) = (session.number(), session.revision());
    (dialer.progress)(Progress::Opened { session: number, revision, server });
    Ok(session)
}

/// What opening needs at every turn.
#[derive(Clone, Copy)]
struct At<'d, 'a> {
    dialer: &'d Dialer<'d>,
    spec: &'a TargetSpec,
    step: &'a Step,
    /// Longest wait for the first answer of a fresh start.
    wait: Duration,
}

/// What the answer to the first `server/discover` says about the next move.
enum Move {
    /// The target speaks the newest revision.
    Stay,
    /// It may speak the handshake on this very link.
    Handshake,
    /// It must be started afresh for the handshake.
    Afresh,
    /// Nothing more can be done.
    GiveUp(OpenError),
}

impl<'d> At<'d, '_> {
    /// Tries `server/discover`, then the handshake. A handshake-era server may refuse the former,
    /// stay silent, or die of it; a server that speaks both eras may have fixed its era by then.
    async fn find_out(self) -> Result<Session<'d>, OpenError> {
        let newest = Revision::V2026_07_28;
        let mut session = Session::fresh(self.dialer, self.spec, newest, self.step)?;
        let reply = self.discover(&mut session, self.dialer.limits.probe).await;
        let silent = matches!(reply.answer, Answer::Unanswered) && reply.status.is_none();
        match self.next_move(&reply) {
            Move::Stay => {
                session.agree(agreement(newest, &reply));
                Ok(session)
            }
            Move::GiveUp(error) => {
                session.end(self.step).await;
                Err(error)
            }
            Move::Handshake => match self.handshake(session, HANDSHAKE).await {
                Err(OpenError::Died { .. } | OpenError::Refused { status: None, .. })
                    if self.spec.transport() == Transport::Stdio =>
                {
                    self.handshake_afresh(HANDSHAKE).await
                }
                done => done,
            },
            Move::Afresh => {
                session.end(self.step).await;
                match self.shortened(silent).handshake_afresh(HANDSHAKE).await {
                    // It was only slow, and the handshake is what it does not know.
                    Err(OpenError::Refused { .. }) if silent => self.newest_only(newest).await,
                    done => done,
                }
            }
        }
    }

    /// What is left of the wait once the first start was silent: a target that answers nothing is
    /// given up after one cold start, not after two.
    fn shortened(self, silent: bool) -> Self {
        let probe = self.dialer.limits.probe;
        let left = if silent { self.wait.saturating_sub(probe).max(probe) } else { self.wait };
        At { wait: left, ..self }
    }

    fn next_move(self, reply: &Reply) -> Move {
        let stdio = self.spec.transport() == Transport::Stdio;
        match &reply.answer {
            Answer::Result(result) => {
                let listed = versions(result.get("supportedVersions"));
                let older = listed.iter().any(|version| {
                    version.parse::<Revision>().is_ok_and(|revision| !revision.is_stateless())
                });
                let newest = listed.iter().any(|v| v == Revision::V2026_07_28.as_str());
                // A faulty list is for the judge; the answer itself shows the era.
                if older && !newest { Move::Afresh } else { Move::Stay }
            }
            Answer::Error(error) if error.code == Some(code::METHOD_NOT_FOUND) => Move::Handshake,
            Answer::Error(_) if stdio => Move::Afresh,
            Answer::Error(_) => self.unless_forbidden(reply, Move::Handshake),
            Answer::Died if stdio => Move::Afresh,
            Answer::Died => Move::GiveUp(self.error(DISCOVER, reply)),
            Answer::Unanswered | Answer::Truncated if stdio => Move::Afresh,
            Answer::Unanswered | Answer::Truncated => self.unless_forbidden(reply, Move::Handshake),
        }
    }

    /// A missing credential is not cured by another revision.
    fn unless_forbidden(self, reply: &Reply, otherwise: Move) -> Move {
        match reply.status {
            Some(401 | 403) => Move::GiveUp(self.error(DISCOVER, reply)),
            _ => otherwise,
        }
    }

    async fn newest_only(self, revision: Revision) -> Result<Session<'d>, OpenError> {
        let mut session = Session::fresh(self.dialer, self.spec, revision, self.step)?;
        let reply = self.discover(&mut session, self.wait).await;
        let error = match &reply.answer {
            Answer::Result(result) => {
                let listed = versions(result.get("supportedVersions"));
                if listed.is_empty() || listed.iter().any(|version| version == revision.as_str()) {
                    session.agree(agreement(revision, &reply));
                    return Ok(session);
                }
                OpenError::Revision { asked: revision, offered: listed.join(", ") }
            }
            Answer::Error(error) if error.code == Some(code::UNSUPPORTED_VERSION) => {
                let offered = versions(error.data.get("supported")).join(", ");
                OpenError::Revision { asked: revision, offered }
            }
            _ => self.error(DISCOVER, &reply),
        };
        session.end(self.step).await;
        Err(error)
    }

    async fn handshake_afresh(self, revision: Revision) -> Result<Session<'d>, OpenError> {
        let session = Session::fresh(self.dialer, self.spec, revision, self.step)?;
        self.handshake(session, revision).await
    }

    async fn handshake(
        self,
        mut session: Session<'d>,
        asked: Revision,
    ) -> Result<Session<'d>, OpenError> {
        session.agree(Agreement { revision: asked, result: Value::Null, seq: 0 });
        let params = json!({
            "protocolVersion": asked.as_str(),
            "capabilities": {},
            "clientInfo": client_info(),
        });
        let reply = session.request_within(self.step, INITIALIZE, params, self.wait).await;
        let Some(result) = reply.result() else {
            session.end(self.step).await;
            return Err(self.error(INITIALIZE, &reply));
        };
        let offered = result.get("protocolVersion").and_then(Value::as_str).unwrap_or("");
        // An absurd offer is for the judge; the session goes on as it was asked for.
        let revision = match offered.parse::<Revision>() {
            Ok(revision) if !revision.is_stateless() => revision,
            _ => asked,
        };
        if self.dialer.forced.is_some_and(|forced| forced.as_str() != offered) {
            session.end(self.step).await;
            return Err(OpenError::Revision { asked, offered: offered.to_owned() });
        }
        session.agree(agreement(revision, &reply));
        session.notify(self.step, "notifications/initialized", Value::Null).await;
        session.listen(self.step).await;
        Ok(session)
    }

    async fn discover(self, session: &mut Session<'d>, wait: Duration) -> Reply {
        session.request_within(self.step, DISCOVER, json!({}), wait).await
    }

    fn error(self, method: &'static str, reply: &Reply) -> OpenError {
        let status = reply.status;
        let detail = reply.detail.clone().unwrap_or_default();
        match (&reply.answer, status) {
            (Answer::Died, _) => {
                let (stderr, transport) = (self.dialer.stderr(), self.spec.transport());
                OpenError::Died { detail, stderr, transport }
            }
            (Answer::Error(error), _) => {
                let code = error.code.map_or_else(|| "no code".to_owned(), |code| code.to_string());
                OpenError::Refused { method, reason: format!("{} ({code})", error.message), status }
            }
            (_, Some(_)) => OpenError::Refused { method, reason: detail, status },
            _ => OpenError::Silent { method, detail },
        }
    }
}

fn agreement(revision: Revision, reply: &Reply) -> Agreement {
    let result = reply.result().cloned().unwrap_or(Value::Null);
    Agreement { revision, result, seq: reply.answer_seq.unwrap_or(reply.seq) }
}

fn versions(list: Option<&Value>) -> Vec<String> {
    let listed = list.and_then(Value::as_array).into_iter().flatten();
    listed.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The name in the server's own words, of either era; empty when it says none.
fn server_name(result: &Value) -> &str {
    result
        .pointer("/_meta/io.modelcontextprotocol~1serverInfo/name")
        .or_else(|| result.pointer("/serverInfo/name"))
        .and_then(Value::as_str)
        .unwrap_or("")
}
