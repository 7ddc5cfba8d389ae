//! How an operation fails. Owns the symbolic codes and what each failure carries; refuses to know
//! on which carrier it travels. Invariant: free-form text of a caller never enters a message, a
//! reason or a value; it is repeated only inside the arguments of a repair of the caller's own call.

use serde_json::{Map, Value};

/// The stable symbols that callers branch on (rule `6.symbolic-codes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// An argument breaks the published schema or a rule between arguments.
    InvalidField,
    /// No such issue number in the repository.
    IssueNotFound,
    /// No such repository, or not visible to the credential.
    RepoNotFound,
    /// A label to apply does not exist in the repository.
    LabelNotFound,
    /// The conversation is locked.
    IssueLocked,
    /// The issue is no longer at the version that the caller read.
    VersionConflict,
    /// The cursor outlived its time.
    CursorExpired,
    /// The upstream asks to slow down.
    RateLimited,
    /// No upstream credential is configured.
    MissingCredential,
    /// The upstream rejected the credential.
    InvalidCredential,
    /// The credential may not do this.
    InsufficientScope,
    /// The upstream does not answer.
    UpstreamUnavailable,
}

impl Code {
    /// All twelve, in the order of the published catalog.
    pub const ALL: [Code; 12] = [
        Code::InvalidField,
        Code::IssueNotFound,
        Code::RepoNotFound,
        Code::LabelNotFound,
        Code::IssueLocked,
        Code::VersionConflict,
        Code::CursorExpired,
        Code::RateLimited,
        Code::MissingCredential,
        Code::InvalidCredential,
        Code::InsufficientScope,
        Code::UpstreamUnavailable,
    ];

    /// The symbol on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::InvalidField => "invalid_field",
            Code::IssueNotFound => "issue_not_found",
            Code::RepoNotFound => "repo_not_found",
            Code::LabelNotFound => "label_not_found",
            Code::IssueLocked => "issue_locked",
            Code::VersionConflict => "version_conflict",
            Code::CursorExpired => "cursor_expired",
            Code::RateLimited => "rate_limited",
            Code::MissingCredential => "missing_credential",
            Code::InvalidCredential => "invalid_credential",
            Code::InsufficientScope => "insufficient_scope",
            Code::UpstreamUnavailable => "upstream_unavailable",
        }
    }

    /// Whether the identical call can work later (rule `6.retryability`).
    pub fn temporary(self) -> bool {
        matches!(self, Code::RateLimited | Code::UpstreamUnavailable)
    }
}

/// Why an operation did not happen, and the way on. A member that does not apply is empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The symbol to branch on.
    pub code: Code,
    /// One sentence for people.
    pub message: String,
    /// The published parameter at fault; for an array, the array.
    pub field: Option<String>,
    /// Further published parameters at fault: a contradiction lies between several.
    pub with: Vec<String>,
    /// The offending value, only when it is surely safe to repeat: a token that this server minted,
    /// a published enum member or a number (rule `6.offending-value`).
    pub value: Option<Value>,
    /// What is wrong with the field, or the facts behind the failure.
    pub reason: Option<String>,
    /// What the field accepts, when that can be listed.
    pub allowed: Vec<String>,
    /// The scopes that the credential lacks.
    pub required_scopes: Vec<String>,
    /// When to repeat the call, in milliseconds; only for temporary failures.
    pub retry_after_ms: Option<u64>,
    /// What is left of the rate budget.
    pub rate_limit_remaining: Option<u64>,
    /// The corrective call, when there is one.
    pub repair: Option<Repair>,
}

/// A call that can be sent exactly as written (rules `6.repair-object`, `6.repair-callable`).
#[derive(Debug, Clone, PartialEq)]
pub struct Repair {
    /// Symbol of the step, such as `unlock_then_retry`.
    pub next_step: &'static str,
    /// Name of the tool to call.
    pub tool: &'static str,
    /// Its arguments, literal and valid.
    pub arguments: Map<String, Value>,
    /// One sentence on what else can be done.
    pub alternative: Option<String>,
}

impl Failure {
    /// A failure with nothing but a code and a sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
            field: None,
            with: Vec::new(),
            value: None,
            reason: None,
            allowed: Vec::new(),
            required_scopes: Vec::new(),
            retry_after_ms: None,
            rate_limit_remaining: None,
            repair: None,
        }
    }

    pub(super) fn at(mut self, field: &str, reason: impl Into<String>) -> Failure {
        self.field = Some(field.to_owned());
        self.reason = Some(reason.into());
        self
    }

    pub(super) fn along_with(mut self, fields: &[&str]) -> Failure {
        self.with.extend(fields.iter().map(|field| (*field).to_owned()));
        self
    }

    pub(super) fn because(mut self, reason: impl Into<String>) -> Failure {
        self.reason = Some(reason.into());
        self
    }

    pub(super) fn value(mut self, value: impl Into<Value>) -> Failure {
        self.value = Some(value.into());
        self
    }

    pub(super) fn allow(mut self, allowed: Vec<String>) -> Failure {
        self.allowed = allowed;
        self
    }

    pub(super) fn repair(mut self, repair: Repair) -> Failure {
        self.repair = Some(repair);
        self
    }
}

/// A broken store looks to callers like a broken upstream; its text stays inside.
impl From<rusqlite::Error> for Failure {
    fn from(_: rusqlite::Error) -> Failure {
        Failure::upstream_unavailable()
    }
}

impl Failure {
    pub(super) fn upstream_unavailable() -> Failure {
        let mut failure = Failure::new(
            Code::UpstreamUnavailable,
            "The upstream issue service does not answer; nothing was done.",
        );
        failure.retry_after_ms = Some(5_000);
        failure
    }

    pub(super) fn rate_limited() -> Failure {
        let mut failure = Failure::new(
            Code::RateLimited,
            "The upstream rate limit is used up; nothing was done.",
        );
        failure.retry_after_ms = Some(32_000);
        failure.rate_limit_remaining = Some(0);
        failure
    }

    pub(super) fn missing_credential() -> Failure {
        Failure::new(Code::MissingCredential, "No upstream credential is configured.")
            .because("The operator has to configure a token for the upstream service.")
    }

    pub(super) fn invalid_credential() -> Failure {
        Failure::new(
            Code::InvalidCredential,
            "The upstream service rejected the configured credential.",
        )
        .because("The operator has to replace the configured token.")
    }

    pub(super) fn insufficient_scope() -> Failure {
        let mut failure = Failure::new(
            Code::InsufficientScope,
            "The configured credential may read but not write.",
        );
        failure.required_scopes = vec!["issues:write".to_owned()];
        failure
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_distinct_symbols() {
        let mut symbols: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(
            symbols
                .iter()
                .all(|symbol| symbol.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase()))
        );
        symbols.sort_unstable();
        symbols.dedup();
        assert_eq!(symbols.len(), 12);
    }

    #[test]
    fn only_throttling_and_outage_are_temporary() {
        let temporary: Vec<Code> = Code::ALL.into_iter().filter(|code| code.temporary()).collect();
        assert_eq!(temporary, [Code::RateLimited, Code::UpstreamUnavailable]);
    }
}
