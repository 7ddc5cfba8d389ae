//! The behaviour of the domain, one file a subject, through its public operations.

mod admission;
mod cursors;
mod finding;
mod keeping;
mod reading;
mod repeats;
mod support;
mod updating;
mod writing;
