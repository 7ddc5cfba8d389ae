//! What a run reached, and what the contract costs an agent.
//!
//! Owns counting over a contract. Refuses to own what a count is worth.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::unflagged_failure;
use crate::contract::{Answer, CallView, CarrierKind, Contract, Envelope, RpcError};
use crate::score::{CodeCoverage, Cost, Coverage, RuleCoverage, SetScore, ToolCoverage, Verdict};
use crate::wire::code;

/// The encoding in which tokens are counted.
pub const TOKENIZER: &str = "o200k_base";

/// Keys under which servers list their error codes.
const CATALOG_KEYS: &[&str] =
    &["error_codes", "errorCodes", "errors", "error_catalog", "machine_codes", "failure_codes"];

/// What was reached.
pub(super) fn coverage<'a>(
    contract: &Contract,
    rules: usize,
    sets: impl Iterator<Item = &'a SetScore>,
) -> Coverage {
    let judged: BTreeSet<&str> = sets
        .flat_map(|set| &set.assertions)
        .flat_map(|assertion| &assertion.checks)
        .filter(|check| matches!(check.verdict, Verdict::Pass | Verdict::Fail))
        .map(|check| check.rule.as_str())
        // Clauses of the specification are no rules of the registry.
        .filter(|rule| !rule.starts_with("spec."))
        .collect();
    let tools = |reached: &dyn Fn(&str) -> bool| -> u32 {
        let count = contract.tools.iter().filter(|tool| reached(&tool.name)).count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let called: BTreeSet<&str> = contract.calls().map(|call| call.name).collect();
    // A failure that lacks its flag is no success.
    let is_success = |call: &CallView<'_>| {
        call.is_success() && call.result().is_some_and(|r| unflagged_failure(r).is_none())
    };
    let succeeded: BTreeSet<&str> =
        contract.calls().filter(is_success).map(|call| call.name).collect();
    // A call that is refused for its headers has not reached its tool.
    let refused = |error: &RpcError| error.code == Some(code::HEADER_MISMATCH);
    let failed: BTreeSet<&str> = contract
        .calls()
        .filter(|call| {
            call.is_error_result() || call.exchange.error().is_some_and(|error| !refused(error))
        })
        .map(|call| call.name)
        .collect();
    Coverage {
        tools: ToolCoverage {
            listed: tools(&|_| true),
            called: tools(&|name| called.contains(name)),
            succeeded: tools(&|name| succeeded.contains(name)),
            forced_error: tools(&|name| failed.contains(name)),
        },
        error_codes: CodeCoverage {
            documented: documented_codes(contract).into_iter().collect(),
            observed: observed_codes(contract).into_iter().collect(),
        },
        rules: RuleCoverage {
            judged: u32::try_from(judged.len()).unwrap_or(u32::MAX),
            of: u32::try_from(rules).unwrap_or(u32::MAX),
        },
    }
}

/// Symbolic codes that the capability summary or a tool's `_meta` names.
fn documented_codes(contract: &Contract) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for json in contract.summary.carriers.iter().filter_map(|carrier| carrier.json.as_ref()) {
        collect_catalogs(json, &mut codes);
    }
    for meta in contract.tools.iter().filter_map(|tool| tool.record.get("_meta")) {
        collect_catalogs(meta, &mut codes);
    }
    codes
}

/// Finds error catalogs in a value. A namespaced key (`com.example/error_codes`) counts by its
/// last part.
fn collect_catalogs(value: &Value, codes: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_catalogs(item, codes)),
        Value::Object(members) => {
            for (key, value) in members {
                let bare = key.rsplit('/').next().unwrap_or(key);
                if CATALOG_KEYS.contains(&bare) {
                    collect_codes(value, codes);
                } else {
                    collect_catalogs(value, codes);
                }
            }
        }
        _ => {}
    }
}

