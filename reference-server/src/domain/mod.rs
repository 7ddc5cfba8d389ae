//! The issue service behind the contract: store, seed data and the behaviour of every operation.
//!
//! Owns what happens: filters, pages, versions, locks, repeats, and every failure of the domain with
//! the corrective call that goes with it. Refuses to know MCP and JSON-RPC: arguments come in as structs
//! that already passed the published schema ([`input`]), results go out as structs that serialize to
//! the published members ([`output`]), failures as [`Failure`]. Invariant: an operation happens whole or
//! not at all, and with a fixed clock equal calls on equal stores give equal answers.
//!
//! Follow a call: [`service`](Domain) admits it, one file an operation carries it out (`find`, `read`,
//! `create`, `update`, `comment`, `lock`), `store` keeps the rows, `seed` makes the first ones.

mod call;
mod clock;
mod comment;
mod create;
mod cursor;
mod failure;
mod find;
pub mod input;
mod lock;
mod names;
mod nearest;
mod options;
pub mod output;
mod paging;
mod read;
mod repeat;
mod seed;
mod service;
mod store;
#[cfg(test)]
mod tests;
mod text;
mod update;
mod url;
mod version;

pub use call::{
    ADD_COMMENT, CREATE_ISSUE, FIND_ISSUES, GET_ISSUE, LIST_COMMENTS, SET_ISSUE_LOCK, UPDATE_ISSUE,
};
pub use clock::{Clock, ClockError};
pub use failure::{Code, Failure, Repair};
pub use options::{Credential, Options};
pub use service::Domain;
pub use store::OpenError;
