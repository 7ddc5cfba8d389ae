//! What is known of one session while its events come in.

use std::collections::{BTreeMap, HashMap};

use serde_json::value::RawValue;

use crate::contract::Session;
use crate::wire::Revision;

/// A request id. Integers, which hallmark's own driver uses, are kept small.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Id {
    /// An integer literal.
    Int(i64),
    /// Any other JSON text, as it was written.
    Text(Box<str>),
}

impl Id {
    /// Reads an id. A null id is none.
    pub fn of(raw: Option<&RawValue>) -> Option<Id> {
        let text = raw?.get();
        if text == "null" {
            return None;
        }
        Some(text.parse().map_or_else(|_| Id::Text(text.into()), Id::Int))
    }

    /// The same id with another type: a number for the string that spells it, and the other way.
    pub fn lookalike(&self) -> Option<Id> {
        match self {
            Id::Int(number) => Some(Id::Text(format!("\"{number}\"").into())),
            Id::Text(text) => {
                let bare = text.trim_matches('"');
                bare.strip_suffix(".0").unwrap_or(bare).parse().ok().map(Id::Int)
            }
        }
    }
}

/// A session with its requests.
#[derive(Debug, Default)]
pub(super) struct SessionState {
    pub facts: Session,
    /// Every request by id: its index.
    ints: HashMap<i64, u32>,
    texts: HashMap<Box<str>, u32>,
    /// Requests without an answer: index and microseconds at which they were sent.
    pub open: BTreeMap<u32, u64>,
}

impl SessionState {
    /// Notes a request.
    pub fn sent(&mut self, id: Id, index: u32, t_us: u64) {
        match id {
            Id::Int(number) => self.ints.insert(number, index),
            Id::Text(text) => self.texts.insert(text, index),
        };
        self.open.insert(index, t_us);
    }

    /// The request of an id, answered or not.
    pub fn request(&self, id: &Id) -> Option<u32> {
        match id {
            Id::Int(number) => self.ints.get(number),
            Id::Text(text) => self.texts.get(text),
        }
        .copied()
    }

    /// Takes over what a request says about the revision, as long as nothing better is known.
    pub fn suggest_revision(&mut self, revision: Option<Revision>, accepted: bool) {
        if revision.is_some() && !self.facts.agreed && (accepted || self.facts.revision.is_none()) {
            self.facts.revision = revision;
            self.facts.agreed = accepted;
        }
    }

    /// Takes over what a handshake agreed: it overrules every request before it.
    pub fn agree_revision(&mut self, revision: Option<Revision>) {
        self.facts.revision = revision.or(self.facts.revision);
        self.facts.agreed = true;
    }
}
