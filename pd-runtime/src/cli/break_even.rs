//! The break-even point of progressive disclosure. Below it, the summaries of all tools and the
//! descriptions of the called tools cost a model more than all tools in full.

use super::style::thousands;
use crate::{
    Listing, Registry,
    catalog::{Catalog, token_cost::CostForm},
    check::{Lint, LintWarning},
    disclosure::view::CallerView,
    estimate_tokens,
    policy::Policy,
    server::{extras::ServerExtras, server_core::ServerCore},
    surface::meta_tools,
};

/// The token limit of `Listing::AUTO`.
const AUTO_MAX: usize = 2_000;

/// The number of called tools in the comparison. With more calls, disclosure needs more tools to
/// pay off.
const CALLED: usize = 2;

/// The tool text that a model reads in a conversation that calls [`CALLED`] tools, in estimated
/// tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BreakEven {
    /// The minimal list, and descriptions of average size.
    disclosed: usize,
    /// The full list.
    full: usize,
}

impl BreakEven {
    /// Returns `None` if no tool has a description to disclose.
    fn new(view: &CallerView<'_>) -> Option<Self> {
        // Eager tools are listed in full either way, so they weigh the same on both sides.
        let (eager, gated): (Vec<_>, Vec<_>) =
            view.visible().partition(|entry| entry.tool.about.eager);
        let sum = |form: CostForm| {
            gated
                .iter()
                .map(|entry| entry.cost(form) as usize)
                .sum::<usize>()
        };
        let listed_anyway: usize = eager
            .iter()
            .map(|entry| entry.cost(CostForm::Definition) as usize)
            .sum();
        // A server that discloses also lists its meta-tools, which cost tokens, too.
        let meta_tools = serde_json::to_string(&meta_tools::definitions(view).all())
            .map_or(0, |text| estimate_tokens(&text));
        // A caller pays for the descriptions that it reads, and any tool may be the one to call.
        let description = sum(CostForm::Description).checked_div(gated.len())?;
        let disclosed = listed_anyway
            + meta_tools
            + sum(CostForm::Minimal)
            + description * gated.len().min(CALLED);
        Some(Self {
            disclosed,
            full: listed_anyway + sum(CostForm::Definition),
        })
    }

    fn advice(self) -> Option<String> {
        let Self { disclosed, full } = self;
        if disclosed < full {
            return None;
        }
        let listing = match full {
            0..=AUTO_MAX => "Listing::AUTO".to_owned(),
            // The limit is rounded up to the next thousand, so that small edits do not exceed it.
            _ => format!(
                "Listing::Auto {{ max_full_tokens: {}, max_outline_tokens: 10_000 }}",
                full.div_ceil(1_000) * 1_000
            ),
        };
        Some(format!(
            "disclosure does not pay here: summaries and the descriptions of two tools cost a model about {} tokens, all tools in \
             full about {}; set `.listing(pd_runtime::{listing})`, which lists small servers in full",
            thousands(disclosed),
            thousands(full),
        ))
    }
}

/// Returns whether the listing discloses progressively, however few tools the server has.
fn always_discloses(listing: Listing) -> bool {
    matches!(listing, Listing::Minimal | Listing::Reveal)
}

/// Recommends `Listing::Auto` to a server below the break-even point.
pub(super) fn advice(server: &ServerCore) -> Option<String> {
    always_discloses(server.policy.listing)
        .then(|| server.as_owner(BreakEven::new))?
        .and_then(BreakEven::advice)
}

/// Returns the same advice as a lint warning about a registry with this listing.
pub(super) fn remark<S: 'static>(registry: &Registry<S>, listing: Listing) -> Option<LintWarning> {
    if !always_discloses(listing) || registry.allows(Lint::SmallListing) {
        return None;
    }
    // No ticket is created, so the key does not have to be random.
    let policy = Policy {
        listing,
        ticket_key: Some([0; 32]),
        ..Policy::default()
    };
    let catalog = Catalog::new(registry.without_state(), &policy).ok()?;
    let words = advice(&ServerCore::new(catalog, policy, ServerExtras::default()))?;
    Some(LintWarning::from_registry(Lint::SmallListing, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PdServer, Tool, policy::ListingStep, tool::output::IntoOutput};
    use serde_json::json;

    /// Tools with four described arguments.
    fn registry(tools: usize) -> Registry<()> {
        let property =
            |about: &str| json!({ "type": "string", "minLength": 1, "description": about });
        let schema = json!({
            "type": "object",
            "properties": {
                "owner": property("The account that owns it. The name is not case sensitive."),
                "name": property("The name, without its owner and without an extension."),
                "since": property("Only what changed after this moment, as an ISO 8601 timestamp in UTC."),
                "page": { "type": "integer", "minimum": 1, "default": 1, "description": "Which page of results." },
            },
            "required": ["owner", "name"],
        });
        let tool = |number: usize| {
            Tool::new(
                format!("list_{number}"),
                "List all files of a repository",
                |(), _, _| Box::pin(async { ().into_output() }),
            )
            .input_schema(schema.clone())
        };
        Registry::builder().tools((0..tools).map(tool)).freeze()
    }

    /// Few tools are below the break-even point, many are above it, and there is no gap between
    /// them.
    #[test]
    fn few_small_tools_are_listed_in_full_and_many_are_not() {
        let is_advised = |tools: usize| remark(&registry(tools), Listing::Minimal).is_some();
        let advised: Vec<usize> = (1..=30).filter(|tools| is_advised(*tools)).collect();
        let last = advised.len();
        assert_eq!(last, 3, "as `Listing::Auto` documents");
        assert_eq!(advised, (1..=last).collect::<Vec<_>>(), "no gap");
        assert!(
            remark(&Registry::<()>::builder().freeze(), Listing::Minimal).is_none(),
            "nothing is listed"
        );
    }

    #[test]
    fn advice_says_what_to_type_and_is_silent_where_it_was_followed() {
        let words = remark(&registry(1), Listing::Minimal)
            .map(|remark| remark.to_string())
            .unwrap_or_default();
        assert!(
            words.contains("set `.listing(pd_runtime::Listing::AUTO)`"),
            "{words}"
        );
        assert!(words.ends_with("[small_listing]"), "{words}");
        for listing in [
            Listing::AUTO,
            Listing::Full,
            Listing::Negotiated,
            Listing::Grouped,
            Listing::Eager,
        ] {
            assert_eq!(remark(&registry(1), listing), None, "{listing:?}");
        }
        assert_eq!(
            remark(&registry(1).allow(Lint::SmallListing), Listing::Minimal),
            None
        );
    }

    /// With descriptions larger than the limit of `Listing::AUTO`, the advice names a limit under
    /// which the server is listed in full.
    #[test]
    fn advice_names_a_limit_that_is_large_enough() {
        let even = BreakEven {
            disclosed: 4_000,
            full: 3_100,
        };
        assert!(even.advice().is_some_and(|words| {
            words.contains("Listing::Auto { max_full_tokens: 4000, max_outline_tokens: 10_000 }")
        }));
        assert_eq!(
            BreakEven {
                disclosed: 3_000,
                full: 3_100
            }
            .advice(),
            None
        );
    }

    /// The advised listing lists all tools in full.
    #[test]
    fn a_server_that_follows_the_advice_lists_in_full() -> Result<(), crate::check::RegistryErrors>
    {
        let server = PdServer::builder(registry(2), ())
            .listing(Listing::AUTO)
            .build()?;
        assert!(
            server
                .host()
                .served()
                .as_owner(|view| view.step() == ListingStep::Full)
        );
        assert_eq!(advice(server.host().served()), None);
        Ok(())
    }
}
