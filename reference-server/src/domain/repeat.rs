//! Idempotency keys. Owns when a call counts as a repeat (same scope, same key, within 24 hours) and
//! what a repeat gets: the first result, to the letter. A key that comes back with other arguments is
//! no repeat; it is refused, because answering it with a foreign result would hide a mistake.
//! Invariant: key and effect are written in one transaction.

use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::call::Call;
use super::failure::{Code, Failure};
use super::version::hex;

const LIFETIME_MS: i64 = 24 * 60 * 60 * 1000;

/// An idempotency key in its scope, with the digest of the arguments that it stands for.
pub(super) struct RepeatKey<'a> {
    scope: String,
    key: &'a str,
    digest: String,
}

impl<'a> RepeatKey<'a> {
    /// The key of a call, when the caller sent one.
    pub(super) fn of(call: &Call, scope: String, key: Option<&'a str>) -> Option<RepeatKey<'a>> {
        let digest = hex(&Sha256::digest(call.clone().without(FIELD).to_json()));
        key.map(|key| RepeatKey { scope, key, digest })
    }

    /// The first result, when this call repeats an earlier one.
    pub(super) fn recall<T: DeserializeOwned>(
        &self,
        connection: &Connection,
        call: &Call,
        now_ms: i64,
    ) -> Result<Option<T>, Failure> {
        let found: Option<(String, String)> = connection
            .prepare_cached(
                "SELECT digest, result FROM idempotency
                WHERE scope = ?1 AND key = ?2 AND created_ms > ?3",
            )?
            .query_row((&self.scope, self.key, now_ms - LIFETIME_MS), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        match found {
            None => Ok(None),
            Some((digest, _)) if digest != self.digest => Err(self.reused(call)),
            Some((_, result)) => match serde_json::from_str(&result) {
                Ok(result) => Ok(Some(result)),
                Err(_) => Err(Failure::upstream_unavailable()),
            },
        }
    }

    /// Keeps the result of this call for its repeats, and drops what is past its time.
    pub(super) fn keep(
        &self,
        connection: &Connection,
        now_ms: i64,
        result: &impl Serialize,
    ) -> rusqlite::Result<()> {
        connection
            .prepare_cached("DELETE FROM idempotency WHERE created_ms <= ?1")?
            .execute([now_ms - LIFETIME_MS])?;
        let result = serde_json::to_string(result).expect("strings and numbers serialize");
        connection
            .prepare_cached(
                "INSERT INTO idempotency (scope, key, digest, created_ms, result)
                VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute((&self.scope, self.key, &self.digest, now_ms, result))?;
        Ok(())
    }

    /// The repair takes a key that the arguments determine, so that it can itself be repeated.
    fn reused(&self, call: &Call) -> Failure {
        let fresh = format!("content-{}", &self.digest[..16]);
        let repair = call.clone().with(FIELD, fresh).repair("retry_with_another_key");
        Failure::new(
            Code::InvalidField,
            "The idempotency key belongs to another call; nothing was written.",
        )
        .at(FIELD, "The key was used with other arguments less than 24 hours ago.")
        .repair(repair.or("To get the first result again, repeat the first call unchanged."))
    }
}

const FIELD: &str = "idempotency_key";
