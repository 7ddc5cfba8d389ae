//! The SQLite store: its schema, its opening, and rows as records. Owns SQL that more than one
//! operation needs; refuses to know about failures that callers see. Invariant: a database is either
//! complete (schema and seed data, in one transaction) or untouched.

mod open;
mod record;
mod search;

pub use open::OpenError;
pub(super) use open::open;
pub(super) use record::{
    Behaviour, CommentRecord, ISSUE_COLUMNS, IssueRecord, Repository, collaborators, labels,
    repositories, repository, symbol,
};
pub(super) use search::{index_all, match_expression, reindex};
