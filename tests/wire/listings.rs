//! The tests of surfaces once more, under the other listings that disclose. Each run is a process, because all of its tests share
//! the listing.

use crate::harness::shop::{LISTING, SPECIFICATION};
use std::{
    process::Command,
    sync::{Mutex, PoisonError},
};

/// One run at a time: tests of time and memory share the machine's cores with the runs.
static RUNNING: Mutex<()> = Mutex::new(());

fn run_suite_under(listing: &str) {
    let _turn = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let suite = std::env::current_exe().unwrap();
    // These tests choose their listings themselves.
    let others = ["listings::", "catalog::", "client::", "tokens::"].into_iter().flat_map(|other| ["--skip", other]);
    let run = Command::new(suite).args(others).env(LISTING, listing).output().unwrap();
    let report = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "under `{listing}`:\n{report}\n{}", String::from_utf8_lossy(&run.stderr));
    let passed = report.split(" passed").next().and_then(|text| text.rsplit(' ').next()?.parse::<u32>().ok());
    assert!(passed.is_some_and(|count| count > 400), "too few tests ran under `{listing}`:\n{report}");
}

/// The criteria of the specification hold for the setting that promises it.
#[test]
fn specification() {
    let suite = std::env::current_exe().unwrap();
    let run = Command::new(suite).args(["conformance::"]).env(LISTING, SPECIFICATION).output().unwrap();
    let report = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && !report.contains(" 0 passed"), "{report}");
}

#[test]
#[ignore = "takes two minutes; `just listings` runs it"]
fn grouped() {
    run_suite_under("grouped");
}

#[test]
#[ignore = "takes two minutes; `just listings` runs it"]
fn reveal() {
    run_suite_under("reveal");
}
