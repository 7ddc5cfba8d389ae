//! Which built-in check has which id.

use super::{Builtin, Reach};
use super::{
    carrier, closed, codes, content_twins, defaults, detail, effects, enforced, envelope, field,
    granularity, hidden_text, hints, leaks, names, output, paging, parameters, prose, repair,
    repair_run, summary, tools_effects,
};
use super::{
    wire_codes, wire_cost, wire_lifecycle, wire_members, wire_message, wire_notices, wire_rpc,
    wire_transport,
};

/// Finds a built-in check by id, and how far it looks.
pub fn builtin(id: &str) -> Option<(Builtin, Reach)> {
    let mut families = FAMILIES.iter();
    families.find_map(|(reach, family)| {
        let (_, look) = family.iter().find(|(name, _)| *name == id)?;
        Some((*look, *reach))
    })
}

/// The ids of every built-in check.
pub fn builtin_ids() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|(_, family)| family.iter()).map(|(id, _)| *id)
}

/// A family's table of ids and functions.
type Family = &'static [(&'static str, Builtin)];

/// Every family's tables, with how far their checks look.
const FAMILIES: &[(Reach, Family)] = &[
    (Reach::Capture, carrier::CHECKS),
    (Reach::Capture, closed::CHECKS),
    (Reach::Capture, codes::CHECKS),
    (Reach::Capture, content_twins::CHECKS),
    (Reach::Capture, defaults::CHECKS),
    (Reach::Capture, detail::CHECKS),
    (Reach::Capture, effects::CHECKS),
    (Reach::Capture, enforced::CHECKS),
    (Reach::Capture, envelope::CHECKS),
    (Reach::Capture, granularity::CHECKS),
    (Reach::Capture, hidden_text::CHECKS),
    (Reach::Capture, hints::CHECKS),
    (Reach::Capture, names::CHECKS),
    (Reach::Capture, output::CHECKS),
    (Reach::Capture, paging::CHECKS),
    (Reach::Capture, parameters::CHECKS),
    (Reach::Capture, prose::CHECKS),
    (Reach::Capture, repair_run::CHECKS),
    (Reach::Capture, summary::CHECKS),
    (Reach::Capture, tools_effects::CHECKS),
    (Reach::Capture, wire_message::CHECKS),
    (Reach::Capture, wire_lifecycle::CHECKS),
    (Reach::Capture, wire_notices::CHECKS),
    (Reach::Capture, wire_members::CHECKS),
    (Reach::Capture, wire_rpc::CHECKS),
    (Reach::Capture, wire_codes::CHECKS),
    (Reach::Capture, wire_transport::CHECKS),
    (Reach::Capture, wire_cost::CHECKS),
    (Reach::Values, carrier::OF_VALUES),
    (Reach::Values, codes::OF_VALUES),
    (Reach::Values, defaults::OF_VALUES),
    (Reach::Values, effects::OF_VALUES),
    (Reach::Values, enforced::OF_VALUES),
    (Reach::Values, envelope::OF_VALUES),
    (Reach::Values, field::OF_VALUES),
    (Reach::Values, leaks::OF_VALUES),
    (Reach::Values, output::OF_VALUES),
    (Reach::Values, paging::OF_VALUES),
    (Reach::Values, repair::OF_VALUES),
    (Reach::Values, wire_message::OF_VALUES),
    (Reach::Values, wire_lifecycle::OF_VALUES),
    (Reach::Values, wire_codes::OF_VALUES),
];
