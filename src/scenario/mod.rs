//! Scenario files: model and loader.
//!
//! Owns what a scenario file may say and how it is read. Refuses to own what happens on the wire
//! (that is `drive`). Invariant: a scenario that was loaded is complete and consistent: names are
//! unique, every mode and every saved value that it uses is declared in it.

mod case;
mod check;
mod entry;
mod load;
mod model;
mod numbers;

pub use case::{Action, CallSpec, Case, ErrorExpectation, Expectation, RepairPlan, Request, Then};
pub use entry::{FlowEntry, FlowName, ForcedErrors, PerTool};
pub use load::{builtin_ids, load_builtin, load_scenario, parse_scenario};
pub use model::{Kind, Mode, RunLimits, Scenario, TargetChoice};
