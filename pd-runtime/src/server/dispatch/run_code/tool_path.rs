//! Finds the tool that a program names among those that exist for the caller.

use crate::{
    catalog::entry::CatalogEntry,
    code::tool_path::{self, NamedTools, ends_with},
    disclosure::view::CallerView,
    registry::group::DEPTH_MAX,
};
use std::sync::Arc;

/// The most bytes of a path. A worker that was taken over could send longer ones, which cost time.
pub(super) const PATH_MAX: usize = 512;

/// Returns the tool at a path of names, if it exists for the caller.
pub(super) fn find<'a>(path: &[String], view: &CallerView<'a>) -> Option<&'a Arc<CatalogEntry>> {
    if path.iter().map(String::len).sum::<usize>() > PATH_MAX || path.len() > DEPTH_MAX + 1 {
        return None;
    }
    tool_path::find(path, &VisibleTools(view))
}

/// Returns the tool at a path that ends in the tool's name at its source. The program of an author
/// has no such names: another server could take a name that is gone.
pub(super) fn find_by_source<'a>(
    path: &[String],
    view: &CallerView<'a>,
) -> Option<&'a Arc<CatalogEntry>> {
    let is_short =
        path.iter().map(String::len).sum::<usize>() <= PATH_MAX && path.len() <= DEPTH_MAX + 1;
    is_short.then(|| view.resolve(&path.join("/"))).flatten()
}

struct VisibleTools<'v, 'a>(&'v CallerView<'a>);

impl<'a> NamedTools<'a> for VisibleTools<'_, 'a> {
    type Tool = &'a Arc<CatalogEntry>;

    fn exact(&self, name: &str) -> Option<Self::Tool> {
        self.0.find(name)
    }

    fn all(&self) -> impl Iterator<Item = (&'a str, Self::Tool)> {
        self.0.visible().map(|entry| (entry.name(), entry))
    }

    fn is_in_group(&self, tool: Self::Tool, names: &[String]) -> bool {
        self.0
            .groups_of(tool)
            .any(|group| ends_with(&group.path, names))
    }
}
