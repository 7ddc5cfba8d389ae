//! SUMMARY of the rule registry: every surface that carries a capability summary.
//!
//! A surface is a candidate by its name, or because the scenario's parameter `summary_surface`
//! names it. A body that was read for another reason and holds a member such as `does_not` is a
//! summary too, whatever its name: nothing else has such a member.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Carrier, CarrierKind, Contract, Exchange, Summary, Tool};
use crate::schema::accepts_empty;

/// What the name, title or uri of a summary contains, once it is in lower case and its words are
/// joined by underscores.
const NAMES: &[&str] = &["capabilit", "summary", "about", "server_info", "serverinfo"];
/// Members that only a summary has.
const TELLING: &[&str] = &["does_not", "doesNot", "not_supported", "out_of_scope", "non_goals"];

/// Whether a name, title or uri says that it belongs to a capability summary.
pub fn names_summary(text: &str) -> bool {
    let name: String = text
        .chars()
        .map(|c| if matches!(c, '-' | ' ' | '.') { '_' } else { c.to_ascii_lowercase() })
        .collect();
    NAMES.iter().any(|part| name.contains(part))
}

/// Whether a listed resource may carry the summary, by its record.
pub fn may_carry_summary(record: &Value) -> bool {
    ["uri", "name", "title"]
        .into_iter()
        .filter_map(|member| record.get(member)?.as_str())
        .any(names_summary)
}

/// Whether a tool can be called for a summary at no risk: read-only and without arguments.
pub fn is_askable(tool: &Tool) -> bool {
    tool.is_read_only() && accepts_empty(&tool.input)
}

/// Surfaces that the scenario names as summary: uris or tool names.
pub fn named_surfaces(contract: &Contract) -> Vec<&str> {
    match contract.params().get("summary_surface") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Finds every carrier in what was read, and every candidate that was not.
pub(super) fn find_summary(contract: &Contract) -> Summary {
    let named = named_surfaces(contract);
    let carrying = contract.resources.iter().filter(|r| may_carry_summary(&r.record));
    let carrying: HashSet<&str> = carrying.map(|resource| resource.uri.as_str()).collect();
    let resource_candidate =
        |uri: &str| named.contains(&uri) || names_summary(uri) || carrying.contains(uri);
    let tool_candidate = |tool: &Tool| {
        named.contains(&tool.name.as_str()) || (is_askable(tool) && names_summary(&tool.name))
    };
    let mut carriers: Vec<Carrier> = instructions(contract).into_iter().collect();
    let mut asked: HashSet<&str> = HashSet::new();
    let mut untried: Vec<&str> = Vec::new();
    for exchange in &contract.exchanges {
        let answered = exchange.answer_seq.is_some();
        let (name, found, candidate) = match &*exchange.method {
            "resources/read" => {
                let Some(uri) = exchange.params.get("uri").and_then(Value::as_str) else {
                    continue;
                };
                (uri, of_resource(exchange, uri), resource_candidate(uri))
            }
            "tools/call" if has_no_arguments(exchange) => {
                let Some(call) = contract.call(exchange) else { continue };
                let Some(tool) = call.tool else { continue };
                if !is_askable(tool) && !named.contains(&call.name) {
                    continue;
                }
                let found = if call.is_success() { of_tool(exchange, call.name) } else { vec![] };
                (call.name, found, tool_candidate(tool))
            }
            _ => continue,
        };
        if !answered || !asked.insert(name) {
            continue;
        }
        carriers.extend(found.into_iter().filter(|carrier| {
            !carrier.text.trim().is_empty() && (candidate || tells(carrier.json.as_ref()))
        }));
    }
    let resources = contract
        .resources
        .iter()
        .map(|resource| (resource.uri.as_str(), resource_candidate(&resource.uri)));
    let tools = contract
        .tools
        .iter()
        .filter(|tool| is_askable(tool) || tool_candidate(tool))
        .map(|tool| (tool.name.as_str(), tool_candidate(tool)));
    let mut unread = Vec::new();
    for (name, candidate) in resources.chain(tools).filter(|(name, _)| !asked.contains(name)) {
        if candidate { unread.push(name.to_owned()) } else { untried.push(name) }
    }
    Summary { carriers, unread, untried: untried.into_iter().map(str::to_owned).collect() }
}

fn has_no_arguments(exchange: &Exchange) -> bool {
    exchange
        .params
        .get("arguments")
        .is_none_or(|arguments| arguments.as_object().is_some_and(Map::is_empty))
}

fn instructions(contract: &Contract) -> Option<Carrier> {
    let text = contract.identity.instructions.clone()?;
    (!text.trim().is_empty()).then(|| Carrier {
        kind: CarrierKind::Instructions,
        name: "instructions".to_owned(),
        json: parse(&text),
        text,
        seq: contract.identity.seq.clone(),
        pointer: "/result/instructions".to_owned(),
    })
}

/// The text bodies of a resource.
fn of_resource(exchange: &Exchange, uri: &str) -> Vec<Carrier> {
    let contents = exchange.result().and_then(|result| result.get("contents")?.as_array());
    contents
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, content)| {
            let text = content.get("text")?.as_str()?;
            Some(Carrier {
                kind: CarrierKind::Resource,
                name: uri.to_owned(),
                text: text.to_owned(),
                json: parse(text),
                seq: exchange.seqs(),
                pointer: format!("/result/contents/{index}/text"),
            })
        })
        .collect()
}

/// The structured content of a tool result, else its text.
fn of_tool(exchange: &Exchange, name: &str) -> Vec<Carrier> {
    let Some(result) = exchange.result() else {
        return Vec::new();
    };
    let carrier = |text: String, json: Option<Value>, pointer: String| Carrier {
        kind: CarrierKind::Tool,
        name: name.to_owned(),
        text,
        json,
        seq: exchange.seqs(),
        pointer,
    };
    if let Some(structured) = result.get("structuredContent").filter(|value| !value.is_null()) {
        let pointer = "/result/structuredContent".to_owned();
        return vec![carrier(structured.to_string(), Some(structured.clone()), pointer)];
    }
    let blocks = result.get("content").and_then(Value::as_array);
    blocks
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(|(index, block)| {
            let text = block.get("text")?.as_str()?;
            let pointer = format!("/result/content/{index}/text");
            Some(carrier(text.to_owned(), parse(text), pointer))
        })
        .collect()
}

/// The text as JSON object or array.
fn parse(text: &str) -> Option<Value> {
    let looks_like_json = text.trim_start().starts_with(['{', '[']);
    looks_like_json.then(|| serde_json::from_str(text).ok()).flatten()
}

fn tells(json: Option<&Value>) -> bool {
    json.is_some_and(|json| TELLING.iter().any(|member| json.get(member).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_summaries() {
        for name in ["github://capabilities", "About this server", "server-info", "get_Summary"] {
            assert!(names_summary(name), "{name}");
        }
        for name in ["notes://1", "get_account_summaries", "server", "info"] {
            assert!(!names_summary(name), "{name}");
        }
    }
}
