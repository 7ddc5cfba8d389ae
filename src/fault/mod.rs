//! Fault rules: match a frame and change it.
//!
//! Owns the rule model and its application to frames. Refuses to own where frames come from and
//! where they are recorded. Invariant: with the same rules, seed and frames the same changes happen.

mod chance;
mod injector;
mod model;

pub use injector::{Delivery, Injector, RuleError};
pub use model::{Match, Rule};
