//! `tools/list`: summaries, or full definitions if the policy or an eager tool requires them.

use super::{
    meta_tools::{self, ListedMetaTools},
    read_more,
};
use crate::{
    catalog::{Catalog, definition, entry::CatalogEntry, token_cost::CostForm},
    disclosure::{listed_form::ListedForm, view::CallerView},
    policy::{Listing, Policy, disclosure_store::disclosure_record::DisclosureRecord},
    protocol::lossy::LossyParts,
};
use rmcp::model::{CacheScope, ListToolsResult, Tool};
use std::collections::HashSet;
use std::{collections::HashMap, sync::Arc};

/// The time for which clients may cache lists, in milliseconds. `list_changed` notifies them of
/// earlier changes.
pub(crate) const TTL_MS: u64 = 300_000;

/// Returns the list as this caller sees it: tools in the registry's order, and meta-tools.
pub(crate) async fn list(view: &CallerView<'_>) -> ListToolsResult {
    // Awaited before the forms are computed: with replicas, it reads the shared store.
    let disclosures = disclosures(view).await;
    let forms = || {
        view.visible()
            .filter_map(|entry| Some((&**entry, form(entry, &disclosures, view)?)))
            .chain(app_tools(view))
    };
    // Recorded with the forms shown, so that audit events carry the tokens that the list costs.
    view.recorder.record_listed(forms());
    let ListedMetaTools {
        first: mut tools,
        last,
    } = meta_tools::definitions(view);
    tools.extend(forms().map(|(entry, form)| tool(entry, form, view)));
    tools.extend(read_more::definition(view));
    tools.extend(
        last.into_iter()
            .map(|tool| match view.caller.terms.wants_brief {
                true => definition::brief(
                    tool.name.clone(),
                    tool.description.as_deref().unwrap_or_default(),
                ),
                false => tool,
            }),
    );
    // A gateway's list differs from the lists of other clients.
    let scope = match view.caller.terms.relays {
        true => CacheScope::Private,
        false => cache_scope(view.catalog, view.policy),
    };
    ListToolsResult::with_all_items(tools)
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(scope)
}

/// Returns the tools for views alone, for clients that render views: those hosts show them to no
/// model, and some let views call listed tools only.
fn app_tools<'a>(view: &'a CallerView<'_>) -> impl Iterator<Item = (&'a CatalogEntry, CostForm)> {
    let tools = view
        .caller
        .terms
        .shows_views
        .then(|| view.catalog.app_tools(&view.caller.authority));
    let form = if view.caller.terms.relays {
        CostForm::Definition
    } else {
        CostForm::Outline
    };
    tools
        .into_iter()
        .flatten()
        .map(move |entry| (&**entry, form))
}

fn form(
    entry: &CatalogEntry,
    disclosures: &HashSet<DisclosureRecord>,
    view: &CallerView<'_>,
) -> Option<CostForm> {
    match view.listed_form(entry) {
        ListedForm::Unlisted => None,
        ListedForm::Minimal if !disclosures.contains(&entry.disclosed) => Some(CostForm::Minimal),
        ListedForm::Outline => Some(CostForm::Outline),
        ListedForm::Brief => Some(CostForm::Brief),
        ListedForm::Minimal | ListedForm::Full => Some(CostForm::Definition),
    }
}

fn tool(entry: &CatalogEntry, form: CostForm, view: &CallerView<'_>) -> Tool {
    match form {
        CostForm::Minimal => entry.minimal().clone(),
        CostForm::Outline => entry.outline().clone(),
        CostForm::Brief => entry.brief().clone(),
        _ => view.full_definition(entry).tool.clone(),
    }
}

/// Keeps what rmcp's type lost of the definitions that are listed in full.
pub(crate) fn keep_definitions(listed: &[Tool], view: &CallerView<'_>, parts: &LossyParts) {
    let app_tools = view.catalog.app_tools(&view.caller.authority);
    let specs = view
        .visible()
        .chain(app_tools)
        .map(|entry| &entry.tool.about);
    let lossy = specs
        .filter_map(|about| Some((&*about.name, (&about.input.schema, about.lossy.as_ref()?))));
    let lossy: HashMap<_, _> = lossy.collect();
    for tool in listed {
        if let Some((schema, value)) = lossy.get(&*tool.name)
            // Only a full definition shares its schema with the tool. An outline has another one.
            && Arc::ptr_eq(schema, &tool.input_schema)
        {
            parts.add_entry("tools", &tool.name, Arc::clone(value));
        }
    }
}

/// Returns the disclosures of this session, whose tools `Listing::Reveal` shows in full.
async fn disclosures(view: &CallerView<'_>) -> HashSet<DisclosureRecord> {
    match view.policy.listing {
        Listing::Reveal => view.caller.disclosures().await.into_iter().collect(),
        _ => HashSet::new(),
    }
}

/// Returns the scope in which a list may be cached. A list that depends on the caller or on the
/// client's capabilities may not be shared, because cache keys contain neither.
pub(crate) fn cache_scope(catalog: &Catalog, policy: &Policy) -> CacheScope {
    let depends_on_client =
        policy.adapts_to_hosts || matches!(policy.listing, Listing::Negotiated | Listing::Reveal);
    // What the tools that are not known yet need is not known either.
    let depends_on_tools =
        catalog.has_grouped || catalog.has_app_tools || catalog.has_missing_tools();
    if catalog.is_restricted || depends_on_client || depends_on_tools {
        CacheScope::Private
    } else {
        CacheScope::Public
    }
}
