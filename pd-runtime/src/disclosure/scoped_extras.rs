//! The prompts and resources that a client of the Groups extension gets with their groups. In one
//! client's view each is in the list or in groups, and never in both.

use super::view::CallerView;
use crate::catalog::tree::TreeNode;
use std::collections::HashSet;

/// The names of the prompts and the URIs of the resources that one caller's lists leave out.
#[derive(Debug, Default)]
pub(crate) struct ScopedExtras<'a> {
    prompts: HashSet<&'a str>,
    resources: HashSet<&'a str>,
}

impl ScopedExtras<'_> {
    pub(crate) fn has_prompt(&self, name: &str) -> bool {
        self.prompts.contains(name)
    }

    pub(crate) fn has_resource(&self, uri: &str) -> bool {
        self.resources.contains(uri)
    }
}

impl<'a> CallerView<'a> {
    /// Returns the prompts and resources of all groups that exist for this caller; none if the
    /// client does not expand groups.
    pub(crate) fn scoped_extras(&self) -> ScopedExtras<'a> {
        if !self.caller.terms.expands_groups {
            return ScopedExtras::default();
        }
        let groups = || {
            self.tree()
                .nodes()
                .iter()
                .filter(|group| self.sees_group(group))
        };
        let all = |of: fn(&'a TreeNode) -> &'a [String]| {
            groups().flat_map(of).map(String::as_str).collect()
        };
        ScopedExtras {
            prompts: all(|group| &group.prompts),
            resources: all(|group| &group.resources),
        }
    }
}
