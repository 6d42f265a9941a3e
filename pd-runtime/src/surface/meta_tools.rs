//! Tools about tools, for hosts that speak nothing but tools: one file each. Which are offered under what names is told by
//! `policy::meta_tools`.

mod describe;

use crate::{
    catalogue::entry::Entry,
    policy::{
        Gate,
        meta_tools::{Offer, Role},
    },
    view::View,
};
use rmcp::model::{CallToolResult, JsonObject, Tool};
use std::sync::Arc;

/// What a meta-tool answers.
#[derive(Debug)]
pub(crate) enum Reply {
    /// With a result of its own.
    Done(CallToolResult),
    /// By calling a tool, which the gate has yet to admit.
    Call { entry: Arc<Entry>, arguments: JsonObject },
}

/// The meta-tools as this caller's list shows them.
pub(crate) fn listed(view: &View<'_>) -> Vec<Tool> {
    view.policy.meta_tools().offers.iter().map(|offer| definition(offer, view)).collect()
}

fn definition(offer: &Offer, view: &View<'_>) -> Tool {
    match offer.role {
        Role::Describe => describe::definition(offer, is_required(view)),
        _ => describe::definition(offer, is_required(view)),
    }
}

/// Whether this caller's calls are refused without a description.
fn is_required(view: &View<'_>) -> bool {
    let shows_all = view.catalogue.in_full || view.policy.lists_in_full(view.caller.terms.describes);
    view.gate() == Gate::Enforce && !shows_all
}

/// Calls a meta-tool.
pub(crate) async fn call(offer: &Offer, arguments: Option<JsonObject>, view: &View<'_>) -> Reply {
    match offer.role {
        Role::Describe => Reply::Done(describe::call(arguments, view).await),
        _ => Reply::Done(describe::call(arguments, view).await),
    }
}
