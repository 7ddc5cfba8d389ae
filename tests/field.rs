//! Every field capture is read without a panic, what the contract holds agrees with what was
//! counted when the capture was made, and what every set says of it is what was last reviewed.

#[path = "common/field.rs"]
mod field;
#[path = "common/shared.rs"]
mod shared;
#[path = "field/snapshot.rs"]
mod snapshot;

use std::collections::BTreeMap;

use mcp_hallmark::assertion::{AssertionSet, Catalog, judge};
use mcp_hallmark::contract::{Contract, Envelope};
use mcp_hallmark::schema;
use mcp_hallmark::score::{Scorecard, Verdict};

use field::field_servers;
use snapshot::assertions;

#[test]
fn every_field_capture_is_read_and_counted_right() {
    let Some(servers) = field_servers() else { return };
    let mut faults = Vec::new();
    let (mut tools, mut exchanges) = (0, 0);
    for server in &servers {
        let name = &server.name;
        let contract = server.contract();
        let count = |column: &str| server.cell(column).split('/').next().unwrap().to_owned();
        // An empty object annotates nothing, and was not counted.
        let annotated = contract.tools.iter().filter(|tool| {
            tool.annotations.as_ref().is_some_and(|annotations| !annotations.is_empty())
        });
        let annotated = annotated.count();
        let with_output = contract.tools.iter().filter(|tool| tool.output.is_some()).count();
        let revision = contract.revision.map(|revision| revision.to_string()).unwrap_or_default();
        for (what, expected, found) in [
            ("tools", count("tools"), contract.tools.len().to_string()),
            ("outputSchema", count("outputSchema"), with_output.to_string()),
            ("annotations", count("annotations"), annotated.to_string()),
            ("resources", count("resources"), contract.resources.len().to_string()),
            ("templates", count("templates"), contract.templates.len().to_string()),
            ("prompts", count("prompts"), contract.prompts.len().to_string()),
            ("revision", server.cell("revision")[..10].to_owned(), revision),
        ] {
            if expected != found {
                faults.push(format!("{name}: {what} is {found}, counted were {expected}"));
            }
        }
        tools += contract.tools.len();
        exchanges += contract.exchanges.len();
        look_at_everything(name, &contract, &mut faults);
    }
    println!("{} servers, {tools} tools, {exchanges} exchanges", servers.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(servers.len() >= 60);
}

/// What every check will do: compile every schema, walk it, read every envelope.
fn look_at_everything(name: &str, contract: &Contract, faults: &mut Vec<String>) {
    for tool in &contract.tools {
        for schema in std::iter::once(&tool.input).chain(&tool.output) {
            if let Err(fault) = contract.validator(schema) {
                println!("{name}: {}: {fault}", tool.name);
            }
            let places = schema::walk(schema).len();
            if places > 5_000 {
                faults.push(format!("{name}: {}: {places} places", tool.name));
            }
            schema::declared_rows(schema);
            schema::leaf_properties(schema);
        }
        schema::detail(&tool.input);
        schema::parameters(&tool.input);
    }
    for call in contract.calls() {
        let envelope = call.result().and_then(Envelope::of_result);
        if call.is_error_result() && envelope.is_none() {
            println!("{name}: {}: an error without any text", call.name);
        }
        if let (Some(tool), Some(arguments)) = (call.tool, call.exchange.params.get("arguments"))
            && let Ok(validator) = contract.validator(&tool.input)
        {
            validator.violations(arguments);
        }
    }
}

/// A finding is an accusation. A change of a check shows here whom it now accuses, and of what.
#[test]
fn what_every_set_says_of_the_field_is_what_was_reviewed() {
    let Some(servers) = field_servers() else { return };
    let catalog = Catalog::builtin();
    let sets: Vec<&AssertionSet> = catalog.newest_sets().collect();
    let mut found = BTreeMap::new();
    for server in &servers {
        let contract = server.contract();
        let card = judge(&contract, catalog, &sets, &|text| text.len() / 4);
        look_at_evidence(&server.name, &contract, &card);
        found.insert(server.name.clone(), snapshot::of(&card));
    }
    snapshot::compare(&found);
}

/// A failed assertion has a finding of a required check, and every finding shows a byte of its
/// server.
fn look_at_evidence(name: &str, contract: &Contract, card: &Scorecard) {
    for assertion in assertions(card) {
        assert_eq!(
            matches!(assertion.verdict, Verdict::Fail),
            assertion.checks.iter().any(|check| check.required && !check.findings.is_empty()),
            "{name} {}",
            assertion.id
        );
        for check in &assertion.checks {
            for finding in &check.findings {
                assert!(!finding.seq.is_empty(), "{name} {}: no evidence", check.id);
                assert!(finding.seq.iter().all(|seq| *seq <= contract.last_seq));
            }
        }
    }
}
