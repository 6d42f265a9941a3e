//! The wires on which descriptions are disclosed, one file each. A surface only projects: it decides nothing, and
//! every description it shows comes from `disclose`.
//!
//! A new wire is one file with an `impl Wire`, and its line in [`WIRES`].

pub(crate) mod delta;
mod deterministic_groups;
pub(crate) mod extension;
pub(crate) mod groups;
pub(crate) mod listing;
mod manifest;
pub(crate) mod meta_tools;
pub(crate) mod pagination;
pub(crate) mod presets;
pub(crate) mod refusal;
pub(crate) mod resolve_names;
pub(crate) mod resource;
pub(crate) mod skills;

use crate::{
    catalog::Catalogue,
    disclosure::view::View,
    policy::Policy,
    protocol::negotiated::{Client, Terms},
    registry::group::DEPTH_MAX,
};
use futures::future::{BoxFuture, FutureExt, ready};
use rmcp::{
    ErrorData,
    model::{JsonObject, ReadResourceResult, Resource, ResourceTemplate, ServerCapabilities},
};
use serde_json::{Value, json};
use std::fmt::Debug;

/// All wires beside `tools/list` and `tools/call`. The first that answers a method has it.
pub(crate) const WIRES: &[&dyn Wire] = &[
    &resource::ToolDescriptions,
    &extension::Disclosure,
    &delta::Delta,
    &manifest::Manifest,
    &deterministic_groups::DeterministicGroups,
    &groups::Groups,
    &skills::Skills,
];

/// A way in which clients get to know tools, in terms of the protocol.
pub(crate) trait Wire: Debug + Sync {
    /// Says in the server's capabilities that it is spoken here.
    fn declare(&self, _catalogue: &Catalogue, _policy: &Policy, _capabilities: &mut ServerCapabilities) {}

    /// Whether there is anything of it for this caller. Where there is not, it is not declared: who sees nothing of it must not
    /// learn that there is something.
    fn exists(&self, _view: &View<'_>) -> bool {
        true
    }

    /// What a client asks that negotiated it; `None` for a client that did not.
    fn terms(&self, _client: &Client<'_>) -> Option<Terms> {
        None
    }

    /// The method by its own name, if it answers that with these parameters.
    fn answers(&self, _method: &str, _params: Option<&Value>) -> Option<&'static str> {
        None
    }

    /// Answers a method; the result is the JSON of `result`, without `resultType`.
    ///
    /// # Errors
    ///
    /// What the wire's own rules say.
    fn answer<'a>(&'a self, method: &'a str, _params: Option<&'a Value>, _view: &'a View<'a>) -> Answer<'a> {
        ready(Err(ErrorData::invalid_request(format!("{method} is not answered here"), None))).boxed()
    }

    /// Its resources, as `resources/list` shows them.
    fn resources(&self, _view: &View<'_>) -> Vec<Resource> {
        Vec::new()
    }

    /// Its entries of `resources/templates/list`.
    fn templates(&self, _view: &View<'_>) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource; `None` where the URI is none of its own, or of none that exists for this caller.
    fn read<'a>(&'a self, _uri: &'a str, _view: &'a View<'a>) -> BoxFuture<'a, Option<ReadResourceResult>> {
        ready(None).boxed()
    }

    /// The notification that tells its clients of changes, beside `notifications/tools/list_changed`.
    fn changed(&self) -> Option<&'static str> {
        None
    }
}

/// What a method is answered with.
pub(crate) type Answer<'a> = BoxFuture<'a, Result<Value, ErrorData>>;

/// One more character than a tool's name has at most.
const NAME_MAX: usize = 65;
/// As many as the longest path of a group.
const PATH_MAX: usize = DEPTH_MAX * NAME_MAX;

/// Declares `tools.{what}: true`. rmcp's type of that capability knows no such key, so it waits under `experimental`, from
/// where `serve` takes it to its place.
pub(crate) fn declare_for_tools(what: &str, capabilities: &mut ServerCapabilities) {
    let experimental = capabilities.experimental.get_or_insert_default();
    experimental.insert(format!("{FOR_TOOLS}{what}"), JsonObject::new());
}

/// What the keys under `experimental` begin with that belong into the capability `tools`.
pub(crate) const FOR_TOOLS: &str = "tools.";

/// Where an error's data keeps a code that rmcp changes: for clients of 2026-07-28 it writes -32602 for -32002, whatever the
/// method's own rules say. `serve` puts it right.
pub(crate) const CODE: &str = "dev.pd-runtime/code";

/// The same bytes for a tool that does not exist and one that this caller may not see.
pub(crate) fn unknown_tool(name: &str) -> ErrorData {
    let shown = echoed(name);
    let data = json!({ "unknownNames": [shown] });
    ErrorData::invalid_params(format!("Unknown tool: {shown}"), Some(data))
}

/// As much of a name as is worth sending back.
pub(crate) fn echoed(name: &str) -> &str {
    name.char_indices().nth(64).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// What all wires together ask that this client speaks.
pub(crate) fn terms(client: &Client<'_>) -> Terms {
    let asked = WIRES
        .iter()
        .enumerate()
        .filter_map(|(place, wire)| wire.terms(client).map(|terms| Terms { spoken: 1 << place, ..terms }));
    asked.fold(Terms::default(), Terms::and)
}

/// The wire that answers a method, and the method by its own name.
pub(crate) fn answering(method: &str, params: Option<&Value>) -> Option<(&'static dyn Wire, &'static str)> {
    WIRES.iter().find_map(|wire| Some((*wire, wire.answers(method, params)?)))
}

/// The resource at this URI, whichever wire it is of.
pub(crate) async fn read(uri: &str, view: &View<'_>) -> Option<ReadResourceResult> {
    for wire in WIRES {
        if let Some(contents) = wire.read(uri, view).await {
            return Some(contents);
        }
    }
    None
}

/// The notifications that tell a client of changes that speaks these wires.
pub(crate) fn notifications(terms: Terms) -> impl Iterator<Item = &'static str> {
    let spoken = WIRES.iter().enumerate().filter(move |(place, _)| terms.speaks(*place));
    spoken.filter_map(|(_, wire)| wire.changed())
}

/// Names as a caller gives them: trimmed, without empty ones, each once.
pub(crate) fn cleaned<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let cut = |name: &'a str| {
        // No tool has a longer name, so the rest of one is not worth sending back. Groups have paths.
        let longest = if name.contains('/') { PATH_MAX } else { NAME_MAX };
        name.char_indices().nth(longest).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
    };
    names.map(str::trim).map(cut).filter(|name| !name.is_empty() && seen.insert(*name)).map(str::to_owned).collect()
}
