//! Every field capture is read without a panic, and what the contract holds agrees with what was
//! counted when the capture was made.

#[path = "common/shared.rs"]
mod shared;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use mcp_hallmark::capture::{convert_field, read_events};
use mcp_hallmark::contract::{Builder, Contract, Envelope};
use mcp_hallmark::schema;

use shared::beside;

/// The files of each server, the first process first.
fn files_by_server(folder: &Path, names: &[String]) -> BTreeMap<String, Vec<PathBuf>> {
    let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.into_iter().filter(|path| path.extension().is_some_and(|e| e == "jsonl")) {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let is = |name: &&String| {
            stem.strip_prefix(name.as_str()).is_some_and(|r| r.is_empty() || r.starts_with('.'))
        };
        let name = names.iter().filter(is).max_by_key(|name| name.len());
        let name = name.unwrap_or_else(|| panic!("{stem} is not in servers.tsv"));
        files.entry(name.clone()).or_default().push(path);
    }
    for paths in files.values_mut() {
        paths.sort_by_key(|path| path.file_stem().unwrap().len());
    }
    files
}

fn read(name: &str, paths: &[PathBuf]) -> Contract {
    let readers = paths.iter().map(|path| BufReader::new(File::open(path).unwrap()));
    let mut capture = Vec::new();
    convert_field(name, readers, &mut capture).unwrap();
    let mut builder = Builder::new();
    read_events(&capture[..], |event| builder.see(event)).unwrap();
    builder.finish()
}

#[test]
fn every_field_capture_is_read_and_counted_right() {
    let Some(folder) = beside("captures") else { return };
    let table = fs::read_to_string(folder.join("servers.tsv")).unwrap();
    let mut rows = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let columns = rows.next().unwrap();
    let column = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let rows: Vec<_> = rows.collect();
    let names: Vec<_> = rows.iter().map(|row| row[column("name")].to_owned()).collect();
    let files = files_by_server(&folder, &names);
    let mut faults = Vec::new();
    let (mut tools, mut exchanges) = (0, 0);
    for row in &rows {
        let name = row[column("name")];
        let contract = read(name, &files[name]);
        let count = |name: &str| row[column(name)].split('/').next().unwrap().to_owned();
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
            ("revision", row[column("revision")][..10].to_owned(), revision),
        ] {
            if expected != found {
                faults.push(format!("{name}: {what} is {found}, counted were {expected}"));
            }
        }
        tools += contract.tools.len();
        exchanges += contract.exchanges.len();
        look_at_everything(name, &contract, &mut faults);
    }
    println!("{} servers, {tools} tools, {exchanges} exchanges", rows.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(rows.len() >= 60);
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
