//! Where the things of a contract are, by what they are asked for.
//!
//! Owns nothing but positions. Each table is made when it is first asked for and never again, so
//! that every look-up costs the same however large the contract is.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{Answer, Contract, Exchange};

/// The tables of one contract. What they point into must not change once they are made.
#[derive(Debug, Clone, Default)]
pub struct Index {
    tools: OnceLock<HashMap<Box<str>, usize>>,
    calls: OnceLock<Vec<Vec<usize>>>,
    http: OnceLock<HashMap<(u32, u64), usize>>,
    sessions: OnceLock<HashMap<u32, Within>>,
    alike: OnceLock<Vec<u32>>,
}

/// Positions of what belongs to one session, in capture order.
#[derive(Debug, Clone, Default)]
pub(super) struct Within {
    pub exchanges: Vec<usize>,
    pub strays: Vec<usize>,
    pub http: Vec<usize>,
}

impl Index {
    /// The first tool of a name.
    pub(super) fn tool(&self, contract: &Contract, name: &str) -> Option<usize> {
        let tools = self.tools.get_or_init(|| {
            let mut tools = HashMap::with_capacity(contract.tools.len());
            for (at, tool) in contract.tools.iter().enumerate() {
                tools.entry(tool.name.as_str().into()).or_insert(at);
            }
            tools
        });
        tools.get(name).copied()
    }

    /// The calls of every tool, by the position of the first tool of that name.
    pub(super) fn calls(&self, contract: &Contract, tool: usize) -> &[usize] {
        let calls = self.calls.get_or_init(|| {
            let mut calls = vec![Vec::new(); contract.tools.len()];
            for (at, exchange) in contract.exchanges.iter().enumerate() {
                if let Some(tool) = exchange.called().and_then(|name| self.tool(contract, name)) {
                    calls[tool].push(at);
                }
            }
            calls
        });
        &calls[tool]
    }

    /// The first HTTP exchange of a number within a session.
    pub(super) fn http(&self, contract: &Contract, session: u32, number: u64) -> Option<usize> {
        let http = self.http.get_or_init(|| {
            let mut known = HashMap::with_capacity(contract.http.len());
            for (at, http) in contract.http.iter().enumerate() {
                known.entry((http.session, http.number)).or_insert(at);
            }
            known
        });
        http.get(&(session, number)).copied()
    }

    /// What belongs to a session.
    pub(super) fn within(&self, contract: &Contract, session: u32) -> Option<&Within> {
        let sessions = self.sessions.get_or_init(|| {
            let mut sessions: HashMap<u32, Within> = HashMap::new();
            for (at, exchange) in contract.exchanges.iter().enumerate() {
                sessions.entry(exchange.session).or_default().exchanges.push(at);
            }
            for (at, stray) in contract.strays.iter().enumerate() {
                sessions.entry(stray.session).or_default().strays.push(at);
            }
            for (at, http) in contract.http.iter().enumerate() {
                sessions.entry(http.session).or_default().http.push(at);
            }
            sessions
        });
        sessions.get(&session)
    }

    /// The kind of every exchange: the same number for exchanges that say the same.
    pub(super) fn alike(&self, contract: &Contract) -> &[u32] {
        self.alike.get_or_init(|| {
            let mut kinds = HashMap::new();
            let kind = |exchange| {
                let next = u32::try_from(kinds.len()).expect("fewer exchanges than 2^32");
                *kinds.entry(Said::of(contract, exchange)).or_insert(next)
            };
            contract.exchanges.iter().map(kind).collect()
        })
    }
}

/// What an exchange says, without when it says it: the session with the part of it, the request
/// and the answer. Equal payloads are held once, so that their place in memory stands for them.
#[derive(PartialEq, Eq, Hash)]
struct Said<'a> {
    session: u32,
    /// Before, at or after the introduction of the session: another revision may bind there.
    part: Option<Ordering>,
    method: &'a str,
    params: *const Value,
    answer: (u8, usize),
}

impl<'a> Said<'a> {
    fn of(contract: &Contract, exchange: &'a Exchange) -> Said<'a> {
        let session = contract.session(exchange.session);
        let introduction = session.and_then(|s| contract.exchanges.get(s.introduction?));
        Said {
            session: exchange.session,
            part: introduction.map(|first| exchange.seq.cmp(&first.seq)),
            method: &exchange.method,
            params: Arc::as_ptr(&exchange.params),
            answer: match &exchange.answer {
                Answer::Result(result) => (0, Arc::as_ptr(result).addr()),
                Answer::Error(error) => (1, Arc::as_ptr(error).addr()),
                Answer::Unanswered => (2, 0),
                Answer::Died => (3, 0),
                Answer::Truncated => (4, 0),
            },
        }
    }
}
