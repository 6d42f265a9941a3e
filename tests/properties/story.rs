//! All surfaces disclose the same of every tool, for random registries. A tool can be called after any surface disclosed it, and
//! not before.

mod caller;
mod plan;
mod surface;

use crate::harness::site::Site;
use caller::{Caller, Generation};
use pd_runtime::{
    GateMode, Listing, PdServer,
    config::{MetaTools, Refusal},
};
use plan::Plan;
use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value, json};
use surface::Surface;

/// How many registries: each is served over HTTP in each generation, on every surface.
const CASES: u32 = 24;

/// The listings under which tools are disclosed.
const LISTINGS: [Listing; 6] = [
    Listing::Minimal,
    Listing::Outline,
    Listing::Grouped,
    Listing::Eager,
    Listing::Reveal,
    Listing::Negotiated,
];

fn shared(plan: &Plan, listing: Listing, gate: GateMode) -> PdServer<()> {
    let offered = MetaTools::all().call_read_only("call_read_only_tool");
    let server = PdServer::builder(plan.registry(), ())
        .listing(listing)
        .gate(gate)
        .meta_tools(offered);
    let server = server.session_per_call(pd_runtime::config::SessionPerCall::Refuse);
    server
        .refusal(Refusal::Bare)
        .build()
        .expect("a sound registry")
}

fn config() -> Config {
    Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_surfaces_tell_the_same_of_every_tool(plan in plan::any()) {
        run(async {
            let site = Site::open(&shared(&plan, Listing::Minimal, GateMode::Enforce), true).await;
            for generation in Generation::ALL {
                for surface in Surface::ALL {
                    tell_the_same(&plan, &site.url, *surface, generation).await;
                }
            }
        });
    }

    #[test]
    fn after_disclosure_by_any_surface_the_gate_admits_and_after_none_it_refuses(
        plan in plan::any(),
        listing in proptest::sample::select(LISTINGS.to_vec()),
    ) {
        run(async {
            let site = Site::open(&shared(&plan, listing, GateMode::Enforce), true).await;
            for generation in Generation::ALL {
                for surface in Surface::ALL {
                    admit_after_disclosure(&plan, &site.url, *surface, generation, listing).await;
                }
            }
        });
    }
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(test);
}

/// Exactly the visible tools are told, with the contract that the registry holds; of the others there is no trace.
async fn tell_the_same(plan: &Plan, url: &str, surface: Surface, generation: Generation) {
    let Some(caller) = Caller::connect(url, &plan.bearer(), surface, generation).await else {
        return;
    };
    let registry = plan.registry();
    for tool in plan
        .tools
        .iter()
        .filter(|tool| surface.reaches(plan, &tool.name))
    {
        let told = surface.disclose(&caller, plan, &tool.name).await;
        let expected = plan.sees(tool).then(|| tool.schema());
        let schema = told.as_ref().and_then(|told| told.schema.clone());
        let at = format!("{surface:?}, {generation:?}, {}", tool.name);
        assert_eq!(told.is_some(), expected.is_some(), "{at}: visibility");
        if surface.tells_schema() && expected.is_some() {
            assert_eq!(schema, expected, "{at}: schema");
        }
        let Some(told) = told else { continue };
        assert!(
            told.text.contains(tool.marker()),
            "{at}: its text is not in {}",
            told.text
        );
        if let Some(digest) = told.digest {
            assert_eq!(
                Some(digest),
                registry.digest(&tool.name).map(|digest| digest.to_string()),
                "{at}: digest"
            );
        }
    }
    for hidden in plan.tools.iter().filter(|tool| !plan.sees(tool)) {
        for exchange in caller.heard() {
            // What was asked for may be repeated, as anything unknown is.
            let told =
                |words: &str| exchange.answered.contains(words) && !exchange.asked.contains(words);
            let leaked = told(&hidden.name) || told(hidden.marker());
            assert!(
                !leaked,
                "{surface:?}, {generation:?}: {} leaked in {exchange:?}",
                hidden.name
            );
        }
    }
}

/// A call is refused before, and runs after, with whatever proof the surface gave.
async fn admit_after_disclosure(
    plan: &Plan,
    url: &str,
    surface: Surface,
    generation: Generation,
    listing: Listing,
) {
    let tools = plan
        .tools
        .iter()
        .filter(|tool| plan.sees(tool) && surface.reaches(plan, &tool.name));
    for tool in tools {
        let Some(caller) = Caller::connect(url, &plan.bearer(), surface, generation).await else {
            return;
        };
        let at = format!("{surface:?}, {generation:?}, {listing:?}, {}", tool.name);
        let before = caller.call(&tool.name, tool.arguments(), None).await;
        let open = tool.eager
            || surface.is_ungated(plan)
            || (listing == Listing::Negotiated && !surface.promises());
        // What these list in outline is enough for a call.
        let may_be_open = matches!(listing, Listing::Outline | Listing::Grouped);
        assert!(
            ran(&before) == open || (may_be_open && !open),
            "{at}: before: {before}"
        );
        let told = surface
            .disclose(&caller, plan, &tool.name)
            .await
            .unwrap_or_else(|| panic!("{at}: not disclosed"));
        let after = caller.call(&tool.name, tool.arguments(), told.ticket).await;
        assert!(ran(&after), "{at}: after: {after}");
    }
}

fn ran(result: &Value) -> bool {
    result.get("isError") != Some(&json!(true))
        && result.pointer("/content/0/text") == Some(&json!("ran"))
}
