//! The names of tools in the answer to one request.

use super::{tool_naming::ToolNaming, view::CallerView};
use crate::catalog::{entry::CatalogEntry, signature::ToolSignature};
use std::borrow::Cow;

impl CallerView<'_> {
    /// Notes what the answer to this request calls the tools.
    #[cfg(feature = "presets")]
    pub(crate) fn note_naming(&self, naming: ToolNaming) {
        self.naming.get_or_init(|| naming);
    }

    /// Returns what the answer to this request calls the tools.
    pub(crate) fn naming(&self) -> ToolNaming {
        self.naming.get().copied().unwrap_or_default()
    }

    /// Returns the name that the answer to this request has for a tool.
    pub(crate) fn shown_name<'entry>(&self, entry: &'entry CatalogEntry) -> &'entry str {
        match (self.naming(), &entry.tool.about.source) {
            (ToolNaming::Actions, Some(source)) => &source.name,
            _ => entry.name(),
        }
    }

    /// Returns the signature of a tool under that name.
    pub(crate) fn shown_signature<'entry>(
        &self,
        entry: &'entry CatalogEntry,
    ) -> Cow<'entry, ToolSignature> {
        match self.shown_name(entry) {
            name if name == entry.name() => Cow::Borrowed(entry.signature()),
            name => Cow::Owned(entry.signature().clone().with_name(name)),
        }
    }
}
