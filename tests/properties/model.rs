//! Any interleaving of sessions, disclosures, calls, endings, and changes of who may see what and of what there is, both protocol

//! generations on one server: each call is admitted exactly where a set of "this session was given that description" says so.
mod oracle;
mod plan;
mod server;

use oracle::Oracle;
use proptest::{prelude::*, test_runner::Config};
use server::Server;

/// How many plans, of up to [`plan::STEPS_MAX`] steps each.
const CASES: u32 = 64;

proptest! {
    #![proptest_config(Config { cases: CASES, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_call_is_admitted_as_the_oracle_says(plan in plan::any()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let mut server = Server::open(plan.refusals_describe);
            let mut oracle = Oracle::new(plan.refusals_describe);
            for (at, step) in plan.steps.iter().enumerate() {
                // A machine that stands still must not end sessions by itself.
                oracle.forget_stale(server.slow());
                let expected = oracle.expects(step);
                let seen = server.take(step, &mut oracle).await;
                assert_eq!(seen, expected, "step {at}, {step:?}, of {:#?}", plan.steps);
            }
        });
    }
}
