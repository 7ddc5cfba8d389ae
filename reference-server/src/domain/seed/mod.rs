//! The first rows of a store.

use rusqlite::Connection;

pub(super) fn plant(_: &Connection) -> rusqlite::Result<()> {
    Ok(())
}
