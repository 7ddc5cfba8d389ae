//! Opening a database: in memory, new file, or a file of an earlier run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::domain::cursor::CursorKey;
use crate::domain::seed;

/// Marks a database file as ours (`PRAGMA application_id`): the bytes `hmrk`.
const APPLICATION_ID: i64 = 0x686d_726b;

/// The schema that this code reads and writes (`PRAGMA user_version`).
const SCHEMA_VERSION: i64 = 1;

/// Seals cursors where runs must be repeatable: in memory, where every process holds the same public
/// data anyway, and under a fixed clock.
const REPEATABLE_SECRET: &[u8] = b"reference-server/github-issues/cursor";

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// SQLite cannot open, read or write the database.
    #[error("open database {}: {source}; name a writable file in an existing folder", .path.display())]
    Sqlite {
        /// The file, or `:memory:`.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file is a database of another program.
    #[error("open database {}: it was not made by this server; name a new file", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version of this server.
    #[error("open database {}: schema {found}, this server has {SCHEMA_VERSION}; name a new file", .path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// The schema of the file.
        found: i64,
    },
}

/// Opens the store and fills it when it is new.
pub(in crate::domain) fn open(
    db: Option<&Path>,
    fixed_clock: bool,
) -> Result<(Connection, CursorKey), OpenError> {
    let path = db.unwrap_or(Path::new(":memory:"));
    let sqlite = |source| OpenError::Sqlite { path: path.to_owned(), source };
    let mut connection = match db {
        Some(file) => Connection::open(file),
        None => Connection::open_in_memory(),
    }
    .map_err(sqlite)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.busy_timeout(Duration::from_secs(5)).map_err(sqlite)?;
    let state = inspect(&connection).map_err(sqlite)?;
    match state {
        Found::Ours(SCHEMA_VERSION) => {}
        Found::Ours(found) => return Err(OpenError::Schema { path: path.to_owned(), found }),
        Found::Foreign => return Err(OpenError::Foreign { path: path.to_owned() }),
        Found::Empty => fill(&mut connection, db.is_some() && !fixed_clock).map_err(sqlite)?,
    }
    if db.is_some() {
        connection.pragma_update(None, "journal_mode", "wal").map_err(sqlite)?;
        connection.pragma_update(None, "synchronous", "normal").map_err(sqlite)?;
    }
    let key = cursor_key(&connection).map_err(sqlite)?;
    Ok((connection, key))
}

enum Found {
    Empty,
    Ours(i64),
    Foreign,
}

fn inspect(connection: &Connection) -> rusqlite::Result<Found> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if pragma("application_id")? == APPLICATION_ID {
        return Ok(Found::Ours(pragma("user_version")?));
    }
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(if tables == 0 { Found::Empty } else { Found::Foreign })
}

fn fill(connection: &mut Connection, own_secret: bool) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Another process may have filled the file while this one waited for the lock.
    if matches!(inspect(&transaction)?, Found::Empty) {
        transaction.execute_batch(include_str!("schema.sql"))?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
        if own_secret {
            transaction.execute(
                "INSERT INTO meta (name, value) VALUES ('cursor_secret', randomblob(32))",
                [],
            )?;
        }
        seed::plant(&transaction)?;
    }
    transaction.commit()
}

fn cursor_key(connection: &Connection) -> rusqlite::Result<CursorKey> {
    let kept: Option<Vec<u8>> = connection
        .query_row("SELECT value FROM meta WHERE name = 'cursor_secret'", [], |row| row.get(0))
        .optional()?;
    Ok(CursorKey::new(kept.as_deref().unwrap_or(REPEATABLE_SECRET)))
}
