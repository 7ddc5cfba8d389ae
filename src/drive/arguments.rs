//! Arguments for valid calls: what somebody wrote, what was seen to work, what can be made up.

use serde_json::{Map, Value};

use super::driver::Driver;
use super::memory::{Memory, Proven};
use crate::contract::Tool;
use crate::schema::{Instances, plausible, properties, required, simplified, types};

/// Attempts at exchanging one made-up value for another until the whole is valid.
const ATTEMPTS: usize = 48;
/// Optional properties that the rich set adds.
const RICH: usize = 4;

/// Argument objects for a tool, best first, each once, each valid by the published schema:
/// arguments that worked, written examples, the required properties alone, and these with some
/// optional ones.
pub(super) fn argument_sets(driver: &mut Driver<'_>, tool: &Tool) -> Vec<Map<String, Value>> {
    let proven = driver.memory.proven(&tool.name).iter();
    let mut offers: Vec<_> = proven.map(|proven| proven.arguments.clone()).collect();
    offers.extend(driver.memory.examples(tool));
    if let Some(minimal) = minimal(driver, tool) {
        offers.push(minimal.clone());
        offers.push(rich(driver, tool, &minimal));
    }
    let mut sets = Vec::new();
    for offer in offers {
        let offer = own_keys(driver, tool, offer);
        if !sets.contains(&offer) && driver.is_valid(tool, &offer) {
            sets.push(offer);
        }
    }
    sets
}

/// Arguments to break or to probe with: the richest of those that worked and brought rows, else
/// the first valid ones; the flag says whether they worked.
pub(super) fn base_of(driver: &mut Driver<'_>, tool: &Tool) -> Option<(Map<String, Value>, bool)> {
    let proven = driver.memory.proven(&tool.name).iter();
    // The last of the richest is the first that was seen: `rev` undoes that.
    let worth = |proven: &&Proven| (proven.rows > 0, proven.arguments.len());
    if let Some(best) = proven.rev().max_by_key(worth) {
        let arguments = best.arguments.clone();
        return Some((own_keys(driver, tool, arguments), true));
    }
    argument_sets(driver, tool).into_iter().next().map(|arguments| (arguments, false))
}

/// The required properties alone, valid as a whole.
pub(super) fn minimal(driver: &mut Driver<'_>, tool: &Tool) -> Option<Map<String, Value>> {
    let mut pools: Vec<(String, Vec<Value>)> = Vec::new();
    let mut arguments = {
        let suggest = |name: &str, schema: &Value| suggestions(&driver.memory, tool, name, schema);
        let instances = Instances::new(&tool.input, &suggest);
        let first = instances.required_only()?;
        pools.extend(first.keys().map(|name| (name.clone(), instances.of_property(name))));
        first
    };
    // Keep what examples say together: values of one example belong to each other.
    let examples = driver.memory.examples(tool);
    for example in &examples {
        let kept: Option<Map<String, Value>> =
            arguments.keys().map(|name| Some((name.clone(), example.get(name)?.clone()))).collect();
        if let Some(kept) = kept.filter(|kept| driver.is_valid(tool, kept)) {
            return Some(kept);
        }
    }
    let mut attempts = 0;
    for (name, pool) in &pools {
        if driver.is_valid(tool, &arguments) {
            return Some(arguments);
        }
        for value in pool {
            attempts += 1;
            if attempts > ATTEMPTS {
                return None;
            }
            let mut trial = arguments.clone();
            trial.insert(name.clone(), value.clone());
            if driver.is_valid(tool, &trial) {
                return Some(trial);
            }
            arguments = trial;
        }
    }
    driver.is_valid(tool, &arguments).then_some(arguments)
}

/// What the run has learnt, and what exists on most machines. The latter is for tools that only
/// look: nobody wants a made-up deletion to hit the working directory.
fn suggestions(memory: &Memory, tool: &Tool, name: &str, schema: &Value) -> Vec<Value> {
    let mut offers = memory.suggest(name, schema);
    if tool.is_read_only() {
        let name = name.to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&["path", "dir", "directory", "folder"]) {
            offers.push(Value::from("."));
        } else if ends(&["revision", "commit"]) {
            offers.push(Value::from("HEAD"));
        }
    }
    offers
}

/// The minimal arguments and a few optional ones whose value the schema itself shows.
fn rich(driver: &mut Driver<'_>, tool: &Tool, minimal: &Map<String, Value>) -> Map<String, Value> {
    let mut arguments = minimal.clone();
    let Some(root) = simplified(&tool.input, &tool.input) else { return arguments };
    let needed = required(&root);
    let mut added = 0;
    for (name, schema) in properties(&root) {
        let is_wanted = !is_continuation(name) && !is_call_key(tool, name);
        if added == RICH || needed.contains(&name.as_str()) || !is_wanted {
            continue;
        }
        let Some(node) = simplified(&tool.input, schema) else { continue };
        let first = |key: &str| node.get(key).and_then(|values| values.get(0)).cloned();
        let boolean = (types(&node) == ["boolean"]).then_some(Value::Bool(false));
        let shown = node.get("default").cloned().filter(|value| !value.is_null());
        let Some(value) = shown.or_else(|| first("enum")).or_else(|| first("examples")).or(boolean)
        else {
            continue;
        };
        let mut trial = arguments.clone();
        trial.insert(name.clone(), value);
        if driver.is_valid(tool, &trial) {
            arguments = trial;
            added += 1;
        }
    }
    arguments
}

