//! Tags: the groups that a search names, and the tags that exist.

use crate::{
    catalog::{entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
    surface::meta_tools::{arguments::MetaToolArguments, notation::PathNotation, path},
    text::truncate::first_chars,
};
use pd_schema::suggest;

/// The most tags in an answer.
const TAGS_MAX: usize = 50;
/// The most characters of an unknown tag that an answer repeats.
const ECHO_MAX: usize = 65;

/// The tags of one search.
#[derive(Debug)]
pub(super) struct TagFilter<'a> {
    groups: Vec<&'a TreeNode>,
    /// The tags that no group of this caller has.
    pub(super) unknown: Vec<String>,
    matches_all: bool,
}

impl<'a> TagFilter<'a> {
    /// Parses `tags` and `match_mode`. A tag is a group's path, as it is advertised, or its name.
    ///
    /// # Errors
    ///
    /// Returns an error if the mode does not exist.
    pub(super) fn parse(
        arguments: &MetaToolArguments,
        view: &CallerView<'a>,
    ) -> Result<Self, String> {
        let matches_all = match arguments.text("match_mode").to_ascii_lowercase().as_str() {
            "" | "any" => false,
            "all" => true,
            _ => return Err("`match_mode` must be one of any, all".to_owned()),
        };
        let mut filter = Self {
            groups: Vec::new(),
            unknown: Vec::new(),
            matches_all,
        };
        // Each tag is looked up among the groups, so their number is bounded.
        for tag in arguments
            .names("tags")
            .iter()
            .take(view.policy.limits.names)
        {
            match path::group(tag, view) {
                Some(group) => filter.groups.push(group),
                None => filter.unknown.push(first_chars(tag, ECHO_MAX).to_owned()),
            }
        }
        Ok(filter)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.unknown.is_empty()
    }

    /// Returns whether a tool has any of the tags, or all of them, by the mode.
    pub(super) fn admits(&self, entry: &CatalogEntry) -> bool {
        // `all_tools` is sorted by place.
        let has = |group: &&TreeNode| group.all_tools.binary_search(&entry.place).is_ok();
        match self.matches_all {
            _ if self.is_empty() => true,
            // No tool has an unknown tag, so none has all tags.
            true => self.unknown.is_empty() && self.groups.iter().all(has),
            false => self.groups.iter().any(has),
        }
    }

    /// Returns whether any of the tags is known and on this tool, in either mode.
    pub(super) fn touches(&self, entry: &CatalogEntry) -> bool {
        self.groups
            .iter()
            .any(|group| group.all_tools.binary_search(&entry.place).is_ok())
    }
}

/// Returns a tool's tags: the paths of its groups, each after the paths of the groups around it.
pub(super) fn of_tool<'a>(entry: &CatalogEntry, view: &CallerView<'a>) -> Vec<&'a str> {
    let mut tags: Vec<&str> = Vec::new();
    for group in view.groups_of(entry) {
        let path = group.path.trim_start_matches('/');
        let ends = path
            .match_indices('/')
            .map(|(at, _)| at)
            .chain([path.len()]);
        for tag in ends.filter_map(|end| path.get(..end)) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
    }
    tags
}

/// Returns the tags that exist for this caller, and the number of those left out. If not all fit,
/// those most like the unknown tag come first.
pub(super) fn available(unknown: Option<&str>, view: &CallerView<'_>) -> (Vec<String>, usize) {
    let groups = view
        .tree()
        .nodes()
        .iter()
        .filter(|group| view.sees_group(group));
    let all: Vec<String> = groups
        .map(|group| {
            PathNotation::Names
                .group(group)
                .trim_start_matches('/')
                .to_owned()
        })
        .collect();
    let left_out = all.len().saturating_sub(TAGS_MAX);
    let tags = match unknown {
        Some(unknown) if left_out > 0 => {
            suggest::rank(unknown, all.iter().map(String::as_str), TAGS_MAX)
                .into_iter()
                .map(str::to_owned)
                .collect()
        }
        _ => all.into_iter().take(TAGS_MAX).collect(),
    };
    (tags, left_out)
}
