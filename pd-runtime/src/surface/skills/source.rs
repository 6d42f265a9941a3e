//! What a skill is about: a group with instructions, or a bundle, as far as its tools exist for a caller.

use super::uri::REFERENCES_MAX;
use crate::{
    catalog::{Catalogue, entry::Entry, tree::Node},
    disclosure::view::View,
    registry::{bundle::Bundle, check::is_heading_name, skill_file::SkillFile},
};

use std::{collections::HashSet, sync::Arc};

/// What one skill is made of.
#[derive(Debug)]
pub(super) struct Subject<'a> {
    pub(super) name: &'a str,
    pub(super) summary: &'a str,
    pub(super) instructions: &'a str,
    /// Each once.
    pub(super) tools: Vec<&'a Arc<Entry>>,
    /// Groups inside that are skills by themselves.
    pub(super) narrower: Vec<&'a Node>,
    /// The author's own files.
    pub(super) files: &'a [SkillFile],
}

/// Whether there is a skill for whoever sees everything.
pub(super) fn any(catalogue: &Catalogue) -> bool {
    catalogue.tree.nodes().iter().any(is_skill) || !catalogue.bundles.is_empty()
}

/// Whether there is a skill for this caller.
pub(super) fn any_for(view: &View<'_>) -> bool {
    let groups = view.tree().nodes().iter().any(|group| is_skill(group) && view.sees_group(group));
    groups || view.catalogue.bundles.iter().any(|bundle| bundle.tools.iter().any(|name| view.find(name).is_some()))
}

/// All that a caller sees: groups, each before those inside it, then bundles.
pub(super) fn all<'a>(view: &View<'a>) -> Vec<Subject<'a>> {
    of(view, is_skill)
}

/// The same, whether groups have instructions or not, and before them what stands at the top level, called by this name.
pub(super) fn every<'a>(view: &View<'a>, top: &'a str) -> Vec<Subject<'a>> {
    let tools: Vec<_> = view.catalogue.root.tools.iter().filter_map(|name| view.find(name)).collect();
    let instructions = &view.catalogue.info.instructions;
    let top = Subject { name: top, summary: "", instructions, tools, narrower: view.groups_in(None), files: &[] };
    let top = (!top.tools.is_empty()).then_some(top);
    top.into_iter().chain(of(view, |_| true)).collect()
}

fn of<'a>(view: &View<'a>, is_skill: fn(&Node) -> bool) -> Vec<Subject<'a>> {
    let groups = view.tree().nodes().iter().filter(|group| is_skill(group) && view.sees_group(group));
    let groups = groups.map(|group| of_group(group, view, is_skill));
    let bundles = view.catalogue.bundles.iter().filter_map(|bundle| of_bundle(bundle, view));
    let mut taken = HashSet::new();
    // `Registry::check` refuses other names and doubles; a release build may serve what nobody checked.
    groups.chain(bundles).filter(|subject| is_heading_name(subject.name) && taken.insert(subject.name)).collect()
}

fn is_skill(group: &Node) -> bool {
    !group.instructions.trim().is_empty() || !group.files.is_empty()
}

fn of_group<'a>(group: &'a Node, view: &View<'a>, is_skill: fn(&Node) -> bool) -> Subject<'a> {
    let Node { name, summary, instructions, files, .. } = group;
    let mut subject = Subject { name, summary, instructions, tools: Vec::new(), narrower: Vec::new(), files };
    subject.gather(group, view, is_skill);
    let mut seen = HashSet::new();
    subject.tools.retain(|entry| seen.insert(entry.place));
    subject
}

fn of_bundle<'a>(bundle: &'a Bundle, view: &View<'a>) -> Option<Subject<'a>> {
    let tools: Vec<_> = bundle.tools.iter().filter_map(|name| view.find(name)).collect();
    let Bundle { name, summary, instructions, files, .. } = bundle;
    (!tools.is_empty()).then_some(Subject { name, summary, instructions, tools, narrower: Vec::new(), files })
}

impl<'a> Subject<'a> {
    /// How many of its tools have a file: own files come first, and hosts accept so many in one skill.
    pub(super) fn described_max(&self) -> usize {
        REFERENCES_MAX.saturating_sub(self.files.len())
    }

    /// A group's own tools, and those of groups inside that are no skills.
    fn gather(&mut self, group: &'a Node, view: &View<'a>, is_skill: fn(&Node) -> bool) {
        self.tools.extend(view.tools_of(group));
        for inner in view.groups_in(Some(group)) {
            if is_skill(inner) {
                self.narrower.push(inner);
            } else {
                self.gather(inner, view, is_skill);
            }
        }
    }
}
