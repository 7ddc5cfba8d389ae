//! Detail toggles: the same call at the brief and at the full level.
//!
//! A case is one property of one tool, named `TOOL.PROPERTY`: `brief`, `control` (brief again),
//! `full`, and `omitted` (the property left out).

use serde_json::{Map, Value, json};

use crate::capture::{Flow, Role, Step};
use crate::contract::Tool;
use crate::drive::arguments::base_of;
use crate::drive::driver::{Driver, Stop};
use crate::schema::{properties, simplified, types};

const BRIEF: [&str; 6] = ["summary", "concise", "brief", "compact", "minimal", "short"];
const FULL: [&str; 6] = ["full", "detailed", "complete", "verbose", "extended", "all"];

/// Runs the flow.
pub(in crate::drive) async fn detail(driver: &mut Driver<'_>) -> Result<(), Stop> {
    for tool in driver.tools() {
        if !tool.is_read_only() || driver.memory.proven(&tool.name).is_empty() {
            continue;
        }
        for (property, brief, full) in toggles(&tool) {
            if !driver.is_usable(&tool.name) || !driver.may_go_on("detail", Some(&tool.name)) {
                break;
            }
            let Some((mut base, _)) = base_of(driver, &tool) else { continue };
            base.shift_remove(&property);
            toggle(driver, &tool, &property, &base, [brief, full]).await?;
        }
    }
    Ok(())
}

async fn toggle(
    driver: &mut Driver<'_>,
    tool: &Tool,
    property: &str,
    base: &Map<String, Value>,
    [brief, full]: [Value; 2],
) -> Result<(), Stop> {
    let step = Step::new(Flow::Detail, format!("{}.{property}", tool.name));
    let calls = [
        (Role::Brief, Some(&brief)),
        (Role::Control, Some(&brief)),
        (Role::Full, Some(&full)),
        (Role::Omitted, None),
    ];
    for (role, value) in calls {
        let mut arguments = base.clone();
        if let Some(value) = value {
            arguments.insert(property.to_owned(), value.clone());
        }
        if driver.is_valid(tool, &arguments) {
            driver.call(&step.role(role), &tool.name, &arguments).await?;
        }
    }
    Ok(())
}

/// Properties of the input that turn the density of the result, with their two ends: an enum that
/// holds a brief and a full word, or a boolean switch of that meaning.
fn toggles(tool: &Tool) -> Vec<(String, Value, Value)> {
    let Some(root) = simplified(&tool.input, &tool.input) else { return Vec::new() };
    let of_enum = |node: &Value| {
        let values = node.get("enum")?.as_array()?;
        let pick = |words: &[&str]| {
            let is_word = |value: &&Value| {
                value
                    .as_str()
                    .is_some_and(|text| words.contains(&text.to_ascii_lowercase().as_str()))
            };
            values.iter().find(is_word).cloned()
        };
        Some((pick(&BRIEF)?, pick(&FULL)?))
    };
    let mut out = Vec::new();
    for (name, schema) in properties(&root) {
        let Some(node) = simplified(&tool.input, schema) else { continue };
        let lower = name.to_ascii_lowercase();
        let switch = ["full", "verbose", "detailed"].contains(&lower.as_str());
        if let Some((brief, full)) = of_enum(&node) {
            out.push((name.clone(), brief, full));
        } else if switch && types(&node) == ["boolean"] {
            out.push((name.clone(), json!(false), json!(true)));
        }
    }
    out
}
