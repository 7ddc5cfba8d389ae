//! The first rows of a store: the same on every machine and in every run, large enough to page, to
//! truncate and to lock. Owns the data; refuses chance and the clock. Invariant: no instant lies after
//! 2026-07-28, so that any sensible clock comes later.

mod catalog;
mod plant;
mod prose;

pub(super) use plant::plant;
