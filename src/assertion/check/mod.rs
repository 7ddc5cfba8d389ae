//! The built-in checks, one file a family.
//!
//! A check is a pure function over one subject. The engine enumerates the subjects, counts them,
//! and decides `not observed`; a check only looks.

mod carrier;
mod closed;
mod codes;
mod compare;
mod content_twins;
mod controls;
mod defaults;
mod detail;
mod effects;
mod enforced;
mod envelope;
mod failure;
mod field;
mod granularity;
mod hidden_text;
mod hints;
mod leaks;
mod lexicon;
mod look;
mod names;
mod naming;
mod output;
mod paging;
mod parameters;
mod prose;
mod registry;
mod repair;
mod repair_run;
mod rows;
mod scope;
mod summary;
mod summary_weight;
mod survey;
mod tools_effects;
mod violation;
mod wire_codes;
mod wire_cost;
mod wire_facts;
mod wire_lifecycle;
mod wire_members;
mod wire_message;
mod wire_notices;
mod wire_rpc;
mod wire_transport;

pub use carrier::unflagged_failure;
pub use controls::Controls;
pub use look::{Builtin, Look, Reach, View, finding};
pub use naming::Naming;
pub use registry::{builtin, builtin_ids};
pub use survey::Survey;

#[cfg(test)]
mod tests;
