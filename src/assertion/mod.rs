//! Assertions: files, sets, the engine and the built-in checks.
//!
//! Owns how a contract is judged. Refuses to own printing, files of results, and the wire.
//! Invariant: judging is pure; the same contract gives the same scorecard for ever.

mod absence;
mod catalog;
mod check;
mod coverage;
mod engine;
mod evidence;
mod executor;
mod explain;
mod file;
mod loader;
mod rules;
mod running;
mod shape;
mod subject;
mod subjects;
mod verdict;

pub use catalog::{
    Assertion, AssertionSet, Catalog, Check, Fixture, Mutant, SetId, UnknownName, Version,
};
pub use check::{Builtin, Look, Reach, View, builtin, finding};
pub use coverage::TOKENIZER;
pub use engine::{judge, judge_one_by_one};
pub use executor::Executor;
pub use explain::Explanation;
pub use loader::Source;
pub use rules::{Evidence, Registry, Rule};
pub use subject::{Each, Of, Subject};
pub use subjects::subjects;

#[cfg(test)]
mod tests;
