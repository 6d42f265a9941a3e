//! Finds the tool that a program names: `tools.log`, `tools.history.log`, `tools["get-issue"]`.

use crate::{catalog::entry::CatalogEntry, disclosure::view::CallerView, registry::group::DEPTH_MAX};
use std::sync::Arc;

/// The most bytes of a path. A worker that was taken over could send longer ones, which cost time.
pub(super) const PATH_MAX: usize = 512;

/// Returns the tool at a path of names, if it exists for the caller.
///
/// The last name is the tool's, and the ones before it are those of its group, in order. JavaScript's
/// names have no hyphens, and models write `getIssue` for `get_issue`, so letters and digits decide if
/// no tool has the very name.
pub(super) fn find<'a>(path: &[String], view: &CallerView<'a>) -> Option<&'a Arc<CatalogEntry>> {
    let (name, groups) = path.split_last()?;
    if path.iter().map(String::len).sum::<usize>() > PATH_MAX || groups.len() > DEPTH_MAX {
        return None;
    }
    let is_in_group =
        |entry: &CatalogEntry| groups.is_empty() || view.groups_of(entry).any(|group| ends_with(&group.path, groups));
    if let Some(entry) = view.find(name).filter(|entry| is_in_group(entry)) {
        return Some(entry);
    }
    let own_key = key(name);
    let alike = only(view.visible().filter(|entry| key(entry.name()) == own_key && is_in_group(entry)));
    // Names of a gateway's tools contain the name of their server.
    alike.or_else(|| {
        let joined = key(&path.concat());
        only(view.visible().filter(|entry| key(entry.name()) == joined))
    })
}

/// Returns whether a group's path ends with these names.
fn ends_with(path: &str, names: &[String]) -> bool {
    let mut segments = path.rsplit('/').filter(|segment| !segment.is_empty());
    names.iter().rev().all(|name| segments.next().is_some_and(|segment| key(segment) == key(name)))
}

/// Returns the letters and digits of a name, in lower case.
fn key(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_with_the_names_of_its_groups() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(ends_with("/history/blame", &names(&["blame"])));
        assert!(ends_with("/history/blame", &names(&["history", "blame"])));
        assert!(ends_with("/pull-requests", &names(&["pullRequests"])));
        assert!(!ends_with("/history/blame", &names(&["history"])));
        assert!(!ends_with("/history", &names(&["all", "history"])));
    }
}
