//! What all walks share: page sizes, opening a caller's cursor, and instants as filters. Owns the
//! failures of both; refuses to know the rows.
//!
//! A walk is live, not a snapshot, but it is keyed on numbers that never change: no row comes twice,
//! and a row that matches throughout the walk is not skipped.

use super::call::Call;
use super::clock::parse_rfc3339;
use super::cursor::{CursorKey, Position, QueryDigest};
use super::failure::{Code, Failure};
use super::options::Options;

/// Rows on a page.
pub(super) const PAGE: u32 = 50;

/// Issues that one query shows at most, over all pages.
pub(super) const CAP: u32 = 500;

/// A cursor is dated up to this part of its life ahead: a minute in its quarter of an hour.
const STEPS_OF_LIFE: i64 = 15;
const LONGEST_STEP_MS: i64 = 60_000;

/// The instant that a cursor minted at `now_ms` counts as issued at. It is rounded up, so that equal reads within a
/// minute give equal bytes, and a cursor lives for its time and up to a minute more, never less.
pub(super) fn issued_ms(options: &Options, now_ms: i64) -> i64 {
    let life = i64::try_from(options.cursor_ttl.as_millis()).unwrap_or(i64::MAX);
    let step = (life / STEPS_OF_LIFE).clamp(1, LONGEST_STEP_MS);
    now_ms.saturating_add((-now_ms).rem_euclid(step))
}

/// Opens the cursor of a call and checks that it continues this query in time.
pub(super) fn resume(
    key: &CursorKey,
    options: &Options,
    call: &Call,
    token: &str,
    query: QueryDigest,
    now_ms: i64,
) -> Result<Position, Failure> {
    let restart = || {
        call.clone()
            .without("cursor")
            .repair("restart_without_cursor")
            .or("If the earlier pages are enough, work with them.")
    };
    let Some(position) = key.open(token) else {
        // Nothing proves that this server minted it, so it is not repeated.
        return Err(Failure::new(
            Code::InvalidField,
            "The cursor is not one that this server issued.",
        )
        .at("cursor", "The token fails its integrity check.")
        .repair(restart()));
    };
    let age_ms = now_ms.saturating_sub(position.issued_ms);
    if u128::try_from(age_ms).is_ok_and(|age| age >= options.cursor_ttl.as_millis()) {
        let lifetime = options.cursor_ttl.as_secs();
        return Err(Failure::new(
            Code::CursorExpired,
            "The cursor has expired; start again without it.",
        )
        .at("cursor", format!("Cursors work for {lifetime} seconds after they were issued."))
        .value(token)
        .repair(restart()));
    }
    if position.query != query {
        return Err(Failure::new(Code::InvalidField, "The cursor belongs to another query.")
            .at("cursor", "Only detail may differ from the call that issued the cursor.")
            .value(token)
            .repair(restart()));
    }
    Ok(position)
}

/// An `updated_after` filter as Unix seconds.
pub(super) fn instant(call: &Call, text: Option<&str>) -> Result<Option<i64>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match parse_rfc3339(text) {
        Some(seconds) => Ok(Some(seconds)),
        None => Err(Failure::new(Code::InvalidField, "updated_after is not an instant.")
            .at("updated_after", "An RFC 3339 date-time is needed, such as 2026-07-29T12:00:00Z.")
            .repair(call.clone().without("updated_after").repair("retry_without_field"))),
    }
}