/// Values for one property other than `not`, each valid beside the given arguments.
pub(super) fn other_values(
    driver: &mut Driver<'_>,
    tool: &Tool,
    arguments: &Map<String, Value>,
    property: &str,
    not: &Value,
) -> Vec<Value> {
    let pool = {
        let suggest = |name: &str, schema: &Value| suggestions(&driver.memory, tool, name, schema);
        Instances::new(&tool.input, &suggest).of_property(property)
    };
    let mut out = Vec::new();
    for value in pool.into_iter().filter(|value| value != not) {
        let mut trial = arguments.clone();
        trial.insert(property.to_owned(), value.clone());
        if driver.is_valid(tool, &trial) {
            out.push(value);
        }
    }
    out
}

/// Whether a property takes a continuation token.
pub(super) fn is_continuation(name: &str) -> bool {
    let name: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    name.ends_with("cursor")
        || ["pagetoken", "nexttoken", "nextpagetoken", "continuationtoken", "after"]
            .contains(&name.as_str())
}

/// The property that makes a repeat harmless, by its usual names.
pub(super) fn key_property(tool: &Tool) -> Option<String> {
    let root = simplified(&tool.input, &tool.input)?;
    properties(&root).map(|(name, _)| name).find(|name| is_key_name(name)).cloned()
}

fn is_key_name(name: &str) -> bool {
    let name = name.replace(['_', '-'], "").to_ascii_lowercase();
    ["idempotency", "dedup", "clientrequest", "clientmutation", "request"]
        .iter()
        .any(|start| ["key", "id", "token"].iter().any(|end| name == format!("{start}{end}")))
}

/// The properties of a tool that tell one call from another. A `request_id` is one only where it
/// cannot be the name of a request to look up.
fn call_keys(tool: &Tool) -> Vec<(String, Value)> {
    let Some(root) = simplified(&tool.input, &tool.input) else { return Vec::new() };
    let needed = required(&root);
    let is_key = |name: &str, schema: &Value| {
        let told = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let told = told.to_ascii_lowercase();
        let speaks_of_repeats =
            ["idempot", "dedup", "retr", "repeat"].iter().any(|word| told.contains(word));
        let is_plain = name.to_ascii_lowercase().starts_with("request");
        let names_nothing = !tool.is_read_only() && !needed.contains(&name);
        is_key_name(name) && (!is_plain || speaks_of_repeats || names_nothing)
    };
    properties(&root)
        .filter(|(name, schema)| is_key(name, schema))
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect()
}

/// Whether a property of a tool tells one call from another.
pub(super) fn is_call_key(tool: &Tool, name: &str) -> bool {
    call_keys(tool).iter().any(|(key, _)| key == name)
}

/// Arguments without keys of repetition, or with fresh ones where the tool needs them: a key that
/// was sent before, such as one of an example, makes a server rightly refuse other arguments.
fn own_keys(
    driver: &mut Driver<'_>,
    tool: &Tool,
    mut arguments: Map<String, Value>,
) -> Map<String, Value> {
    let keys = call_keys(tool);
    let root = simplified(&tool.input, &tool.input).unwrap_or_default();
    let needed = required(&root);
    for (name, _) in keys.iter().filter(|(name, _)| !needed.contains(&name.as_str())) {
        let Some(value) = arguments.shift_remove(name) else { continue };
        if !driver.is_valid(tool, &arguments) {
            arguments.insert(name.clone(), value);
        }
    }
    let base = arguments.clone();
    fresh_keys(driver, tool, &base, arguments)
}

/// Arguments that were made out of `base`, with a new key wherever they still have its key.
pub(super) fn fresh_keys(
    driver: &mut Driver<'_>,
    tool: &Tool,
    base: &Map<String, Value>,
    mut arguments: Map<String, Value>,
) -> Map<String, Value> {
    for (name, schema) in call_keys(tool) {
        let Some(old) = arguments.get(&name).filter(|value| base.get(&name) == Some(*value)) else {
            continue;
        };
        let Some(node) = simplified(&tool.input, &schema) else { continue };
        let number = driver.memory.next_key();
        let forms = [
            // The form that most patterns and formats let through comes first.
            Value::from(format!("00000000-0000-4000-8000-{number:012}")),
            Value::from(format!("hallmark-call-{number}")),
            Value::from(number),
        ];
        let fits = |form: &Value| form.is_string() == old.is_string() && plausible(&node, form);
        if let Some(fresh) = forms.into_iter().find(fits) {
            arguments.insert(name, fresh);
        }
    }
    arguments
}
