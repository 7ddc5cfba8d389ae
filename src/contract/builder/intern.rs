//! Holding equal things once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::capture::Step;
use crate::contract::RpcError;
use crate::wire;

/// Longest excerpt of a stray, in characters.
const EXCERPT: usize = 300;

/// A JSON text as value, with the keys that it repeats (pointers within it).
#[derive(Debug, Clone)]
pub(super) struct Payload<T> {
    pub value: Arc<T>,
    pub repeated: Arc<[String]>,
}

/// Everything that is held once. Keys are the JSON texts themselves rather than their hashes, so
/// that no target can make two payloads pass for each other.
#[derive(Debug, Default)]
pub(super) struct Interner {
    values: HashMap<Box<str>, Payload<Value>>,
    errors: HashMap<Box<str>, Payload<RpcError>>,
    texts: HashMap<Box<str>, Arc<str>>,
    steps: HashMap<Step, Arc<Step>>,
    headers: HashMap<BTreeMap<String, String>, Arc<BTreeMap<String, String>>>,
    last_step: Option<Arc<Step>>,
}

impl Interner {
    /// The value of a JSON text, or why it has none.
    pub fn value(&mut self, raw: &RawValue) -> Result<Payload<Value>, String> {
        let text = raw.get();
        if let Some(known) = self.values.get(text) {
            return Ok(known.clone());
        }
        let parsed = wire::parse_value(text).map_err(|error| error.to_string())?;
        let payload = Payload { value: Arc::new(parsed.value), repeated: parsed.repeated.into() };
        self.values.insert(text.into(), payload.clone());
        Ok(payload)
    }

    /// The error member of a response, or why it cannot be read.
    pub fn error(&mut self, raw: &RawValue) -> Result<Payload<RpcError>, String> {
        let text = raw.get();
        if let Some(known) = self.errors.get(text) {
            return Ok(known.clone());
        }
        let parsed = wire::parse_value(text).map_err(|error| error.to_string())?;
        let payload = Payload {
            value: Arc::new(RpcError::from_value(parsed.value)),
            repeated: parsed.repeated.into(),
        };
        self.errors.insert(text.into(), payload.clone());
        Ok(payload)
    }

    /// A short text.
    pub fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let shared: Arc<str> = text.into();
        self.texts.insert(text.into(), shared.clone());
        shared
    }

    /// The beginning of a long text.
    pub fn excerpt(&mut self, text: &str) -> Arc<str> {
        let end = text.char_indices().nth(EXCERPT).map_or(text.len(), |(end, _)| end);
        self.text(&text[..end])
    }

    /// A step. Neighbouring events mostly share theirs.
    pub fn step(&mut self, step: Option<&Step>) -> Option<Arc<Step>> {
        let step = step?;
        if let Some(last) = self.last_step.as_ref().filter(|last| ***last == *step) {
            return Some(last.clone());
        }
        let shared = match self.steps.get(step) {
            Some(known) => known.clone(),
            None => {
                let shared = Arc::new(step.clone());
                self.steps.insert(step.clone(), shared.clone());
                shared
            }
        };
        self.last_step = Some(shared.clone());
        Some(shared)
    }

    /// Headers.
    pub fn headers(
        &mut self,
        headers: Option<&BTreeMap<String, String>>,
    ) -> Arc<BTreeMap<String, String>> {
        let Some(headers) = headers else {
            return Arc::default();
        };
        if let Some(known) = self.headers.get(headers) {
            return known.clone();
        }
        let shared = Arc::new(headers.clone());
        self.headers.insert(headers.clone(), shared.clone());
        shared
    }
}
