//! The compiled message schemas of a revision.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use super::describe::SchemaFault;
use super::load::document;
use crate::wire::Revision;

/// Faults told of one message; a list of a thousand broken tools needs no thousand lines.
const FAULTS_TOLD: usize = 20;

/// What server messages of one revision must look like.
#[derive(Debug)]
pub struct Messages {
    document: Value,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Messages {
    /// The message schemas of a revision, read once in a process.
    pub fn of(revision: Revision) -> &'static Messages {
        static ALL: [LazyLock<Messages>; 5] = [
            LazyLock::new(|| Messages::read(Revision::ALL[0])),
            LazyLock::new(|| Messages::read(Revision::ALL[1])),
            LazyLock::new(|| Messages::read(Revision::ALL[2])),
            LazyLock::new(|| Messages::read(Revision::ALL[3])),
            LazyLock::new(|| Messages::read(Revision::ALL[4])),
        ];
        let position = Revision::ALL.iter().position(|known| *known == revision);
        &ALL[position.expect("every revision is in the table")]
    }

    fn read(revision: Revision) -> Messages {
        Messages { document: document(revision), compiled: Mutex::default() }
    }

    /// Whether the revision defines a result for the method.
    pub fn knows_method(&self, method: &str) -> bool {
        self.document["results"].get(method).is_some()
    }

    /// The result kinds of the revision beside `complete`; empty in the handshake eras.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.document["kinds"].as_object().into_iter().flat_map(|kinds| kinds.keys()).map(|k| &**k)
    }

    /// What is wrong with a result. `open_kinds` says that the server advertises an extension,
    /// which may add result kinds: then a kind of unknown name is held against the rules for
    /// every result alone.
    ///
    /// A method that the revision does not define is held against the rules for every result.
    pub fn result(&self, method: &str, result: &Value, open_kinds: bool) -> Vec<SchemaFault> {
        let own = self.document["results"].get(method).and_then(Value::as_str).unwrap_or("result");
        let kind = result.get("resultType").and_then(Value::as_str).unwrap_or("complete");
        if kind == "complete" || self.document["kinds"] == json!({}) {
            return self.faults(own, result);
        }
        let misplaced = |expected: String| {
            vec![SchemaFault {
                pointer: "/resultType".to_owned(),
                what: format!("is {kind:?}"),
                expected,
            }]
        };
        match self.document["kinds"].get(kind) {
            Some(shape) => {
                let methods = shape["methods"].as_array().map_or(&[][..], Vec::as_slice);
                if !self.knows_method(method) || methods.iter().any(|known| known == method) {
                    let shape = shape["shape"].as_str().expect("every kind names its shape");
                    self.faults(shape, result)
                } else {
                    misplaced(format!("\"complete\": {method} has no results of that kind"))
                }
            }
            None if open_kinds => self.faults("result", result),
            None => {
                let known: Vec<_> = self.kinds().map(|kind| format!("{kind:?}")).collect();
                misplaced(format!("\"complete\", {}", known.join(", ")))
            }
        }
    }

    /// What is wrong with the `params` of a notification from the server (`None` when absent).
    /// `Err` when the revision does not define the notification.
    pub fn notification(
        &self,
        method: &str,
        params: Option<&Value>,
    ) -> Result<Vec<SchemaFault>, UnknownMethod> {
        self.params("notifications", method, params)
    }

    /// What is wrong with the `params` of a request from the server (`None` when absent).
    /// `Err` when the revision does not define the request.
    pub fn request(
        &self,
        method: &str,
        params: Option<&Value>,
    ) -> Result<Vec<SchemaFault>, UnknownMethod> {
        self.params("requests", method, params)
    }

    /// What is wrong with an error object; some codes bind the shape of its `data`.
    pub fn error(&self, error: &Value) -> Vec<SchemaFault> {
        let code = error.get("code").and_then(Value::as_i64).map(|code| code.to_string());
        let bound = code.and_then(|code| self.document["errors"].get(code)?.as_str());
        self.faults(bound.unwrap_or("error"), error)
    }

    fn params(
        &self,
        table: &str,
        method: &str,
        params: Option<&Value>,
    ) -> Result<Vec<SchemaFault>, UnknownMethod> {
        let shape =
            self.document[table].get(method).and_then(Value::as_str).ok_or(UnknownMethod)?;
        static EMPTY: LazyLock<Value> = LazyLock::new(|| json!({}));
        Ok(self.faults(shape, params.unwrap_or(&EMPTY)))
    }

    fn faults(&self, shape: &str, value: &Value) -> Vec<SchemaFault> {
        let validator = self.validator(shape);
        if validator.is_valid(value) {
            return Vec::new();
        }
        let mut faults = Vec::new();
        for error in validator.iter_errors(value) {
            let fault = SchemaFault::of(&error);
            if !faults.contains(&fault) {
                faults.push(fault);
            }
            if faults.len() == FAULTS_TOLD {
                break;
            }
        }
        faults
    }

    /// Gathers a definition and all that it refers to: compiling costs by the size of the document.
    fn reach(&self, shape: &str, definitions: &mut Map<String, Value>) {
        if definitions.contains_key(shape) {
            return;
        }
        let definition = &self.document["$defs"][shape];
        definitions.insert(shape.to_owned(), definition.clone());
        let mut open = vec![definition];
        while let Some(node) = open.pop() {
            match node {
                Value::Object(members) => {
                    if let Some(Value::String(reference)) = members.get("$ref") {
                        let name = reference.trim_start_matches("#/$defs/");
                        self.reach(name, definitions);
                    }
                    open.extend(members.values());
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
    }

    #[cfg(test)]
    pub(super) fn compile_all(&self) {
        for name in self.document["$defs"].as_object().expect("definitions").keys() {
            self.validator(name);
        }
    }

    fn validator(&self, shape: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(validator) = compiled.get(shape) {
            return validator.clone();
        }
        let mut definitions = Map::new();
        self.reach(shape, &mut definitions);
        let schema = json!({ "$ref": format!("#/$defs/{shape}"), "$defs": definitions });
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(false)
            .build(&schema)
            .expect("our own schemas compile; a test compiles all of them");
        let validator = Arc::new(validator);
        compiled.insert(shape.to_owned(), validator.clone());
        validator
    }
}

/// The revision does not define the method in that direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownMethod;
