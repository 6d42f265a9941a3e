//! `tools/list`: summaries, or full definitions if the policy or an eager tool requires them.

use super::meta_tools;
use crate::{
    catalog::{Catalogue, definition, entry::Entry, token_cost::Form},
    disclosure::view::{Shown, View},
    policy::{Listing, Policy, disclosure_store::disclosure_record::Disclosed},
};
use rmcp::model::{CacheScope, ListToolsResult, Tool};
use std::collections::HashSet;

/// The time for which clients may cache lists, in milliseconds. `list_changed` notifies them of
/// earlier changes.
pub(crate) const TTL_MS: u64 = 300_000;

/// Returns the list as this caller sees it: tools in the registry's order, meta-tools last.
pub(crate) async fn list(view: &View<'_>) -> ListToolsResult {
    // Awaited before the forms are computed: with replicas, it reads the shared store.
    let disclosures = disclosures(view).await;
    let forms = || view.visible().filter_map(|entry| Some((&**entry, form(entry, &disclosures, view)?)));
    // Recorded with the forms shown, so that audit events carry the tokens that the list costs.
    view.recorder.record_listed(forms());
    let mut tools: Vec<Tool> = forms().map(|(entry, form)| tool(entry, form, view)).collect();
    tools.extend(meta_tools::listed(view).into_iter().map(|tool| match view.caller.terms.wants_brief {
        true => definition::brief(tool.name.clone(), tool.description.as_deref().unwrap_or_default()),
        false => tool,
    }));
    let scope = cache_scope(view.catalogue, view.policy);
    ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(scope)
}

fn form(entry: &Entry, disclosures: &HashSet<Disclosed>, view: &View<'_>) -> Option<Form> {
    match view.listed_form(entry) {
        Shown::Unlisted => None,
        Shown::Minimal if !disclosures.contains(&entry.disclosed) => Some(Form::Minimal),
        Shown::Brief => Some(Form::Brief),
        Shown::Minimal | Shown::Full => Some(Form::Definition),
    }
}

fn tool(entry: &Entry, form: Form, view: &View<'_>) -> Tool {
    match form {
        Form::Minimal => entry.minimal.clone(),
        Form::Brief => entry.brief.clone(),
        _ => view.full_definition(entry).tool.clone(),
    }
}

/// Returns the disclosures of this session, whose tools `Listing::Reveal` shows in full.
async fn disclosures(view: &View<'_>) -> HashSet<Disclosed> {
    match view.policy.listing {
        Listing::Reveal => view.caller.disclosures().await.into_iter().collect(),
        _ => HashSet::new(),
    }
}

/// Returns the scope in which a list may be cached. A list that depends on the caller or on the
/// client's capabilities may not be shared, because cache keys contain neither.
pub(crate) fn cache_scope(catalogue: &Catalogue, policy: &Policy) -> CacheScope {
    let depends_on_client = matches!(policy.listing, Listing::Negotiated | Listing::Reveal);
    if catalogue.is_restricted || depends_on_client || catalogue.has_grouped {
        CacheScope::Private
    } else {
        CacheScope::Public
    }
}
