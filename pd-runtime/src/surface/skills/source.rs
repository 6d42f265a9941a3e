//! The sources of a skill: a group with instructions or files, or a bundle, reduced to the tools
//! that exist for a caller.

use super::uri::REFERENCES_MAX;
use crate::{
    catalog::{Catalog, entry::CatalogEntry, tree::TreeNode},
    disclosure::view::CallerView,
    registry::{bundle::Bundle, check::is_heading_name, skill_file::SkillFile},
};

use std::{borrow::Cow, collections::HashSet, sync::Arc};

/// The source of one skill.
#[derive(Debug)]
pub(super) struct SkillSource<'a> {
    pub(super) name: &'a str,
    pub(super) summary: Cow<'a, str>,
    pub(super) instructions: &'a str,
    /// The tools, each once.
    pub(super) tools: Vec<&'a Arc<CatalogEntry>>,
    /// The groups inside that are separate skills.
    pub(super) narrower: Vec<NarrowerSkill<'a>>,
    /// The files of the author.
    pub(super) files: &'a [SkillFile],
    /// The prompts and the resources of the group.
    pub(super) prompts: &'a [String],
    pub(super) resources: &'a [String],
}

/// Returns whether any skill exists for a caller that sees everything.
pub(super) fn any(catalog: &Catalog) -> bool {
    catalog.tree.nodes().iter().any(is_skill)
        || !catalog.bundles.is_empty()
        || !catalog.info.listed_groups.is_empty()
}

/// Returns whether any skill exists for this caller.
pub(super) fn any_for(view: &CallerView<'_>) -> bool {
    let groups = view
        .tree()
        .nodes()
        .iter()
        .any(|group| is_skill(group) && view.sees_group(group));
    groups
        || view.has_unread_groups()
        || view
            .catalog
            .bundles
            .iter()
            .any(|bundle| bundle.tools.iter().any(|name| view.find(name).is_some()))
}

/// Returns all skills that a caller sees: groups, each before those inside it, then bundles.
pub(super) fn all<'a>(view: &CallerView<'a>) -> Vec<SkillSource<'a>> {
    subjects(view, is_skill)
}

/// Returns all groups and bundles as skills, also groups without instructions, and before them the
/// top level under this name.
#[cfg(feature = "export")]
pub(super) fn every<'a>(view: &CallerView<'a>, top: &'a str) -> Vec<SkillSource<'a>> {
    let tools: Vec<_> = view
        .catalog
        .root
        .tools
        .iter()
        .filter_map(|name| view.find(name))
        .collect();
    let instructions = &view.catalog.info.instructions;
    let top = SkillSource {
        name: top,
        summary: Cow::Borrowed(""),
        instructions,
        tools,
        // Every group of the top level is a skill here, so all are narrower skills.
        narrower: view
            .groups_in(None)
            .into_iter()
            .map(|group| NarrowerSkill::new(group, view))
            .collect(),
        files: &[],
        prompts: &[],
        resources: &[],
    };
    let top = (!top.tools.is_empty()).then_some(top);
    top.into_iter().chain(subjects(view, |_| true)).collect()
}

fn subjects<'a>(view: &CallerView<'a>, is_skill: fn(&TreeNode) -> bool) -> Vec<SkillSource<'a>> {
    let groups = view
        .tree()
        .nodes()
        .iter()
        .filter(|group| is_skill(group) && view.sees_group(group));
    let groups = groups.map(|group| from_group(group, view, is_skill));
    let bundles = view
        .catalog
        .bundles
        .iter()
        .filter_map(|bundle| from_bundle(bundle, view));
    let mut taken = HashSet::new();
    // `Registry::check` refuses invalid and duplicate names, but a release build may serve an
    // unchecked registry.
    groups
        .chain(bundles)
        // The first skill with a name keeps it, because its URI can lead to one skill only.
        .filter(|subject| is_heading_name(subject.name) && taken.insert(subject.name))
        .collect()
}

fn is_skill(group: &TreeNode) -> bool {
    !group.instructions.trim().is_empty() || !group.files.is_empty()
}

fn from_group<'a>(
    group: &'a TreeNode,
    view: &CallerView<'a>,
    is_skill: fn(&TreeNode) -> bool,
) -> SkillSource<'a> {
    let TreeNode {
        name,
        instructions,
        files,
        prompts,
        resources,
        ..
    } = group;
    let mut subject = SkillSource {
        name,
        summary: view.summary_of(group),
        instructions,
        tools: Vec::new(),
        narrower: Vec::new(),
        files,
        prompts,
        resources,
    };
    subject.gather(group, view, is_skill);
    let mut seen = HashSet::new();
    // A tool may be in several groups inside this one.
    subject.tools.retain(|entry| seen.insert(entry.place));
    subject
}

fn from_bundle<'a>(bundle: &'a Bundle, view: &CallerView<'a>) -> Option<SkillSource<'a>> {
    let tools: Vec<_> = bundle
        .tools
        .iter()
        .filter_map(|name| view.find(name))
        .collect();
    let Bundle {
        name,
        summary,
        instructions,
        files,
        ..
    } = bundle;
    // A bundle without visible tools must not reveal that it exists.
    (!tools.is_empty()).then_some(SkillSource {
        name,
        summary: summary.into(),
        instructions,
        tools,
        narrower: Vec::new(),
        files,
        prompts: &[],
        resources: &[],
    })
}

/// A group that is a skill inside of another one.
#[derive(Debug)]
pub(super) struct NarrowerSkill<'a> {
    pub(super) name: &'a str,
    /// What it is about, as the caller may see it.
    pub(super) summary: Cow<'a, str>,
}

impl<'a> NarrowerSkill<'a> {
    fn new(group: &'a TreeNode, view: &CallerView<'a>) -> Self {
        Self {
            name: &group.name,
            summary: view.summary_of(group),
        }
    }
}

impl<'a> SkillSource<'a> {
    /// Returns the number of tools that have a file. Own files come first, within the number of
    /// files that hosts accept in one skill.
    pub(super) fn described_max(&self) -> usize {
        REFERENCES_MAX.saturating_sub(self.files.len())
    }

    /// Collects the tools of a group, and the tools of groups inside that are not skills.
    fn gather(
        &mut self,
        group: &'a TreeNode,
        view: &CallerView<'a>,
        is_skill: fn(&TreeNode) -> bool,
    ) {
        self.tools.extend(view.tools_of(group));
        for inner in view.groups_in(Some(group)) {
            if is_skill(inner) {
                self.narrower.push(NarrowerSkill::new(inner, view));
            } else {
                self.gather(inner, view, is_skill);
            }
        }
    }
}
