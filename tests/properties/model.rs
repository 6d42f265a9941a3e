//! Any interleaving of sessions, disclosures, calls, endings and changes of scopes and tools, by both protocol generations on one
//! server: a call is admitted if and only if a set of "this session was given that description" contains it.

mod oracle;
mod plan;
mod server;

use oracle::Oracle;
use plan::Plan;
use proptest::{prelude::*, test_runner::Config};
use server::Server;

/// How many plans, of up to [`plan::STEPS_MAX`] steps each.
const CASES: u32 = 64;

/// How often a plan starts again because the machine was slow.
const ATTEMPTS: u32 = 20;

proptest! {
    #![proptest_config(Config { cases: CASES, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_call_is_admitted_as_the_oracle_says(plan in plan::any()) {
        let is_checked = (0..ATTEMPTS).any(|_| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
            runtime.unwrap().block_on(follows_oracle(&plan))
        });
        assert!(is_checked, "the machine is too slow");
    }
}

/// Compares each step with the oracle. Returns `false` if a step took so long that sessions may
/// have ended by themselves.
async fn follows_oracle(plan: &Plan) -> bool {
    let mut server = Server::open(plan.refusals_describe);
    let mut oracle = Oracle::new(plan.refusals_describe);
    for (at, step) in plan.steps.iter().enumerate() {
        let expected = oracle.expects(step);
        let seen = server.take(step, &mut oracle).await;
        if server.was_slow() {
            return false;
        }
        assert_eq!(seen, expected, "step {at}, {step:?}, of {:#?}", plan.steps);
    }
    true
}
