//! The words of one answer for tools. A preset of another system has its own.

use super::view::CallerView;
use crate::catalog::{entry::CatalogEntry, signature::ToolSignature};
use std::borrow::Cow;

/// What an answer calls the tools of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ToolNaming {
    /// Tools, by the names that clients call them by.
    #[default]
    Tools,
    /// Actions of servers, by the names that they have there.
    Actions,
}

impl ToolNaming {
    /// Returns the word for one tool at the beginning of a text.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Tools => "Tool",
            Self::Actions => "Action",
        }
    }

    /// Returns the request to call the tool once more.
    pub(crate) fn call_again(self) -> &'static str {
        match self {
            Self::Tools => "call the tool again",
            Self::Actions => "execute the action again",
        }
    }
}

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
        // Only an answer with other names needs a copy of the signature.
        match self.shown_name(entry) {
            name if name == entry.name() => Cow::Borrowed(entry.signature()),
            name => Cow::Owned(entry.signature().clone().with_name(name)),
        }
    }
}
