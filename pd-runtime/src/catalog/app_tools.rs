//! The tools that views of MCP Apps call, beside those that models see.

use super::{Catalog, entry::CatalogEntry};
use crate::{policy::access::CallerAuthority, registry::app_role::view_uri};
use std::sync::Arc;

impl Catalog {
    /// Returns the tools for views alone that this authority may call.
    pub(crate) fn app_tools<'a>(
        &'a self,
        authority: &'a CallerAuthority,
    ) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        let entries = self.has_app_tools.then_some(&self.entries);
        let tools = entries.into_iter().flatten();
        tools.filter(|entry| self.is_app_tool(entry, authority))
    }

    /// Returns the tool of this name if it is for views alone, and this authority may call it.
    pub(crate) fn find_app_tool(
        &self,
        name: &str,
        authority: &CallerAuthority,
    ) -> Option<&Arc<CatalogEntry>> {
        let place = self.by_name.get(name).filter(|_| self.has_app_tools)?;
        let entry = self.entries.get(*place)?;
        self.is_app_tool(entry, authority).then_some(entry)
    }

    /// Returns the tools that views know by this name: the name at their source.
    pub(crate) fn find_by_name_in_view<'a>(
        &'a self,
        name: &str,
        authority: &CallerAuthority,
    ) -> Vec<&'a Arc<CatalogEntry>> {
        let places = self.source_names.find(name, &self.entries);
        let at_source = places
            .into_iter()
            .filter_map(|place| self.entries.get(place));
        // The name before a prefix that the author gave.
        let unprefixed = self.entries.iter().filter(|entry| {
            let about = &entry.tool.about;
            about.unprefixed.as_deref().is_some_and(|own| own == name)
        });
        at_source
            .chain(unprefixed)
            .filter(|entry| entry.app.is_for_apps && self.access.allows(&entry.tool, authority))
            .collect()
    }

    /// Returns the tools with pages of the author's that this authority may call, with the URIs of
    /// the pages.
    pub(crate) fn tools_with_pages<'a>(
        &'a self,
        authority: &'a CallerAuthority,
    ) -> impl Iterator<Item = (&'a str, &'a Arc<CatalogEntry>)> {
        let tools = self.entries.iter().filter(|entry| {
            entry.tool.about.host.view.is_some() && self.access.allows(&entry.tool, authority)
        });
        tools.filter_map(|entry| Some((view_uri(&entry.tool.about.host.meta)?, entry)))
    }

    /// Returns whether the page of an author calls the tool.
    pub(crate) fn is_called_by_page(&self, called: &CatalogEntry) -> bool {
        let about = &called.tool.about;
        let names = [Some(called.name()), about.unprefixed.as_deref()];
        let pages = self
            .entries
            .iter()
            .filter_map(|entry| entry.tool.about.host.view.as_ref());
        pages
            .flat_map(|page| page.calls)
            .any(|name| names.contains(&Some(*name)))
    }

    /// Returns the tools of a tool's group at the top level, with it. Tools in no group are beside
    /// each other.
    pub(crate) fn beside(&self, place: usize) -> impl Iterator<Item = &Arc<CatalogEntry>> {
        let group = self
            .tree
            .top()
            .find(|group| group.all_tools.binary_search(&place).is_ok());
        let places = group.map(|group| &group.all_tools);
        self.entries.iter().filter(move |entry| match places {
            Some(places) => places.binary_search(&entry.place).is_ok(),
            None => entry.is_top,
        })
    }

    fn is_app_tool(&self, entry: &CatalogEntry, authority: &CallerAuthority) -> bool {
        !entry.app.is_for_models
            && entry.app.is_for_apps
            && self.access.allows(&entry.tool, authority)
    }
}
