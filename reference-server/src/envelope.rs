//! The error envelope on its two carriers.
//!
//! Owns the members, their presence rules and the request ids. Does not decide what failed: that comes in as a
//! [`Failure`]. One invariant: both carriers hold the same envelope and differ in two member names only.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ErrorData};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::domain::{Code, Failure};

/// Mints request ids and wraps failures; one for each running server.
#[derive(Debug)]
pub struct Envelopes {
    fingerprint: String,
    seed: String,
    minted: AtomicU64,
}

impl Envelopes {
    /// `seed` tells the request ids of one run from those of another; the same seed gives the same ids.
    pub fn new(fingerprint: String, seed: String) -> Self {
        Self { fingerprint, seed, minted: AtomicU64::new(0) }
    }

    /// The failure as a tool result: envelope in `structuredContent`, readable mirror in `content`.
    pub fn tool_result(&self, failure: &Failure) -> CallToolResult {
        let mut result =
            CallToolResult::structured_error(self.envelope(failure, ("code", "message"), None));
        result.content = vec![ContentBlock::text(mirror(failure))];
        result
    }

    /// The failure as a JSON-RPC error: the envelope in `error.data` under the two renames (rule `6.rename`).
    /// `resource_uri` is the requested resource, where a resource failed.
    pub fn rpc_error(&self, failure: &Failure, resource_uri: Option<&str>) -> ErrorData {
        let message = match failure.code {
            Code::IssueNotFound | Code::RepoNotFound => "Resource not found".to_owned(),
            _ => failure.message.clone(),
        };
        let data = self.envelope(failure, ("machine_code", "human_message"), resource_uri);
        ErrorData::new(rpc_code(failure.code), message, Some(data))
    }

    /// Required members always; whatever does not apply is left out, never null or empty (rule `6.presence`).
    fn envelope(
        &self,
        failure: &Failure,
        names: (&str, &str),
        resource_uri: Option<&str>,
    ) -> Value {
        let mut envelope = Map::new();
        envelope.insert(names.0.to_owned(), failure.code.as_str().into());
        envelope.insert(names.1.to_owned(), failure.message.clone().into());
        let details = details(failure);
        if !details.is_empty() {
            envelope.insert("details".to_owned(), details.into());
        }
        let temporary = failure.code.temporary();
        envelope.insert("temporary".to_owned(), temporary.into());
        envelope.insert(
            "retry_after_ms".to_owned(),
            failure.retry_after_ms.filter(|_| temporary).into(),
        );
        if let Some(remaining) = failure.rate_limit_remaining {
            envelope.insert("rate_limit_remaining".to_owned(), remaining.into());
        }
        if let Some(repair) = &failure.repair {
            let mut object = json!({"next_step": repair.next_step, "tool": repair.tool, "arguments": repair.arguments});
            if let Some(alternative) = &repair.alternative {
                object["alternative"] = alternative.clone().into();
            }
            envelope.insert("repair".to_owned(), object);
        }
        if let Some(uri) = resource_uri {
            envelope.insert("resource_uri".to_owned(), uri.into());
            // The protocol recommends this name for the same fact.
            envelope.insert("uri".to_owned(), uri.into());
        }
        envelope.insert("request_id".to_owned(), self.request_id().into());
        envelope.insert("fingerprint".to_owned(), self.fingerprint.clone().into());
        envelope.into()
    }

    /// A counter, so that ids of one run differ and sort, and a hash, so that ids of two runs differ.
    fn request_id(&self) -> String {
        let number = self.minted.fetch_add(1, Ordering::Relaxed) + 1;
        let digest = Sha256::digest(format!("{}/{number}", self.seed).as_bytes());
        format!(
            "req_{number:06}_{:02x}{:02x}{:02x}{:02x}",
            digest[0], digest[1], digest[2], digest[3]
        )
    }
}

