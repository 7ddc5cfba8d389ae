//! Rows as records.

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::domain::input::{LockReason, State, StateReason};

/// A repository that the credential can see.
#[derive(Debug, Clone)]
pub(in crate::domain) struct Repository {
    pub id: i64,
    pub owner: String,
    pub name: String,
    pub behaviour: Behaviour,
}

/// How a repository answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::domain) enum Behaviour {
    Normal,
    /// Always `rate_limited`.
    Throttled,
    /// Always `upstream_unavailable`.
    Unavailable,
}

impl Behaviour {
    pub(in crate::domain) fn as_str(self) -> &'static str {
        match self {
            Behaviour::Normal => "normal",
            Behaviour::Throttled => "throttled",
            Behaviour::Unavailable => "unavailable",
        }
    }
}

/// An issue or pull request; instants are Unix seconds.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::domain) struct IssueRecord {
    pub id: i64,
    pub number: u64,
    pub is_pull_request: bool,
    pub title: String,
    pub body: String,
    pub state: State,
    pub state_reason: Option<StateReason>,
    pub locked: bool,
    pub lock_reason: Option<LockReason>,
    pub locked_at: Option<i64>,
    pub author: String,
    pub labels: Vec<String>,
    pub assignees: Vec<String>,
    pub created_at: i64,
    pub updated_at: i64,
    pub comment_count: u64,
}

/// A comment; instants are Unix seconds.
#[derive(Debug, Clone)]
pub(in crate::domain) struct CommentRecord {
    pub id: u64,
    pub author: String,
    pub body: String,
    pub created_at: i64,
    pub updated_at: i64,
}

/// What [`IssueRecord::read`] reads.
pub(in crate::domain) const ISSUE_COLUMNS: &str = "issue.id, issue.number, issue.is_pull_request, issue.title, \
    issue.body, issue.state, issue.state_reason, issue.locked, issue.lock_reason, issue.locked_at, issue.author, \
    issue.labels, issue.assignees, issue.created_at, issue.updated_at, \
    (SELECT count(*) FROM comment WHERE comment.issue_id = issue.id)";

impl IssueRecord {
    /// Reads a row of [`ISSUE_COLUMNS`].
    pub(in crate::domain) fn read(row: &Row<'_>) -> rusqlite::Result<IssueRecord> {
        Ok(IssueRecord {
            id: row.get(0)?,
            number: unsigned(row, 1)?,
            is_pull_request: row.get(2)?,
            title: row.get(3)?,
            body: row.get(4)?,
            state: from_symbol(5, row.get(5)?)?,
            state_reason: row
                .get::<_, Option<String>>(6)?
                .map(|text| from_symbol(6, text))
                .transpose()?,
            locked: row.get(7)?,
            lock_reason: row
                .get::<_, Option<String>>(8)?
                .map(|text| from_symbol(8, text))
                .transpose()?,
            locked_at: row.get(9)?,
            author: row.get(10)?,
            labels: from_json(11, &row.get::<_, String>(11)?)?,
            assignees: from_json(12, &row.get::<_, String>(12)?)?,
            created_at: row.get(13)?,
            updated_at: row.get(14)?,
            comment_count: unsigned(row, 15)?,
        })
    }

    /// The issue or pull request with a number.
    pub(in crate::domain) fn find(
        connection: &Connection,
        repository: &Repository,
        number: u64,
    ) -> rusqlite::Result<Option<IssueRecord>> {
        let Ok(number) = i64::try_from(number) else { return Ok(None) };
        let sql =
            format!("SELECT {ISSUE_COLUMNS} FROM issue WHERE repository_id = ?1 AND number = ?2");
        connection
            .prepare_cached(&sql)?
            .query_row((repository.id, number), IssueRecord::read)
            .optional()
    }

    /// Inserts this record under a new id, which is returned; `id` and `comment_count` are ignored.
    pub(in crate::domain) fn insert(
        &self,
        connection: &Connection,
        repository: &Repository,
    ) -> rusqlite::Result<i64> {
        connection
            .prepare_cached(
                "INSERT INTO issue (repository_id, number, is_pull_request, title, body, state, state_reason, locked,
                    lock_reason, locked_at, author, labels, assignees, created_at, updated_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            )?
            .insert(rusqlite::params![
                repository.id,
                i64::try_from(self.number).expect("numbers count up from 1"),
                self.is_pull_request,
                self.title,
                self.body,
                symbol(&self.state),
                self.state_reason.as_ref().map(symbol),
                self.locked,
                self.lock_reason.as_ref().map(symbol),
                self.locked_at,
                self.author,
                to_json(&self.labels),
                to_json(&self.assignees),
                self.created_at,
                self.updated_at,
            ])
    }

