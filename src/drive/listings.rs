//! What all listings of a tool say together. A name may be listed more than once, on two pages or in
//! two walks, and differently: what is sent to it must be harmless under every one of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::contract::Contract;

/// The input schemas of tools that were listed with several.
#[derive(Debug, Clone, Default)]
pub(super) struct Listings(HashMap<String, Vec<Arc<Value>>>);

impl Listings {
    /// Reads all listings. A tool that any of them does not annotate `readOnlyHint: true` is none
    /// that reads only in `contract`, which is the view that the driver plans from.
    pub(super) fn settle(contract: &mut Contract) -> Listings {
        let mut may_mutate: BTreeSet<String> = BTreeSet::new();
        let mut inputs: HashMap<String, Vec<Arc<Value>>> = HashMap::new();
        for record in records(contract) {
            let Some(name) = record.get("name").and_then(Value::as_str) else { continue };
            if record.pointer("/annotations/readOnlyHint") != Some(&Value::Bool(true)) {
                may_mutate.insert(name.to_owned());
            }
            let input = record.get("inputSchema").unwrap_or(&Value::Null);
            let known = inputs.entry(name.to_owned()).or_default();
            if !known.iter().any(|known| **known == *input) {
                known.push(Arc::new(input.clone()));
            }
        }
        for tool in contract.tools.iter_mut().filter(|tool| may_mutate.contains(&tool.name)) {
            if tool.is_read_only() {
                let hints = tool.annotations.get_or_insert_with(Map::new);
                hints.insert("readOnlyHint".to_owned(), Value::Bool(false));
            }
        }
        inputs.retain(|_, schemas| schemas.len() > 1);
        Listings(inputs)
    }

    /// The input schemas of a tool, when there are several.
    pub(super) fn schemas(&self, tool: &str) -> &[Arc<Value>] {
        self.0.get(tool).map_or(&[], Vec::as_slice)
    }
}

/// Every record of every answered `tools/list`.
fn records(contract: &Contract) -> impl Iterator<Item = &Value> {
    let walks = contract.lists.iter().filter(|walk| &*walk.method == "tools/list");
    let pages = walks.flat_map(|walk| &walk.pages);
    pages
        .filter_map(|page| {
            contract.exchanges.get(page.exchange)?.result()?.get("tools")?.as_array()
        })
        .flatten()
}
