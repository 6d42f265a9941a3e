//! The tests of surfaces once more, under the other listings that disclose. Each run is a process, because all of its tests share
//! the listing.

use crate::harness::shop::{LISTING, SPECIFICATION};
use std::{
    process::Command,
    sync::{Mutex, PoisonError},
};

/// One run at a time: tests of time and memory share the machine's cores with the runs.
static RUNNING: Mutex<()> = Mutex::new(());

/// Tests of what a list has of the tools that `Eager` leaves out, and of calls that are shown without a meta-tool.
const OF_LISTED_TOOLS: [&str; 10] = [
    "access::a_policy_decides_for_each_principal_and_each_request",
    "access::a_policy_that_panics_hides_and_the_server_lives_on",
    "arguments::invalid_arguments_are_answered_with_the_call_to_send",
    "arguments::without_a_session_the_first_answer_has_it_all",
    "beside::a_header_argument_is_checked_against_its_header",
    "conformance::criterion_1_minimal_descriptions_are_provided_via_tools_list",
    "delta::a_client_that_accepts_json_alone_is_answered_in_json",
    "listing::a_lean_entry_says_object_and_no_more",
    "listing::an_entry_is_name_summary_and_an_open_schema",
    "listing::header_arguments_stand_as_typed_stubs",
];

fn run_suite_under(listing: &str, others: &[&str]) {
    let _turn = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let suite = std::env::current_exe().unwrap();
    // These tests choose their listings themselves.
    let others = ["listings::", "catalog::", "client::", "tokens::"]
        .iter()
        .chain(others)
        .flat_map(|other| ["--skip", *other]);
    let run = Command::new(suite)
        .args(others)
        .env(LISTING, listing)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success(),
        "under `{listing}`:\n{report}\n{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let passed = report
        .split(" passed")
        .next()
        .and_then(|text| text.rsplit(' ').next()?.parse::<u32>().ok());
    assert!(
        passed.is_some_and(|count| count > 400),
        "too few tests ran under `{listing}`:\n{report}"
    );
}

/// The criteria of the specification hold for the setting that promises it.
#[test]
fn specification() {
    let suite = std::env::current_exe().unwrap();
    let run = Command::new(suite)
        .args(["conformance::"])
        .env(LISTING, SPECIFICATION)
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && !report.contains(" 0 passed"),
        "{report}"
    );
}

#[test]
#[ignore = "takes two minutes; `just listings` runs it"]
fn eager() {
    run_suite_under("eager", &OF_LISTED_TOOLS);
}

#[test]
#[ignore = "takes two minutes; `just listings` runs it"]
fn reveal() {
    run_suite_under("reveal", &[]);
}