fn details(failure: &Failure) -> Map<String, Value> {
    let mut details = Map::new();
    match &failure.field {
        Some(field) if failure.with.is_empty() => {
            details.insert("field".to_owned(), field.clone().into());
        }
        Some(field) => {
            let fields: Vec<&String> = std::iter::once(field).chain(&failure.with).collect();
            details.insert("fields".to_owned(), serde_json::json!(fields));
        }
        None => {}
    }
    if let Some(value) = &failure.value {
        details.insert("value".to_owned(), value.clone());
    }
    if let Some(reason) = &failure.reason {
        details.insert("reason".to_owned(), reason.clone().into());
    }
    if !failure.allowed.is_empty() {
        details.insert("allowed".to_owned(), failure.allowed.clone().into());
    }
    if !failure.required_scopes.is_empty() {
        details.insert("required_scopes".to_owned(), failure.required_scopes.clone().into());
    }
    details
}

/// The envelope for clients that show text only: what happened, why, and the way on.
fn mirror(failure: &Failure) -> String {
    let mut text = format!("{}: {}", failure.code.as_str(), failure.message);
    for sentence in
        [failure.field.as_ref().map(|field| format!("Field: {field}.")), failure.reason.clone()]
            .into_iter()
            .flatten()
    {
        text.push(' ');
        text.push_str(&sentence);
    }
    if let Some(milliseconds) = failure.retry_after_ms {
        text.push_str(&format!(" Send the same call again after {milliseconds} ms."));
    }
    if let Some(repair) = &failure.repair {
        let arguments = Value::Object(repair.arguments.clone());
        text.push_str(&format!(" Next: {} {arguments}.", repair.tool));
        if let Some(alternative) = &repair.alternative {
            text.push(' ');
            text.push_str(alternative);
        }
    }
    text
}

/// Invalid params for what the caller sent, internal error for what stands behind the server. Both are standard
/// codes: the symbolic code in the envelope is what callers branch on (rule `6.jsonrpc-code-allocation`).
fn rpc_code(code: Code) -> ErrorCode {
    match code {
        Code::RateLimited
        | Code::UpstreamUnavailable
        | Code::MissingCredential
        | Code::InvalidCredential
        | Code::InsufficientScope => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::catalog;

    fn envelopes() -> Envelopes {
        Envelopes::new("name@1+abcdef0".to_owned(), "seed".to_owned())
    }

    #[test]
    fn carriers_differ_in_two_names_only() {
        let mut failure = Failure::new(Code::IssueNotFound, "No such issue.");
        failure.field = Some("issue_number".to_owned());
        let tool = envelopes().tool_result(&failure).structured_content.expect("an envelope");
        let mut rpc = envelopes().rpc_error(&failure, None).data.expect("an envelope");
        let members = rpc.as_object_mut().expect("an object");
        let code = members.remove("machine_code").expect("renamed code");
        let message = members.remove("human_message").expect("renamed message");
        members.insert("code".to_owned(), code);
        members.insert("message".to_owned(), message);
        assert_eq!(&rpc, &tool);
    }

    #[test]
    fn a_permanent_failure_never_names_a_delay() {
        let mut failure = Failure::new(Code::InvalidField, "Wrong.");
        failure.retry_after_ms = Some(5);
        let envelope = envelopes().tool_result(&failure).structured_content.expect("an envelope");
        assert_eq!(envelope["temporary"], false);
        assert_eq!(envelope["retry_after_ms"], Value::Null);
    }

    #[test]
    fn the_catalog_and_the_domain_know_the_same_codes() {
        let published: Vec<&str> = catalog::CODES.iter().map(|entry| entry.code).collect();
        let domain: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(published, domain);
        for code in Code::ALL {
            assert_eq!(
                catalog::CODES
                    [domain.iter().position(|name| *name == code.as_str()).expect("published")]
                .temporary,
                code.temporary()
            );
        }
    }

    #[test]
    fn request_ids_repeat_with_the_seed_and_differ_without() {
        let failure = Failure::new(Code::InvalidField, "Wrong.");
        let id = |envelopes: &Envelopes| {
            envelopes.tool_result(&failure).structured_content.expect("an envelope")["request_id"]
                .clone()
        };
        let (first, second) = (envelopes(), envelopes());
        assert_eq!(id(&first), id(&second));
        assert_ne!(
            id(&first),
            id(&Envelopes::new("name@1+abcdef0".to_owned(), "other".to_owned()))
        );
        assert_ne!(id(&first), id(&first));
    }
}
