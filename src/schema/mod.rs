//! JSON Schema as data: walking, compiling, validating, building minimal instances and breaking
//! one constraint at a time.
//!
//! Owns everything that is true of a schema without a server. Refuses to own the wire. Invariant:
//! no reference outside the document is ever fetched, and no schema takes unbounded time.

mod breaking;
mod broken_values;
mod children;
mod detail;
mod instance;
mod node;
mod parameters;
mod patterns;
mod sample;
mod validator;
mod walk;

pub use breaking::{
    BreakClass, Breakage, breakages, breaks_required_or_type, lacks_required, unmistakable,
};
pub use children::{Role, resolve};
pub use detail::{Detail, DetailKind, default_of, detail};
pub use instance::{Instances, Suggest, plausible};
pub use node::{has_type, properties, required, simplified, types, union_types};
pub use parameters::{
    Parameter, accepts_empty, allowed_values, declared_rows, leaf_properties, parameters,
};
pub use sample::sample_of_pattern;
pub use validator::{SchemaFault, Validator, Validators, Violation};
pub use walk::{Place, is_closed, is_type, walk};
