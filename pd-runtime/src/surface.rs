//! The surfaces on which descriptions are disclosed, one file each. A surface only projects: it
//! decides nothing, and every description that it shows comes from `disclose`.
//!
//! A new surface is one file with an `impl Surface`, and its line in [`SURFACES`].

pub(crate) mod apps;
mod argument_names;
pub(crate) mod call_forms;
pub(crate) mod call_routes;
pub(crate) mod coerce_arguments;
pub(crate) mod corrected_call;
pub(crate) mod delta;
mod description_uri;
mod deterministic_groups;
pub(crate) mod extension;
pub(crate) mod fitting_tools;
pub(crate) mod groups;
pub(crate) mod invalid_arguments;
pub(crate) mod listing;
pub(crate) mod lossless_correction;
mod manifest;
pub(crate) mod meta_tools;
pub(crate) mod missing;
pub(crate) mod nested_arguments;
mod one_text;
pub(crate) mod pagination;
pub(crate) mod read_more;
pub(crate) mod refusal;
pub(crate) mod repeated_failure;
pub(crate) mod resolve_names;
pub(crate) mod resource;
mod selection_errors;
pub(crate) mod skills;
mod tool_lines;
mod unlisted_names;

use crate::{
    catalog::Catalog,
    disclosure::{disclose::same_source_names, view::CallerView},
    policy::Policy,
    protocol::negotiated::{ClientProfile, ClientTerms},
    registry::group::DEPTH_MAX,
    text::truncate::first_chars,
};
use futures::future::{BoxFuture, FutureExt, ready};
use rmcp::{
    ErrorData,
    model::{JsonObject, ReadResourceResult, Resource, ResourceTemplate, ServerCapabilities},
};
use serde_json::{Value, json};
use std::fmt::Debug;

/// All surfaces beside `tools/list` and `tools/call`. The first surface that answers a method gets
/// it.
pub(crate) const SURFACES: &[&dyn Surface] = &[
    &resource::ToolDescriptionsSurface,
    &extension::DisclosureSurface,
    &delta::DeltaSurface,
    &manifest::ManifestSurface,
    &deterministic_groups::DeterministicGroupsSurface,
    &groups::GroupsSurface,
    &skills::SkillsSurface,
    &apps::AppsSurface,
];

/// A protocol by which clients learn about tools.
pub(crate) trait Surface: Debug + Sync {
    /// Declares the surface in the server's capabilities.
    fn declare(
        &self,
        _catalog: &Catalog,
        _policy: &Policy,
        _capabilities: &mut ServerCapabilities,
    ) {
    }

    /// Returns whether the surface has anything for this caller. If not, it is not declared: a
    /// caller that sees nothing of it must not learn that something exists.
    fn exists(&self, _view: &CallerView<'_>) -> bool {
        true
    }

    /// Returns the requirements of a client that negotiated the surface; `None` for other clients.
    fn terms(&self, _client: &ClientProfile<'_>) -> Option<ClientTerms> {
        None
    }

    /// Returns the static name of the method if the surface answers it with these parameters.
    fn resolve_method(&self, _method: &str, _params: Option<&Value>) -> Option<&'static str> {
        None
    }

    /// Answers a method. The result is the JSON of `result`, without `resultType`.
    ///
    /// # Errors
    ///
    /// Returns the errors that the specification of the surface defines.
    fn answer<'a>(
        &'a self,
        method: &'a str,
        _params: Option<&'a Value>,
        _view: &'a CallerView<'a>,
    ) -> SurfaceAnswer<'a> {
        // Never reached without `resolve_method`, which names the methods that are answered.
        ready(Err(ErrorData::invalid_request(
            format!("{method} is not answered here"),
            None,
        )))
        .boxed()
    }

    /// Returns the surface's resources, as `resources/list` shows them.
    fn resources(&self, _view: &CallerView<'_>) -> Vec<Resource> {
        Vec::new()
    }

    /// Returns the surface's entries of `resources/templates/list`.
    fn templates(&self, _view: &CallerView<'_>) -> Vec<ResourceTemplate> {
        Vec::new()
    }

    /// Reads a resource. Returns `None` if the URI does not belong to the surface, or its resource
    /// does not exist for this caller.
    fn read<'a>(
        &'a self,
        _uri: &'a str,
        _view: &'a CallerView<'a>,
    ) -> BoxFuture<'a, Option<ReadResourceResult>> {
        ready(None).boxed()
    }

    /// Returns the notification of changes for the surface's clients, beside
    /// `notifications/tools/list_changed`.
    fn change_notification(&self) -> Option<&'static str> {
        None
    }
}

