//! Which built-in check has which id.

use super::Builtin;

/// Finds a built-in check by id.
pub fn builtin(id: &str) -> Option<Builtin> {
    FAMILIES.iter().flat_map(|family| family.iter()).find(|(name, _)| *name == id).map(|(_, f)| *f)
}

/// Every family's table of ids and functions.
const FAMILIES: &[&[(&str, Builtin)]] = &[];
