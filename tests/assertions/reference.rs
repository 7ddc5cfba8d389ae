//! The reference server, driven by its scenario.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use mcp_hallmark::assertion::Mutant;
use mcp_hallmark::capture::{Direction, Flow, read_events};
use mcp_hallmark::contract::{Builder, Contract};
use mcp_hallmark::fault::{Delivery, Injector};
use mcp_hallmark::scenario::load_builtin;
use mcp_hallmark::target::{Limits, TargetSpec};

use crate::common::record;

/// Drives the reference server and gives the capture.
fn drive() -> Vec<u8> {
    let scenario = load_builtin("github-issues").unwrap();
    let target = TargetSpec::Stdio {
        command: env!("CARGO_BIN_EXE_hallmark").to_owned(),
        args: vec!["serve".to_owned(), "--contract".to_owned(), "github-issues".to_owned()],
        env: Vec::new(),
        cwd: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let run = record(target, &scenario, Limits::default(), true, None);
    let (outcome, captured) = runtime.block_on(run);
    outcome.unwrap();
    captured.bytes()
}

/// The capture of the server as it is, driven once for all tests.
pub fn clean() -> &'static [u8] {
    static CLEAN: OnceLock<Vec<u8>> = OnceLock::new();
    CLEAN.get_or_init(drive)
}

/// The clean capture with one forced error of each class for each tool: enough for any check, and
/// half as long.
fn thin() -> &'static [u8] {
    static THIN: OnceLock<Vec<u8>> = OnceLock::new();
    THIN.get_or_init(|| {
        let mut kept: HashMap<String, String> = HashMap::new();
        let mut capture = String::new();
        read_events(clean(), |event| {
            let step = event.step.as_ref().filter(|step| step.flow == Flow::ForcedError);
            if let Some(step) = step
                && let [tool, class, _] = step.case.splitn(3, ' ').collect::<Vec<_>>()[..]
                && tool.ends_with(':')
            {
                let first =
                    kept.entry(format!("{tool} {class}")).or_insert_with(|| step.case.clone());
                if *first != step.case {
                    return;
                }
            }
            writeln!(capture, "{}", serde_json::to_string(event).unwrap()).unwrap();
        })
        .unwrap();
        capture.into_bytes()
    })
}

/// The clean capture with faults applied to what was recorded: what the server would have shown
/// had it been so, as far as the driver's next steps did not depend on it.
pub fn replay(mutants: &[&Mutant]) -> Vec<u8> {
    let rules = mutants.iter().map(|mutant| mutant.rule.clone()).collect();
    let mut injector = Injector::new(rules, 1).unwrap();
    let mut capture = String::new();
    read_events(thin(), |event| {
        let mut event = event.clone();
        let payload = event.payload.map(|payload| payload.get().as_bytes().to_vec());
        let changed = payload.map(|bytes| match event.direction {
            Direction::ClientToServer => injector.outgoing(bytes),
            Direction::ServerToClient => injector.incoming(bytes),
        });
        let delivered = changed.and_then(|changed| match changed.into_iter().next() {
            Some(Delivery::Frame { bytes, .. }) => String::from_utf8(bytes).ok(),
            _ => None,
        });
        let raw = delivered.and_then(|text| serde_json::value::RawValue::from_string(text).ok());
        if let Some(raw) = &raw
            && event.direction == Direction::ServerToClient
        {
            event.payload = Some(raw);
        }
        writeln!(capture, "{}", serde_json::to_string(&event).unwrap()).unwrap();
    })
    .unwrap();
    capture.into_bytes()
}

/// The contract of a capture.
pub fn contract(capture: &[u8]) -> Contract {
    let mut builder = Builder::new();
    read_events(capture, |event| builder.see(event)).unwrap();
    builder.finish()
}
