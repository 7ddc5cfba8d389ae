//! What is remembered of equal subjects changes no scorecard: judged with and without the memory,
//! captures give the same bytes.

use std::fmt::Write as _;

use mcp_hallmark::assertion::{AssertionSet, Catalog, Mutant, judge, judge_one_by_one};
use mcp_hallmark::contract::Contract;
use serde_json::{Value, json};

use super::reference::{clean, contract, replay};

/// How many faults one capture holds: enough for few captures, few enough to show most of them.
const FAULTS: usize = 36;

#[test]
fn what_is_remembered_changes_no_scorecard() {
    let mutants: Vec<&Mutant> =
        Catalog::builtin().assertions().iter().flat_map(|a| &a.mutants).collect();
    // Neighbours break the same message: mixed, they hide each other less.
    let captures = mutants.len().div_ceil(FAULTS);
    let mixed = |first: usize| -> Vec<&Mutant> {
        mutants.iter().skip(first).step_by(captures).copied().collect()
    };
    let faulty = (0..captures).map(|first| replay(&mixed(first)));
    let mut repeats = 0;
    for capture in std::iter::once(clean().to_vec()).chain(faulty) {
        let contract = contract(&twice(&capture));
        let distinct = contract.alike().iter().max().map_or(0, |last| *last as usize + 1);
        repeats += contract.exchanges.len() - distinct;
        let (with, without) = both(&contract);
        assert!(with == without, "{with}\n\n{without}");
    }
    assert!(repeats > 1000, "only {repeats} exchanges repeat another one");
}

/// Every scorecard line by line, with and without the memory.
fn both(contract: &Contract) -> (String, String) {
    let catalog = Catalog::builtin();
    let sets: Vec<&AssertionSet> = catalog.sets().iter().collect();
    let lines = |card| serde_json::to_string_pretty(&card).unwrap();
    (
        lines(judge(contract, catalog, &sets, &str::len)),
        lines(judge_one_by_one(contract, catalog, &sets, &str::len)),
    )
}

/// A capture with all of its messages a second time: in the same sessions, and at another time,
/// under other ids, with other waits, half of them out of any flow.
fn twice(capture: &[u8]) -> Vec<u8> {
    let events: Vec<Value> = capture
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let last = events.last().unwrap();
    let (seqs, ends) = (last["seq"].as_u64().unwrap() + 1, last["t_us"].as_u64().unwrap());
    let mut text = String::from_utf8(capture.to_vec()).unwrap();
    for (at, mut event) in events.into_iter().enumerate() {
        if event["kind"] != "message" {
            continue;
        }
        let members = event.as_object_mut().unwrap();
        members.remove("hallmark");
        members.remove("end");
        if at % 2 == 0 {
            members.remove("step");
        }
        event["seq"] = json!(event["seq"].as_u64().unwrap() + seqs);
        event["t_us"] = json!(ends + event["t_us"].as_u64().unwrap_or_default() * 3);
        if let Some(id) = event.pointer_mut("/payload/id") {
            *id = match &id {
                Value::Number(number) => json!(number.as_u64().unwrap_or_default() + 1_000_000),
                other => json!(format!("again {other}")),
            };
        }
        writeln!(text, "{event}").unwrap();
    }
    text.into_bytes()
}
