//! `tools/list`: summaries, or full definitions where the policy or an eager tool says so.

use super::meta_tools;
use crate::{
    caller::Caller,
    catalogue::Catalogue,
    policy::{Gate, Listing, Policy},
};
use rmcp::model::{CacheScope, ListToolsResult, Tool};

/// How long clients may keep lists, in milliseconds. `list_changed` tells them sooner.
pub(crate) const TTL_MS: u64 = 300_000;

/// The list as this caller sees it: the registry's order, meta-tools last.
pub(crate) fn list(caller: &Caller<'_>, catalogue: &Catalogue, policy: &Policy) -> ListToolsResult {
    let listed = catalogue.visible(&caller.authority).map(|entry| {
        if caller.sees_in_full(policy, catalogue, entry) {
            entry.forms(caller.modern).full.clone()
        } else {
            entry.minimal.clone()
        }
    });
    let mut tools: Vec<Tool> = listed.collect();
    if policy.describe_tools {
        let shows_all = catalogue.in_full || policy.lists_in_full(caller.declares_disclosure);
        tools.push(meta_tools::describe_tools(policy.gate == Gate::Enforce && !shows_all));
    }
    ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(cache_scope(catalogue, policy))
}

/// A list that depends on who asks, or on what a client declared, may not be shared: caches key on neither.
pub(crate) fn cache_scope(catalogue: &Catalogue, policy: &Policy) -> CacheScope {
    if catalogue.has_scopes || policy.listing == Listing::Negotiated { CacheScope::Private } else { CacheScope::Public }
}