    /// Writes everything that may change over the row with this id.
    pub(in crate::domain) fn store(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "UPDATE issue SET title = ?2, body = ?3, state = ?4, state_reason = ?5, locked = ?6, lock_reason = ?7,
                    locked_at = ?8, labels = ?9, assignees = ?10, updated_at = ?11
                WHERE id = ?1",
            )?
            .execute(rusqlite::params![
                self.id,
                self.title,
                self.body,
                symbol(&self.state),
                self.state_reason.as_ref().map(symbol),
                self.locked,
                self.lock_reason.as_ref().map(symbol),
                self.locked_at,
                to_json(&self.labels),
                to_json(&self.assignees),
                self.updated_at,
            ])?;
        Ok(())
    }
}

impl CommentRecord {
    /// Comments of an issue after a comment id, oldest first, edited at `updated_after` or later.
    pub(in crate::domain) fn page(
        connection: &Connection,
        issue_id: i64,
        after: u64,
        updated_after: Option<i64>,
        limit: u32,
    ) -> rusqlite::Result<Vec<CommentRecord>> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        connection
            .prepare_cached(
                "SELECT id, author, body, created_at, updated_at FROM comment
                WHERE issue_id = ?1 AND id > ?2 AND (?3 IS NULL OR updated_at >= ?3) ORDER BY id LIMIT ?4",
            )?
            .query_map((issue_id, after, updated_after, limit), |row| {
                Ok(CommentRecord {
                    id: unsigned(row, 0)?,
                    author: row.get(1)?,
                    body: row.get(2)?,
                    created_at: row.get(3)?,
                    updated_at: row.get(4)?,
                })
            })?
            .collect()
    }
}

/// The repository of that name.
pub(in crate::domain) fn repository(
    connection: &Connection,
    owner: &str,
    name: &str,
) -> rusqlite::Result<Option<Repository>> {
    connection
        .prepare_cached(
            "SELECT id, owner, name, behaviour FROM repository WHERE owner = ?1 AND name = ?2",
        )?
        .query_row((owner, name), read_repository)
        .optional()
}

/// Every repository, sorted by owner and name.
pub(in crate::domain) fn repositories(
    connection: &Connection,
) -> rusqlite::Result<Vec<Repository>> {
    connection
        .prepare_cached("SELECT id, owner, name, behaviour FROM repository ORDER BY owner, name")?
        .query_map([], read_repository)?
        .collect()
}

/// The label names of a repository, sorted by code point.
pub(in crate::domain) fn labels(
    connection: &Connection,
    repository: &Repository,
) -> rusqlite::Result<Vec<String>> {
    names(connection, "SELECT name FROM label WHERE repository_id = ?1 ORDER BY name", repository)
}

/// The logins that can be assigned in a repository, sorted by code point.
pub(in crate::domain) fn collaborators(
    connection: &Connection,
    repository: &Repository,
) -> rusqlite::Result<Vec<String>> {
    names(
        connection,
        "SELECT login FROM collaborator WHERE repository_id = ?1 ORDER BY login",
        repository,
    )
}

fn names(
    connection: &Connection,
    sql: &str,
    repository: &Repository,
) -> rusqlite::Result<Vec<String>> {
    connection.prepare_cached(sql)?.query_map([repository.id], |row| row.get(0))?.collect()
}

fn read_repository(row: &Row<'_>) -> rusqlite::Result<Repository> {
    let behaviour: String = row.get(3)?;
    Ok(Repository {
        id: row.get(0)?,
        owner: row.get(1)?,
        name: row.get(2)?,
        behaviour: match behaviour.as_str() {
            "throttled" => Behaviour::Throttled,
            "unavailable" => Behaviour::Unavailable,
            _ => Behaviour::Normal,
        },
    })
}

/// The published spelling of an enum member, which is also its stored form.
pub(in crate::domain) fn symbol(member: &impl Serialize) -> String {
    match serde_json::to_value(member) {
        Ok(Value::String(symbol)) => symbol,
        _ => unreachable!("only unit enums are stored as symbols"),
    }
}

fn from_symbol<T: DeserializeOwned>(column: usize, symbol: String) -> rusqlite::Result<T> {
    serde_json::from_value(Value::String(symbol)).map_err(|cause| conversion(column, cause))
}

fn to_json(names: &[String]) -> String {
    serde_json::to_string(names).expect("strings serialize")
}

fn from_json(column: usize, text: &str) -> rusqlite::Result<Vec<String>> {
    serde_json::from_str(text).map_err(|cause| conversion(column, cause))
}

fn conversion(column: usize, cause: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(cause))
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}