/// The codes of a catalog: a list of codes, a list of objects with a code, or an object by code.
fn collect_codes(catalog: &Value, codes: &mut BTreeSet<String>) {
    match catalog {
        Value::Array(entries) => {
            for entry in entries {
                let code = ["code", "machine_code"]
                    .iter()
                    .find_map(|key| entry.get(key))
                    .unwrap_or(entry)
                    .as_str();
                codes.extend(code.filter(|code| is_symbol(code)).map(str::to_owned));
            }
        }
        // A page of a catalog holds its entries beside a cursor and the like.
        Value::Object(page) if page.values().any(Value::is_array) => {
            page.values().filter(|value| value.is_array()).for_each(|v| collect_codes(v, codes));
        }
        Value::Object(entries) => {
            let told = entries.iter().filter(|(_, what)| what.is_object() || what.is_string());
            codes.extend(told.map(|(code, _)| code).filter(|code| is_symbol(code)).cloned());
        }
        _ => {}
    }
}

fn is_symbol(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

/// Symbolic codes of the failures that were seen.
fn observed_codes(contract: &Contract) -> BTreeSet<String> {
    let envelopes = contract.exchanges.iter().filter_map(|exchange| match &exchange.answer {
        Answer::Result(result) if &*exchange.method == "tools/call" => Envelope::of_result(result),
        Answer::Error(error) => Envelope::of_error(error),
        _ => None,
    });
    envelopes.filter_map(|envelope| envelope.code().map(str::to_owned)).collect()
}

/// What the contract costs an agent before its first useful call.
pub(super) fn cost(contract: &Contract, tokens: &dyn Fn(&str) -> usize) -> Cost {
    let parts = discovery(contract);
    Cost {
        discovery_bytes: parts.iter().map(|part| part.len() as u64).sum(),
        discovery_tokens: parts.iter().map(|part| tokens(part) as u64).sum(),
        tokenizer: TOKENIZER.to_owned(),
        requests: contract.exchanges.len() as u64,
        wall_us: contract.wall_us,
    }
}

/// The results that an agent must load: who the server is, the first walk of every list, and the
/// capability summary once, from its cheapest carrier (`instructions` are part of the first). As
/// compact JSON.
fn discovery(contract: &Contract) -> Vec<String> {
    let mut seqs: Vec<u64> = contract.identity.seq.clone();
    let mut methods: Vec<&str> = Vec::new();
    for walk in &contract.lists {
        if !methods.contains(&&*walk.method) {
            methods.push(&walk.method);
            let pages = walk.pages.iter().filter_map(|page| contract.exchanges.get(page.exchange));
            seqs.extend(pages.map(|exchange| exchange.seq));
        }
    }
    let carriers = contract.summary.carriers.iter();
    let summary = carriers
        .filter(|carrier| carrier.kind != CarrierKind::Instructions)
        .filter_map(|carrier| carrier.seq.first())
        .filter_map(|seq| contract.exchange_at(*seq))
        .min_by_key(|exchange| exchange.result().map_or(usize::MAX, |r| r.to_string().len()));
    seqs.extend(summary.map(|exchange| exchange.seq));
    let seqs: BTreeSet<u64> = seqs.into_iter().collect();
    contract
        .exchanges
        .iter()
        .filter(|exchange| seqs.contains(&exchange.seq))
        .filter_map(|exchange| exchange.result().map(Value::to_string))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn catalogs_are_lists_objects_and_pages() {
        let of = |errors: Value| {
            let mut codes = BTreeSet::new();
            collect_catalogs(&json!({ "x/errors": errors }), &mut codes);
            codes.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of(json!([{ "code": "a_b" }, "c_d", 3])), "a_b c_d");
        assert_eq!(of(json!({ "a_b": "not found", "c_d": {}, "count": 2 })), "a_b c_d");
        let page = json!({ "entries": [{ "code": "a_b" }], "has_more": false, "next_cursor": "x" });
        assert_eq!(of(page), "a_b");
    }
}
