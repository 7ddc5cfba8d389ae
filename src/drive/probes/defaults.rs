//! Published defaults: the same call with the property left out, given its default, given another
//! legal value.
//!
//! A case is one property of one read-only tool, named `TOOL.PROPERTY`: `omitted`, `control`
//! (omitted again), `explicit`, `other`.

use serde_json::{Map, Value};

use crate::capture::{Flow, Role, Step};
use crate::contract::Tool;
use crate::drive::arguments::{base_of, is_continuation, other_values};
use crate::drive::driver::{Driver, Stop};
use crate::schema::{properties, simplified};

/// Properties probed in one tool.
const PER_TOOL: usize = 8;

/// Runs the flow.
pub(in crate::drive) async fn defaults(driver: &mut Driver<'_>) -> Result<(), Stop> {
    for tool in driver.tools() {
        if !tool.is_read_only() || driver.memory.proven(&tool.name).is_empty() {
            continue;
        }
        for (property, default) in published(&tool).into_iter().take(PER_TOOL) {
            if !driver.is_usable(&tool.name) || !driver.may_go_on(Flow::Defaults, Some(&tool.name))
            {
                break;
            }
            probe(driver, &tool, &property, &default).await?;
        }
    }
    Ok(())
}

fn published(tool: &Tool) -> Vec<(String, Value)> {
    let Some(root) = simplified(&tool.input, &tool.input) else { return Vec::new() };
    properties(&root)
        .filter(|(name, _)| !is_continuation(name))
        .filter_map(|(name, schema)| {
            let node = simplified(&tool.input, schema)?;
            // A null default says "absent": there is nothing to compare.
            let default = node.get("default").filter(|default| !default.is_null())?;
            Some((name.clone(), default.clone()))
        })
        .collect()
}

async fn probe(
    driver: &mut Driver<'_>,
    tool: &Tool,
    property: &str,
    default: &Value,
) -> Result<(), Stop> {
    let Some((mut base, _)) = base_of(driver, tool) else { return Ok(()) };
    base.shift_remove(property);
    let other = other_values(driver, tool, &base, property, default).into_iter().next();
    let with = |value: &Value| {
        let mut arguments: Map<String, Value> = base.clone();
        arguments.insert(property.to_owned(), value.clone());
        arguments
    };
    let mut calls = vec![
        (Role::Omitted, base.clone()),
        (Role::Control, base.clone()),
        (Role::Explicit, with(default)),
    ];
    calls.extend(other.map(|other| (Role::Other, with(&other))));
    let step = Step::new(Flow::Defaults, format!("{}.{property}", tool.name));
    for (role, arguments) in calls {
        if driver.is_valid(tool, &arguments) {
            driver.call(&step.role(role), &tool.name, &arguments).await?;
        }
    }
    Ok(())
}
