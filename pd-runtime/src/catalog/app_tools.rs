//! The tools that views of MCP Apps call, beside those that models see.

use super::{Catalog, entry::CatalogEntry};
use crate::policy::access::CallerAuthority;
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
        authority: &'a CallerAuthority,
    ) -> impl Iterator<Item = &'a Arc<CatalogEntry>> {
        let places = self.source_names.find(name, &self.entries);
        let entries = places
            .into_iter()
            .filter_map(|place| self.entries.get(place));
        entries.filter(|entry| entry.app.is_for_apps && self.access.allows(&entry.tool, authority))
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
