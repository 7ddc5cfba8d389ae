//! JSON Schema as data: walking, compiling, validating, building minimal instances and breaking
//! one constraint at a time.
//!
//! Owns everything that is true of a schema without a server. Refuses to own the wire. Invariant:
//! no reference outside the document is ever fetched.

mod breaking;
mod broken_values;
mod instance;
mod node;
mod sample;

pub use breaking::{BreakClass, Breakage, breakages, breaks_required_or_type, unmistakable};
pub use instance::{Instances, Suggest, plausible};
pub use node::{has_type, properties, required, simplified, types, union_types};
pub use sample::sample_of_pattern;
