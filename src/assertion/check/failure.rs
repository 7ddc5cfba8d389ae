//! Reading a failure: which carrier, which envelope, what it says. Shared by the checks of A4, A5
//! and A10.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::prose::pattern;
use super::violation::{Violation, violations};
use crate::assertion::{Of, Subject};
use crate::contract::{CallView, Contract, Dialect, Envelope, Exchange, Part};

/// A failure as an agent reads it.
#[derive(Debug, Clone)]
pub struct Failure<'a> {
    /// The contract that it belongs to.
    contract: &'a Contract,
    /// The exchange.
    pub exchange: &'a Exchange,
    /// The call, for `tools/call`.
    pub call: Option<CallView<'a>>,
    /// The envelope, unless it is prose alone.
    pub envelope: Option<Envelope<'a>>,
    /// The first text block, or the message of the JSON-RPC error.
    pub text: &'a str,
}

/// What an error without an envelope has in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Words.
    Prose,
    /// JSON in a text block, of a shape that no dialect has.
    Json,
    /// Structured content of a shape that no dialect has.
    Structured,
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Form::Prose => "prose, without an envelope",
            Form::Json => "JSON text that is no known envelope",
            Form::Structured => "structured content that is no known envelope",
        })
    }
}

impl<'a> Failure<'a> {
    /// Reads a subject that is a failed call or exchange; nothing when it did not fail.
    pub fn of(contract: &'a Contract, subject: &Subject<'a>) -> Option<Failure<'a>> {
        match &subject.of {
            Of::Call(call) => Failure::read(contract, call.exchange),
            Of::Exchange(exchange) => Failure::read(contract, exchange),
            _ => None,
        }
    }

    /// Reads an exchange; nothing when it did not fail.
    pub fn read(contract: &'a Contract, exchange: &'a Exchange) -> Option<Failure<'a>> {
        let call = contract.call(exchange);
        let (envelope, text) = match (exchange.error(), exchange.result()) {
            (Some(error), _) => (Envelope::of_error(error), error.message.as_str()),
            (None, Some(result)) if call.is_some_and(|call| call.is_error_result()) => {
                (Envelope::of_result(result), first_text(result).unwrap_or_default())
            }
            _ => return None,
        };
        let envelope = envelope.filter(|envelope| envelope.dialect != Dialect::Text);
        Some(Failure { contract, exchange, call, envelope, text })
    }

    /// What stands in the place of the envelope that the failure lacks.
    pub fn form(&self) -> Form {
        let is_json = |text: &str| {
            text.trim_start().starts_with('{') && serde_json::from_str::<Value>(text).is_ok()
        };
        match self.structured() {
            Some(_) => Form::Structured,
            None if is_json(self.text) => Form::Json,
            None => Form::Prose,
        }
    }

    /// The beginning of what the failure says, as evidence.
    pub fn said(&self) -> Value {
        match self.structured() {
            Some(structured) => structured.clone(),
            None => self.text.chars().take(200).collect::<String>().into(),
        }
    }

    fn structured(&self) -> Option<&Value> {
        let structured = self.exchange.result()?.get("structuredContent");
        structured.filter(|value| !value.is_null())
    }

    /// The symbolic code.
    pub fn code(&self) -> Option<&str> {
        self.envelope.as_ref()?.code()
    }

    /// A part of the envelope.
    pub fn part(&self, part: Part) -> Option<&Value> {
        self.envelope.as_ref()?.part(part)
    }

    /// The fields that the details name, as they are spelled.
    pub fn fields(&self) -> Vec<Cow<'_, str>> {
        self.envelope.as_ref().map(Envelope::fields).unwrap_or_default()
    }

    /// `repair`, unless it is null.
    pub fn repair(&self) -> Option<&Value> {
        self.part(Part::Repair).filter(|repair| !repair.is_null())
    }

    /// What the arguments of the call break of the published schema.
    pub fn violations(&self) -> Vec<Violation> {
        self.call.as_ref().map(|call| violations(self.contract, call)).unwrap_or_default()
    }

    /// Why the failure says nothing about how the server handles the caller's input: a credential
    /// or a backend is missing, or the budget is used up.
    pub fn environment(&self) -> Option<&'static str> {
        if self.envelope.as_ref().is_some_and(|envelope| envelope.temporary() == Some(true)) {
            return Some("the failure is temporary");
        }
        let said = format!("{} {}", self.code().unwrap_or_default(), self.text);
        if CREDENTIAL.is_match(&said) {
            return Some("a credential is missing in this environment");
        }
        if BACKEND.is_match(&said) {
            return Some("a backend cannot be reached from this environment");
        }
        None
    }

    /// Whether the failure is one of too many requests.
    pub fn is_rate_limit(&self) -> bool {
        static LIMITED: LazyLock<Regex> = LazyLock::new(|| {
            pattern(r"(?i)rate.?limit|throttl|too.?many.?requests|quota.?exceeded")
        });
        self.code().is_some_and(|code| LIMITED.is_match(code))
    }

    /// A finding about a part of the envelope.
    pub fn finding(
        &self,
        subject: &Subject<'_>,
        part: Part,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> crate::score::Finding {
        let pointer = match &self.envelope {
            Some(envelope) => envelope.pointer(part),
            None => subject.pointer.clone(),
        };
        crate::score::Finding {
            severity: None,
            subject: subject.name.clone(),
            message: message.into(),
            seq: self.exchange.seqs(),
            pointer,
            actual: self.part(part).cloned().unwrap_or(Value::Null),
            expected: expected.into(),
        }
    }
}

static CREDENTIAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(api[ _-]?key|credentials?|access[ _-]?token|authenticat\w*|unauthori[sz]ed|forbidden|not logged in|log ?in required|permission denied|missing_credential|invalid_credential|insufficient_scope|40[13])\b|_credential|_scope\b|environment variable",
    )
});
static BACKEND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|EHOSTUNREACH|fetch failed|connection (refused|error|failed|reset|timed out)|could not connect|unable to connect|failed to connect|cannot connect|not connected|getaddrinfo|name resolution|network (error|is unreachable)|proxy|timed? ?out|unreachable|no such host|dns|socket|not installed|command not found|ENOENT|no browser|could not find chrome|EACCES|executable",
    )
});

/// The first text block of a result.
pub fn first_text(result: &Value) -> Option<&str> {
    let blocks = result.get("content")?.as_array()?;
    blocks.iter().find_map(|block| block.get("text")?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_told_from_the_input() {
        for text in [
            "Error: API key is required",
            "connect ECONNREFUSED 127.0.0.1:80",
            "HTTP 401",
            "fetch failed",
        ] {
            assert!(CREDENTIAL.is_match(text) || BACKEND.is_match(text), "{text}");
        }
        for text in ["Invalid arguments for tool x: owner Required", "issue 42 not found"] {
            assert!(!CREDENTIAL.is_match(text) && !BACKEND.is_match(text), "{text}");
        }
    }
}
