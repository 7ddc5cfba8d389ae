//! Which built-in check has which id.

use super::Builtin;
use super::{
    carrier, closed, codes, defaults, detail, effects, envelope, field, granularity, hints, leaks,
    names, output, paging, parameters, prose, repair, repair_run, summary,
};
use super::{
    wire_codes, wire_cost, wire_lifecycle, wire_members, wire_message, wire_notices, wire_rpc,
    wire_transport,
};

/// Finds a built-in check by id.
pub fn builtin(id: &str) -> Option<Builtin> {
    FAMILIES.iter().flat_map(|family| family.iter()).find(|(name, _)| *name == id).map(|(_, f)| *f)
}

/// The ids of every built-in check.
pub fn builtin_ids() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().flat_map(|family| family.iter()).map(|(id, _)| *id)
}

/// Every family's table of ids and functions.
const FAMILIES: &[&[(&str, Builtin)]] = &[
    carrier::CHECKS,
    closed::CHECKS,
    codes::CHECKS,
    defaults::CHECKS,
    detail::CHECKS,
    effects::CHECKS,
    envelope::CHECKS,
    field::CHECKS,
    granularity::CHECKS,
    hints::CHECKS,
    leaks::CHECKS,
    names::CHECKS,
    output::CHECKS,
    paging::CHECKS,
    parameters::CHECKS,
    prose::CHECKS,
    repair::CHECKS,
    repair_run::CHECKS,
    summary::CHECKS,
    wire_message::CHECKS,
    wire_lifecycle::CHECKS,
    wire_notices::CHECKS,
    wire_members::CHECKS,
    wire_rpc::CHECKS,
    wire_codes::CHECKS,
    wire_transport::CHECKS,
    wire_cost::CHECKS,
];
