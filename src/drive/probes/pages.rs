//! Walks of tools that page their own results.
//!
//! A case is one tool, named after it; every page has the role `page`. The walk starts without a
//! token, follows the token of each result, and ends without one, at a repetition, or at the bound.
//! Last, the first token with its end changed is sent (role `call`): a server that minted a token
//! must notice.

use std::cmp::Reverse;

use serde_json::{Map, Value, json};

use crate::capture::{Flow, Role, Step};
use crate::contract::Tool;
use crate::drive::arguments::is_continuation;
use crate::drive::driver::{Driver, Stop, succeeded};
use crate::drive::memory::Proven;
use crate::drive::payload::{continuation, payload};
use crate::schema::{properties, simplified, types};

/// Names of properties that say how many rows a page has.
const SIZES: [&str; 8] =
    ["limit", "pagesize", "perpage", "maxresults", "count", "first", "top", "size"];

/// Runs the flow.
pub(in crate::drive) async fn pages(driver: &mut Driver<'_>) -> Result<(), Stop> {
    for tool in driver.tools() {
        let Some(token) = token_property(&tool) else { continue };
        if !tool.is_read_only() || driver.memory.proven(&tool.name).is_empty() {
            continue;
        }
        // The most rows make the longest walk; among equals, the fewest filters.
        let worth = |proven: &&Proven| (proven.rows, Reverse(proven.arguments.len()));
        let best = driver.memory.proven(&tool.name).iter().max_by_key(worth);
        let Some(mut base) = best.map(|proven| proven.arguments.clone()) else { continue };
        base.shift_remove(&token);
        let step = Step::new(Flow::Pages, &tool.name);
        let walked = walk(driver, &tool, &step, &base, &token).await?;
        if walked.pages == 1
            && let Some((size, value)) = small_page(&tool)
        {
            // One page shows nothing of the walk: ask for smaller ones.
            let mut small = base.clone();
            small.insert(size.clone(), value);
            if driver.is_valid(&tool, &small) {
                let step = Step::new(Flow::Pages, format!("{}: small {size}", tool.name));
                walk(driver, &tool, &step, &small, &token).await?;
            }
        }
    }
    Ok(())
}

/// How far a walk came.
struct Walked {
    pages: u32,
}

async fn walk(
    driver: &mut Driver<'_>,
    tool: &Tool,
    step: &Step,
    base: &Map<String, Value>,
    property: &str,
) -> Result<Walked, Stop> {
    let mut arguments = base.clone();
    let mut seen: Vec<String> = Vec::new();
    let mut pages = 0;
    while pages < driver.scenario.limits.pages
        && driver.is_usable(&tool.name)
        && driver.may_go_on(Flow::Pages, Some(&tool.name))
    {
        let reply = driver.call(&step.role(Role::Page), &tool.name, &arguments).await?;
        let Some(reply) = reply.filter(succeeded) else { break };
        pages += 1;
        let next = payload(&reply).as_ref().and_then(continuation);
        let Some(next) = next.filter(|next| !seen.contains(next)) else { break };
        arguments.insert(property.to_owned(), json!(next));
        seen.push(next);
    }
    if let Some(first) = seen.first() {
        let altered = |token: String| {
            let mut arguments = base.clone();
            arguments.insert(property.to_owned(), json!(token));
            arguments
        };
        // Only what the schema lets through reaches the server's own look at the token.
        let altered =
            tampered(first).into_iter().filter(|token| !seen.contains(token)).map(altered);
        let fitting = altered.into_iter().find(|arguments| driver.is_valid(tool, arguments));
        if let Some(arguments) = fitting.filter(|_| driver.is_usable(&tool.name)) {
            driver.call(&step.role(Role::Call), &tool.name, &arguments).await?;
        }
    }
    Ok(Walked { pages })
}

/// Tokens that were never given out and look like one that was: a letter in the middle changed for
/// another (the very last character of base64 may carry unused bits only), or the last digit.
fn tampered(token: &str) -> Vec<String> {
    let characters: Vec<char> = token.chars().collect();
    let with = |at: usize, one: char, other: char| -> String {
        let mut characters = characters.clone();
        characters[at] = if characters[at] == one { other } else { one };
        characters.into_iter().collect()
    };
    let middle = (!characters.is_empty()).then(|| with(characters.len() / 2, 'A', 'B'));
    let digit = characters.iter().rposition(char::is_ascii_digit).map(|at| with(at, '8', '9'));
    middle.into_iter().chain(digit).collect()
}

fn token_property(tool: &Tool) -> Option<String> {
    let root = simplified(&tool.input, &tool.input)?;
    let found = properties(&root)
        .find(|(name, node)| is_continuation(name) && node.get("format").is_none());
    found.map(|(name, _)| name.clone())
}

/// A property that sets the number of rows, and a small legal value.
fn small_page(tool: &Tool) -> Option<(String, Value)> {
    let root = simplified(&tool.input, &tool.input)?;
    let found = properties(&root).find(|(name, node)| {
        let name = name.replace(['_', '-'], "").to_ascii_lowercase();
        SIZES.contains(&name.as_str())
            && types(node).iter().any(|kind| ["integer", "number"].contains(kind))
    });
    found.map(|(name, node)| {
        let least = node.get("minimum").and_then(Value::as_i64).unwrap_or(1);
        (name.clone(), json!(least.max(2)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tampering_changes_one_character() {
        for (token, forms) in [("A", 1), ("eyJvIjoxMH0", 2), ("AAAA", 1), ("page-8", 2), ("", 0)] {
            let changed = tampered(token);
            assert_eq!(changed.len(), forms, "{token}");
            for changed in changed {
                assert_eq!(changed.len(), token.len());
                let different = changed.chars().zip(token.chars()).filter(|(a, b)| a != b).count();
                assert_eq!(different, 1, "{token}");
            }
        }
    }
}
