//! The built-in checks, one file a family.
//!
//! A check is a pure function over one subject. The engine enumerates the subjects, counts them,
//! and decides `not observed`; a check only looks.

mod look;

pub use look::{Builtin, Look, View, finding};

/// Finds a built-in check by id.
pub fn builtin(id: &str) -> Option<Builtin> {
    FAMILIES.iter().flat_map(|family| family.iter()).find(|(name, _)| *name == id).map(|(_, f)| *f)
}

/// Every family's table of ids and functions.
const FAMILIES: &[&[(&str, Builtin)]] = &[];
