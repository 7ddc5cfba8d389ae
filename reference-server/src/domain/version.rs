//! Version tokens. Owns their canonical form, which is public:
//!
//! the token is `v:` and the first 16 hexadecimal digits of the SHA-256 of the compact JSON array
//! `["issue/1", owner, repo, issue_number, title, body, state, state_reason, locked, lock_reason,
//! labels, assignees]` in UTF-8, where absent reasons are `null` and labels and assignees are sorted
//! by code point. Times, comments and the author are no part of it. Invariant: equal content gives an
//! equal token on every read surface, after every restart.

use sha2::{Digest, Sha256};

use super::store::{IssueRecord, Repository};

const HEX_DIGITS: usize = 16;

/// The token of an issue as it stands.
pub(super) fn version(repository: &Repository, issue: &IssueRecord) -> String {
    let canonical = serde_json::to_vec(&(
        "issue/1",
        &repository.owner,
        &repository.name,
        issue.number,
        &issue.title,
        &issue.body,
        issue.state,
        issue.state_reason,
        issue.locked,
        issue.lock_reason,
        &issue.labels,
        &issue.assignees,
    ))
    .expect("strings, numbers and symbols serialize");
    format!("v:{}", hex(&Sha256::digest(canonical)[..HEX_DIGITS / 2]))
}

/// Whether a text has the shape of a token, so that it can be repeated without leaking anything.
pub(super) fn is_token(text: &str) -> bool {
    text.strip_prefix("v:").is_some_and(|digits| {
        digits.len() == HEX_DIGITS
            && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_minted_shapes_are_tokens() {
        assert!(is_token("v:0123456789abcdef"));
        for text in [
            "",
            "v:",
            "0123456789abcdef",
            "v:0123456789ABCDEF",
            "v:0123456789abcde",
            "v:0123456789abcdef0",
        ] {
            assert!(!is_token(text), "{text}");
        }
    }
}
