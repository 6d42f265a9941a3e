//! The servers of Strata's world. Behind a gateway, each upstream is a server, and its tools have
//! the names that they have there. All other tools are actions of the registry.

use crate::{
    catalog::entry::CatalogEntry, disclosure::view::CallerView, registry::source_names::SourceNames,
};
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

/// The most names in the schema of one argument.
const NAMES_MAX: usize = 100;

/// Returns the server of an action: its upstream, or the registry.
pub(super) fn server_of<'a>(entry: &'a CatalogEntry, view: &CallerView<'a>) -> &'a str {
    source_server(entry).unwrap_or_else(|| own_server(view))
}

/// Returns the name of the registry.
fn own_server<'a>(view: &CallerView<'a>) -> &'a str {
    &view.catalog.info.name
}

/// Returns the name that the configuration of a gateway has for the server of a tool.
fn source_server(entry: &CatalogEntry) -> Option<&str> {
    source(entry)?.sources.first().map(AsRef::as_ref)
}

fn source(entry: &CatalogEntry) -> Option<&SourceNames> {
    entry.tool.about.source.as_deref()
}

/// Returns the servers that these actions belong to, each once.
pub(super) fn servers_of<'a>(
    actions: impl IntoIterator<Item = &'a Arc<CatalogEntry>>,
    view: &CallerView<'a>,
) -> Vec<&'a str> {
    let mut servers = Vec::new();
    for entry in actions {
        let server = server_of(entry, view);
        if !servers.contains(&server) {
            servers.push(server);
        }
    }
    servers
}

/// Returns the servers with known actions. Without any upstream, the registry is one, even if it is
/// empty.
pub(super) fn all<'a>(view: &CallerView<'a>) -> Vec<&'a str> {
    let servers = servers_of(view.visible(), view);
    if servers.is_empty() && view.missing().is_empty() {
        vec![own_server(view)]
    } else {
        servers
    }
}

/// Returns the schema of a server's name: the servers that exist for this caller, also those that
/// have not listed their actions yet.
pub(super) fn name_schema(view: &CallerView<'_>) -> Value {
    let mut names: Vec<Cow<'_, str>> = all(view).into_iter().map(Cow::Borrowed).collect();
    for set in view.missing() {
        if !names.iter().any(|name| *name == set.name) {
            names.push(Cow::Owned(set.name));
        }
    }
    // A longer list costs more than one discovery.
    match names.len() > NAMES_MAX {
        true => json!({ "type": "string" }),
        false => json!({ "type": "string", "enum": names }),
    }
}

/// Returns the actions of a server. The names of its entry, its label and its group all mean it.
pub(super) fn actions_of<'a>(
    name: &str,
    view: &CallerView<'a>,
) -> Option<Vec<&'a Arc<CatalogEntry>>> {
    let actions: Vec<_> = view
        .visible()
        .filter(|entry| match source(entry) {
            Some(source) => source.sources.iter().any(|source| **source == *name),
            None => name == own_server(view),
        })
        .collect();
    // A server without actions exists, but not in front of upstreams: those are the servers then.
    let is_bare =
        || name == own_server(view) && view.visible().next().is_none() && view.missing().is_empty();
    (!actions.is_empty() || is_bare()).then_some(actions)
}

/// Returns the category of an action: its first group, or its server if no group divides that.
pub(super) fn category<'a>(entry: &'a CatalogEntry, view: &CallerView<'a>) -> &'a str {
    let Some(group) = view.groups_of(entry).next() else {
        return server_of(entry, view);
    };
    // The group of an upstream is the server itself, perhaps in other letters.
    match source(entry).filter(|source| source.sources.contains(&group.name)) {
        Some(_) => server_of(entry, view),
        None => &group.name,
    }
}
