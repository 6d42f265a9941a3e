//! Tools at paths: `/history/blame/lines`, with slashes or dots, is the tool `lines` in that group.

use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
};
use std::sync::Arc;

/// Returns the tool at a path, or of this name.
pub(crate) fn tool<'a>(path: &str, view: &CallerView<'a>) -> Option<&'a Arc<CatalogEntry>> {
    let path = path.trim().trim_matches('/');
    // Tool names may contain dots, so each separator may be the one between group and name.
    view.find(path)
        .or_else(|| {
            path.match_indices(['/', '.'])
                .find_map(|(at, _)| in_group(path, at, view))
        })
        .or_else(|| view.resolve(path))
}

/// Returns the tool whose name begins after this position of a path, if the group before it
/// contains the tool.
fn in_group<'a>(path: &str, at: usize, view: &CallerView<'a>) -> Option<&'a Arc<CatalogEntry>> {
    let group = group(path.get(..at)?, view)?;
    let entry = view.find(path.get(at + 1..)?)?;
    group.all_tools.contains(&entry.place).then_some(entry)
}

/// Returns the group at a path with slashes or dots.
pub(crate) fn group<'a>(path: &str, view: &CallerView<'a>) -> Option<&'a TreeNode> {
    view.group(&path.replace('.', "/"))
}

/// Returns whether a path means the top level.
#[cfg(feature = "presets")]
pub(crate) fn is_root(path: &str) -> bool {
    path.trim_matches(['/', '.']).is_empty()
}
