//! The extension MCP Apps (SEP-1865), `io.modelcontextprotocol/ui`: hosts render views for the calls
//! of some tools, and views call tools.
//!
//! Nothing in a call says whether a view makes it. So a view's calls differ in two ways only, and
//! only for clients of the extension: tools for views alone exist for `tools/list` and
//! `tools/call`, and a call of a tool with a view, or beside one, is not refused before its
//! description was read, because a view cannot read a refusal.

use super::Surface;
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    protocol::negotiated::{ClientProfile, ClientTerms},
    registry::{
        app_role::{EXTENSION, UI, VIEW_SCHEME, VIEW_TYPE, view_uri},
        view::View,
    },
};
use futures::future::{BoxFuture, FutureExt, ready};
use rmcp::{
    ErrorData,
    model::{CallToolResponse, MetaObject, ReadResourceResult, Resource, ResourceContents},
};
use serde_json::json;
use std::sync::Arc;

/// The extension as a surface. Servers do not declare it.
#[derive(Debug)]
pub(crate) struct AppsSurface;

impl Surface for AppsSurface {
    /// Requires the media type of views: the key of the extension alone promises nothing.
    fn terms(&self, client: &ClientProfile<'_>) -> Option<ClientTerms> {
        let required = ClientTerms {
            shows_views: true,
            ..ClientTerms::default()
        };
        client
            .lists(EXTENSION, "mimeTypes", VIEW_TYPE)
            .then_some(required)
    }

    /// Lists the pages of the tools that the caller sees, for hosts that render them. The definition
    /// of a tool has the URI for all.
    fn resources(&self, view: &CallerView<'_>) -> Vec<Resource> {
        if !view.caller.terms.shows_views {
            return Vec::new();
        }
        view.catalog
            .tools_with_pages(&view.caller.authority)
            .filter_map(|(uri, entry)| {
                let about = &entry.tool.about;
                let resource = Resource::new(uri, entry.name())
                    .with_description(&*about.summary)
                    .with_mime_type(VIEW_TYPE);
                Some(match page_meta(about.host.view.as_deref()?) {
                    Some(meta) => resource.with_meta(meta),
                    None => resource,
                })
            })
            .collect()
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        view: &'a CallerView<'a>,
    ) -> BoxFuture<'a, Option<ReadResourceResult>> {
        let page = uri
            .starts_with(VIEW_SCHEME)
            .then(|| view.catalog.tools_with_pages(&view.caller.authority))
            .and_then(|mut tools| tools.find(|(known, _)| *known == uri))
            .and_then(|(_, entry)| entry.tool.about.host.view.as_deref());
        let read = page.map(|page| {
            note_read(uri, view);
            let contents = ResourceContents::text(&*page.html, uri).with_mime_type(VIEW_TYPE);
            let contents = match page_meta(page) {
                Some(meta) => contents.with_meta(meta),
                None => contents,
            };
            ReadResourceResult::new(vec![contents])
        });
        ready(read).boxed()
    }
}

/// Returns `_meta` of a page's resource: what the page may do.
fn page_meta(page: &View) -> Option<MetaObject> {
    let settings = page.settings.as_object()?;
    (!settings.is_empty()).then(|| {
        let mut meta = MetaObject::default();
        meta.insert(UI.to_owned(), json!(settings));
        meta
    })
}

/// Returns the tool that a direct call means. A view knows the tools of its server by the names
/// there, and calls those for views alone, too.
///
/// # Errors
///
/// Returns the tools that a view may mean if it may mean several.
pub(crate) fn called_tool<'a>(
    name: &str,
    view: &CallerView<'a>,
) -> Result<Option<&'a Arc<CatalogEntry>>, Vec<&'a Arc<CatalogEntry>>> {
    let exact = view.find(name);
    if exact.is_some() {
        return Ok(exact);
    }
    let authority = &view.caller.authority;
    if let Some(tool) = view.catalog.find_app_tool(name, authority) {
        return Ok(Some(tool));
    }
    if !view.caller.terms.shows_views {
        return Ok(view.resolve(name));
    }
    let mut meant = view.catalog.find_by_name_in_view(name, authority);
    if meant.len() > 1 {
        let opened: Vec<_> = meant
            .iter()
            .copied()
            .filter(|entry| is_beside_open_view(entry, view))
            .collect();
        if !opened.is_empty() {
            meant = opened;
        }
    }
    match meant.as_slice() {
        [tool] => Ok(Some(tool)),
        [] => Ok(view.resolve(name)),
        _ => Err(meant),
    }
}

/// Returns the error for a name by which a view may mean several tools.
pub(crate) fn several_tools(name: &str, meant: &[&Arc<CatalogEntry>]) -> ErrorData {
    let names: Vec<_> = meant
        .iter()
        .map(|entry| format!("`{}`", entry.name()))
        .collect();
    let text = format!(
        "several tools have the name `{name}`: {}; call one of them",
        names.join(", ")
    );
    ErrorData::invalid_params(text, None)
}

/// Returns whether the session has read the view of a tool that is in the same group at the top
/// level. A gateway has one such group for each server.
fn is_beside_open_view(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    let Some(session) = view.caller.client_session() else {
        return false;
    };
    view.catalog
        .beside(entry.place)
        .filter_map(|other| view_uri(&other.tool.about.host.meta))
        .any(|uri| session.has_opened_view(uri))
}

/// Returns whether a view may make the direct call of a tool. Not every host that renders views
/// declares it, and nothing but a view knows the name of a tool for views alone.
pub(crate) fn may_come_from_view(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    if !entry.app.is_for_models {
        return true;
    }
    view.caller.terms.shows_views
        && entry.app.is_for_apps
        && (entry.app.has_view
            || view.catalog.is_called_by_page(entry)
            || view
                .catalog
                .beside(entry.place)
                .any(|other| other.app.has_view))
}

/// Notes that the session has read a view.
pub(crate) fn note_read(uri: &str, view: &CallerView<'_>) {
    if uri.starts_with(VIEW_SCHEME)
        && let Some(session) = view.caller.client_session()
    {
        session.note_opened_view(uri);
    }
}

/// Adds the tool's view to the result of a call through a meta-tool, as some hosts render views by
/// results.
pub(crate) fn with_view(
    mut response: CallToolResponse,
    entry: &CatalogEntry,
    view: &CallerView<'_>,
) -> CallToolResponse {
    if view.caller.terms.shows_views
        && entry.app.shows_view()
        && let Some(uri) = view_uri(&entry.tool.about.host.meta)
        && let CallToolResponse::Complete(result) = &mut response
        && result.is_error != Some(true)
    {
        let meta = result.meta.get_or_insert_with(MetaObject::default);
        meta.entry(UI.to_owned())
            .or_insert_with(|| json!({ "resourceUri": uri }));
    }
    response
}