/// The answer to a surface's method.
pub(crate) type SurfaceAnswer<'a> = BoxFuture<'a, Result<Value, ErrorData>>;

/// The most characters of a name that are read. Tool names have at most 64, but a tool of another
/// server may have a longer one there.
const NAME_MAX: usize = 256;
/// The most characters of a path that are read: more than the longest path of a group has.
const PATH_MAX: usize = DEPTH_MAX * 65;

/// Declares `tools.{what}: true`. rmcp's type of that capability has no such member, so the key is
/// put under `experimental`, and `serve` moves it to its place.
pub(crate) fn declare_for_tools(what: &str, capabilities: &mut ServerCapabilities) {
    let experimental = capabilities.experimental.get_or_insert_default();
    experimental.insert(format!("{FOR_TOOLS}{what}"), JsonObject::new());
}

/// The prefix of the keys under `experimental` that belong into the capability `tools`.
pub(crate) const FOR_TOOLS: &str = "tools.";

/// The key in an error's data for a code that rmcp changes: for clients of 2026-07-28 it replaces
/// -32002 by -32602, regardless of the specification of the method. `serve` restores the code.
pub(crate) const CODE: &str = "dev.pd-runtime/code";

/// Returns the error for an unknown tool. A hidden tool gets the same bytes.
pub(crate) fn unknown_tool(name: &str, view: &CallerView<'_>) -> ErrorData {
    // The caller chose the name, and an error should not repeat a text of any length.
    let shown = truncated(name);
    let mut data = json!({ "unknownNames": [shown] });
    let mut text = format!("Unknown tool: {shown}");
    // Only names that the caller sees, so that a hidden tool changes no byte.
    if let Some(names) = same_source_names(name, view) {
        text = format!(
            "{text}; several tools have this name at their servers: {}",
            names.join(", ")
        );
        data = json!({ "unknownNames": [shown], "candidates": names });
    }
    ErrorData::invalid_params(text, Some(data))
}

/// Returns the beginning of a name, at most 64 characters, for errors that repeat it.
pub(crate) fn truncated(name: &str) -> &str {
    first_chars(name, 64)
}

/// Returns the union of the requirements of all surfaces that this client speaks.
pub(crate) fn terms(client: &ClientProfile<'_>) -> ClientTerms {
    let requirements = SURFACES
        .iter()
        .enumerate()
        // Bit `place` marks a surface that the client negotiated; `notifications` reads it again.
        .filter_map(|(place, surface)| {
            surface.terms(client).map(|terms| ClientTerms {
                spoken: 1 << place,
                ..terms
            })
        });
    requirements.fold(ClientTerms::default(), ClientTerms::union)
}

/// Returns the surface that answers a method, and the static name of the method.
pub(crate) fn find_by_method(
    method: &str,
    params: Option<&Value>,
) -> Option<(&'static dyn Surface, &'static str)> {
    SURFACES
        .iter()
        .find_map(|surface| Some((*surface, surface.resolve_method(method, params)?)))
}

/// Reads the resource at this URI from the surface that has it.
pub(crate) async fn read(uri: &str, view: &CallerView<'_>) -> Option<ReadResourceResult> {
    // One after the other, because the first surface that has the resource answers.
    for surface in SURFACES {
        if let Some(contents) = surface.read(uri, view).await {
            return Some(contents);
        }
    }
    None
}

/// Returns the notifications of changes for a client that speaks these surfaces.
pub(crate) fn notifications(terms: ClientTerms) -> impl Iterator<Item = &'static str> {
    let spoken = SURFACES
        .iter()
        .enumerate()
        .filter(move |(place, _)| terms.speaks(*place));
    spoken.filter_map(|(_, surface)| surface.change_notification())
}

/// Normalizes a caller's names: trims them, drops empty ones and keeps each once.
pub(crate) fn normalized<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names
        // Cut before it is compared, so that two long names with one beginning are one.
        .map(|name| cut_name(name.trim()))
        .filter(|name| !name.is_empty() && seen.insert(*name))
        .map(str::to_owned)
        .collect()
}

/// Returns the part of a name that is read.
fn cut_name(name: &str) -> &str {
    // Groups have paths, which are longer.
    let longest = if name.contains('/') {
        PATH_MAX.max(NAME_MAX)
    } else {
        NAME_MAX
    };
    first_chars(name, longest)
}
