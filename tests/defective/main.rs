//! Servers with one real defect each: nobody put a fault on the wire, the server itself is wrong.
//! Each defect is found by the check that is named for it, and by no check that is not; the same
//! server without a defect has no finding.
//!
//! The servers are this test program, started again, over one small notes server that shares no
//! code with the reference server and speaks the handshake eras alone. `DEFECTS=id,id cargo test
//! --test defective -- --nocapture` shows what is found of some of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod contract;
mod defects;
mod descriptions;
mod judged;
mod notes;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use defects::{Defect, every};
use judged::findings;

#[test]
#[ignore = "the server process of the other tests"]
fn serves_standard_streams() {
    notes::serve();
}

#[test]
fn the_server_without_a_defect_has_no_finding() {
    let found = findings(None);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_defect_is_found_by_its_check_and_blamed_once() {
    let only = std::env::var("DEFECTS").unwrap_or_default();
    let only: BTreeSet<&str> = only.split(',').filter(|id| !id.is_empty()).collect();
    let chosen: Vec<&Defect> = every().filter(|d| only.is_empty() || only.contains(d.id)).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(String::new());
    // Most of a run is waiting.
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(defect) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = findings(Some(defect.id));
                    let checks: BTreeSet<&str> = found.iter().map(|f| f.check.as_str()).collect();
                    let expected: BTreeSet<&str> = defect.found_by.iter().copied().collect();
                    if checks != expected {
                        let mut wrong = wrong.lock().unwrap();
                        writeln!(wrong, "{} ({}):", defect.id, defect.what).unwrap();
                        writeln!(wrong, "  expected {expected:?}").unwrap();
                        for check in checks {
                            let of_it = || found.iter().filter(|found| found.check == check);
                            let first = of_it().next().unwrap();
                            writeln!(wrong, "  {check} {} times: {}", of_it().count(), first.said)
                                .unwrap();
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn there_are_as_many_defects_as_were_promised() {
    let ids: BTreeSet<&str> = every().map(|defect| defect.id).collect();
    assert_eq!(ids.len(), every().count(), "an id is there twice");
    assert!(ids.len() >= 30, "only {}", ids.len());
}
