//! Writing the catalog into an empty store.

use rusqlite::{CachedStatement, Connection};

use super::catalog::{AUTHORS, BodySeed, COLLABORATORS, Notable, REPOSITORIES, RepositorySeed};
use super::prose::{body, comment, mix, paragraphs, pick, title};
use crate::domain::input::{State, StateReason};
use crate::domain::store::{IssueRecord, Repository, index_all};
use crate::domain::text::as_set;

/// 2025-03-03T08:00:00Z, when the first issue of each repository was made.
const START: i64 = 1_740_988_800;

/// Seconds between two issues: 17 hours.
const PACE: i64 = 61_200;

/// 2026-07-28T00:00:00Z, after the last change.
const END: i64 = 1_785_196_800;

/// The id before that of the first comment.
const COMMENT_BASE: i64 = 5_000_000;

/// Every so many numbers one is a pull request.
const PULL_REQUEST_EVERY: u64 = 11;

/// Plants everything; the caller's transaction makes it one.
pub(in crate::domain) fn plant(connection: &Connection) -> rusqlite::Result<()> {
    let mut comments = Comments {
        insert: connection.prepare_cached(
            "INSERT INTO comment (id, issue_id, author, body, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        )?,
        last_id: COMMENT_BASE,
    };
    for seed in &REPOSITORIES {
        let repository = plant_repository(connection, seed)?;
        for number in seed.first_number..seed.first_number + seed.count {
            let notable = seed.notable.iter().find(|notable| notable.number == number);
            let bits = mix(number ^ (repository.id.unsigned_abs() << 32));
            let mut issue = generated(seed, number, bits);
            let mut thread = pick(&[0, 0, 0, 1, 2], bits >> 48);
            if let Some(notable) = notable {
                thread = notable.comments;
                apply(notable, &mut issue, bits);
            }
            let times: Vec<i64> = (1..=thread)
                .map(|index| issue.created_at + i64::try_from(index).expect("short threads") * 1800)
                .collect();
            issue.updated_at = times.last().copied().into_iter().fold(issue.updated_at, i64::max);
            let issue_id = issue.insert(connection, &repository)?;
            comments.plant(issue_id, bits, &times)?;
        }
    }
    index_all(connection)
}

fn plant_repository(
    connection: &Connection,
    seed: &RepositorySeed,
) -> rusqlite::Result<Repository> {
    let id = connection
        .prepare_cached("INSERT INTO repository (owner, name, behaviour) VALUES (?1, ?2, ?3)")?
        .insert((seed.owner, seed.name, seed.behaviour.as_str()))?;
    let mut label =
        connection.prepare_cached("INSERT INTO label (repository_id, name) VALUES (?1, ?2)")?;
    for name in seed.labels {
        label.execute((id, name))?;
    }
    let mut collaborator = connection
        .prepare_cached("INSERT INTO collaborator (repository_id, login) VALUES (?1, ?2)")?;
    for login in COLLABORATORS {
        collaborator.execute((id, login))?;
    }
    Ok(Repository {
        id,
        owner: seed.owner.into(),
        name: seed.name.into(),
        behaviour: seed.behaviour,
    })
}

fn generated(seed: &RepositorySeed, number: u64, bits: u64) -> IssueRecord {
    let index = number - seed.first_number;
    let created_at =
        START + i64::try_from(index).expect("small repositories") * PACE + within(bits, 3600);
    let closed = bits.is_multiple_of(3);
    let state_reason =
        closed.then(|| pick(&[StateReason::Completed, StateReason::NotPlanned], bits >> 5));
    let names = |list: &[&str], count: u64, bits: u64| {
        let chosen: Vec<String> =
            (0..count).map(|round| pick(list, mix(bits ^ round)).to_owned()).collect();
        as_set(&chosen)
    };
    let mut labels = names(seed.labels, (bits >> 20) % 4, bits);
    if (bits >> 36).is_multiple_of(3) {
        labels.push("bug".to_owned());
        labels = as_set(&labels);
    }
    IssueRecord {
        id: 0,
        number,
        is_pull_request: index % PULL_REQUEST_EVERY == 5,
        title: title(bits),
        body: if index % 50 == 7 { paragraphs(bits, 12) } else { body(bits) },
        state: if closed { State::Closed } else { State::Open },
        state_reason,
        locked: false,
        lock_reason: None,
        locked_at: None,
        author: pick(&AUTHORS, bits >> 12).to_owned(),
        labels,
        assignees: names(&COLLABORATORS, (bits >> 28) % 3, bits),
        created_at,
        updated_at: (created_at + within(bits >> 7, 20 * 86_400)).min(END),
        comment_count: 0,
    }
}

fn apply(notable: &Notable, issue: &mut IssueRecord, bits: u64) {
    issue.is_pull_request = false;
    issue.title = notable.title.to_owned();
    issue.labels = notable.labels.iter().map(|label| (*label).to_owned()).collect();
    issue.body = match notable.body {
        BodySeed::Text(text) => text.to_owned(),
        BodySeed::Paragraphs(count) => paragraphs(bits, count),
    };
    issue.state = notable.state;
    issue.state_reason = notable.state_reason;
    if let Some((at, reason)) = notable.lock {
        issue.locked = true;
        issue.lock_reason = reason;
        issue.locked_at = Some(at);
        issue.updated_at = at;
    }
}

struct Comments<'a> {
    insert: CachedStatement<'a>,
    last_id: i64,
}

impl Comments<'_> {
    fn plant(&mut self, issue_id: i64, bits: u64, times: &[i64]) -> rusqlite::Result<()> {
        for (index, at) in times.iter().enumerate() {
            let bits = mix(bits.wrapping_add(index as u64));
            self.last_id += 1;
            // In a long thread the third comment is long, too.
            let body =
                if index == 2 && times.len() > 3 { paragraphs(bits, 11) } else { comment(bits) };
            self.insert.execute((self.last_id, issue_id, pick(&AUTHORS, bits >> 8), body, at))?;
        }
        Ok(())
    }
}

fn within(bits: u64, limit: u64) -> i64 {
    i64::try_from(bits % limit).expect("limits are below 64-bit seconds")
}
