//! Continuation tokens. Owns their content, secrecy and integrity; refuses to know what is walked.
//!
//! A cursor carries the last row shown, how many rows were shown, when it counts as issued and a digest of
//! the query (filters and principal, not the density of detail). It is encrypted under a tag that
//! authenticates it (the tag is an HMAC of the plain content and seeds the key stream), so that it
//! reads as noise and no changed token opens (rules `1.state-handles`, `3.sec-handle-modes`).
//! Invariant: only a token that this key sealed opens, and one position has one token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::{Digest, Sha256};

const TAG: usize = 16;
const CONTENT: usize = 28;

/// Identifies a query: equal for the same tool, principal and filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueryDigest([u8; 8]);

impl QueryDigest {
    /// Digests any serializable description of a query.
    pub(super) fn of(query: &impl Serialize) -> QueryDigest {
        let bytes = serde_json::to_vec(query).expect("strings and numbers serialize");
        let digest = Sha256::digest(bytes);
        QueryDigest(first(&digest))
    }
}

/// Where a walk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    /// Key of the last row shown.
    pub after: u64,
    /// Rows shown so far.
    pub seen: u32,
    /// When the cursor counts as issued, in Unix milliseconds.
    pub issued_ms: i64,
    /// The query that is walked.
    pub query: QueryDigest,
}

/// The secret that seals cursors.
#[derive(Clone)]
pub(super) struct CursorKey([u8; 32]);

impl CursorKey {
    /// A key made of any secret bytes.
    pub(super) fn new(secret: &[u8]) -> CursorKey {
        CursorKey(Sha256::digest(secret).into())
    }

    /// Makes the token of a position.
    pub(super) fn seal(&self, position: &Position) -> String {
        let mut content = encode(position);
        let tag = self.tag(&content);
        self.cover(&tag, &mut content);
        URL_SAFE_NO_PAD.encode([&tag[..], &content[..]].concat())
    }

    /// Opens a token; `None` when it was not sealed with this key.
    pub(super) fn open(&self, token: &str) -> Option<Position> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        if bytes.len() != TAG + CONTENT {
            return None;
        }
        let tag: [u8; TAG] = first(&bytes);
        let mut content: [u8; CONTENT] = first(&bytes[TAG..]);
        self.cover(&tag, &mut content);
        self.hmac(b"tag", &content).verify_truncated_left(&tag).ok()?;
        Some(decode(&content))
    }

    fn tag(&self, content: &[u8]) -> [u8; TAG] {
        first(&self.hmac(b"tag", content).finalize().into_bytes())
    }

    /// Adds the key stream of this tag; a second time takes it off again.
    fn cover(&self, tag: &[u8; TAG], content: &mut [u8; CONTENT]) {
        let stream = self.hmac(b"stream", tag).finalize().into_bytes();
        for (byte, mask) in content.iter_mut().zip(stream) {
            *byte ^= mask;
        }
    }

    fn hmac(&self, purpose: &[u8], message: &[u8]) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(purpose);
        mac.update(message);
        mac
    }
}

fn encode(position: &Position) -> [u8; CONTENT] {
    let mut content = [0; CONTENT];
    content[..8].copy_from_slice(&position.after.to_be_bytes());
    content[8..12].copy_from_slice(&position.seen.to_be_bytes());
    content[12..20].copy_from_slice(&position.issued_ms.to_be_bytes());
    content[20..].copy_from_slice(&position.query.0);
    content
}

fn decode(content: &[u8; CONTENT]) -> Position {
    Position {
        after: u64::from_be_bytes(first(content)),
        seen: u32::from_be_bytes(first(&content[8..])),
        issued_ms: i64::from_be_bytes(first(&content[12..])),
        query: QueryDigest(first(&content[20..])),
    }
}

/// The first `N` bytes.
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("callers pass at least N bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position() -> Position {
        Position {
            after: 1423,
            seen: 50,
            issued_ms: 1_785_000_000_000,
            query: QueryDigest::of(&("find", "acme")),
        }
    }

    #[test]
    fn opens_what_it_sealed() {
        let key = CursorKey::new(b"secret");
        let token = key.seal(&position());
        assert_eq!(key.open(&token), Some(position()));
        assert_eq!(CursorKey::new(b"other").open(&token), None);
    }

    #[test]
    fn every_changed_character_is_noticed() {
        let key = CursorKey::new(b"secret");
        let token = key.seal(&position());
        for index in 0..token.len() {
            for replacement in [b'A', b'B', b'_', b'9'] {
                let mut changed = token.clone().into_bytes();
                if changed[index] == replacement {
                    continue;
                }
                changed[index] = replacement;
                let changed = String::from_utf8(changed).expect("ASCII");
                assert_eq!(key.open(&changed), None, "{index}");
            }
        }
        assert_eq!(key.open(""), None);
        assert_eq!(key.open(&token[1..]), None);
        assert_eq!(key.open("größe"), None);
    }

    #[test]
    fn neighbours_share_no_readable_part() {
        let key = CursorKey::new(b"secret");
        let one = key.seal(&position());
        let two = key.seal(&Position { seen: 100, ..position() });
        let same = one.bytes().zip(two.bytes()).filter(|(left, right)| left == right).count();
        assert!(same < one.len() / 4, "{one} {two}");
    }
}
