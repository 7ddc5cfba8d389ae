//! Repairs that failures recommend, carried out to the letter.
//!
//! A case is the failing call again (role `call`), the recommended call (`repair`), and, when the
//! recommended call is of another tool, the original call without its fault (`retry`).

use std::collections::HashSet;

use super::driver::{Driver, Stop};
use super::forced_error::Repairable;
use super::payload::repair_of;
use crate::capture::{Flow, Role, Step};

/// Repairs carried out for one tool.
const PER_TOOL: usize = 6;

/// Runs the flow over the failures that the forced errors brought.
pub(super) async fn repair(driver: &mut Driver<'_>, found: Vec<Repairable>) -> Result<(), Stop> {
    let mut seen = HashSet::new();
    let mut counts: std::collections::HashMap<String, usize> = std::collections::HashMap::new();
    for failure in found {
        let class = failure.case.split(' ').nth(1).unwrap_or_default().to_owned();
        let kind = (
            failure.tool.clone(),
            failure.code.clone(),
            failure.repair.tool.clone(),
            // Corrections of one tool by itself differ by what they correct.
            (failure.repair.tool == failure.tool).then_some(class),
        );
        let count = counts.entry(failure.tool.clone()).or_default();
        if *count >= PER_TOOL || !seen.insert(kind) {
            continue;
        }
        *count += 1;
        if !driver.may_go_on(Flow::Repair, Some(&failure.tool)) {
            return Ok(());
        }
        carry_out(driver, &failure).await?;
    }
    Ok(())
}

async fn carry_out(driver: &mut Driver<'_>, failure: &Repairable) -> Result<(), Stop> {
    let step = Step::new(Flow::Repair, &failure.case);
    let again = driver.call(&step.role(Role::Call), &failure.tool, &failure.arguments).await?;
    let Some(repair) = again.as_ref().and_then(repair_of) else { return Ok(()) };
    let done = driver.call(&step.role(Role::Repair), &repair.tool, &repair.arguments).await?;
    if done.is_some() && repair.tool != failure.tool && !failure.corrected.is_empty() {
        driver.call(&step.role(Role::Retry), &failure.tool, &failure.corrected).await?;
    }
    Ok(())
}
