//! Detail toggles: the same call at the brief and at the full level.
//!
//! A case is one property of one tool, named `TOOL.PROPERTY`: `brief`, `control` (brief again),
//! `full`, and `omitted` (the property left out).

use serde_json::{Map, Value};

use crate::capture::{Flow, Role, Step};
use crate::contract::Tool;
use crate::drive::arguments::base_of;
use crate::drive::driver::{Driver, Stop};
use crate::schema::{self, Detail};

/// Runs the flow.
pub(in crate::drive) async fn detail(driver: &mut Driver<'_>) -> Result<(), Stop> {
    for tool in driver.tools() {
        if !tool.is_read_only() || driver.memory.proven(&tool.name).is_empty() {
            continue;
        }
        let Some(detail) = schema::detail(&tool.input) else { continue };
        let Some((mut base, _)) = base_of(driver, &tool) else { continue };
        if driver.is_usable(&tool.name) && driver.may_go_on(Flow::Detail, Some(&tool.name)) {
            base.shift_remove(&detail.property);
            toggle(driver, &tool, &detail, &base).await?;
        }
    }
    Ok(())
}

async fn toggle(
    driver: &mut Driver<'_>,
    tool: &Tool,
    detail: &Detail,
    base: &Map<String, Value>,
) -> Result<(), Stop> {
    let Detail { property, brief, full, .. } = detail;
    let step = Step::new(Flow::Detail, format!("{}.{property}", tool.name));
    let calls = [
        (Role::Brief, Some(brief)),
        (Role::Control, Some(brief)),
        (Role::Full, Some(full)),
        (Role::Omitted, None),
    ];
    for (role, value) in calls {
        let mut arguments = base.clone();
        if let Some(value) = value {
            arguments.insert(property.clone(), value.clone());
        }
        if driver.is_valid(tool, &arguments) {
            driver.call(&step.role(role), &tool.name, &arguments).await?;
        }
    }
    Ok(())
}
