//! The rules of `registry!`. An entry that breaks one is reported and left out.

mod heading;

pub(super) use heading::SectionHeading;

use super::parse::{RegistryEntry, RegistryLiteral, RegistrySection, ToolPath};
use crate::{
    doc::{self, PlainDoc},
    errors::Errors,
};
use heading::{HeadingKind, TakenNames};
use syn::{LitInt, LitStr};

/// A literal that passed all rules.
pub(super) struct CheckedRegistry {
    pub(super) instructions: PlainDoc,
    pub(super) budget: Option<LitInt>,
    pub(super) name: Option<LitStr>,
    pub(super) version: Option<LitStr>,
    pub(super) nodes: Vec<RegistryNode>,
    pub(super) bundles: Vec<Bundle>,
}

/// An entry that passed all rules.
pub(super) enum RegistryNode {
    Tool(ToolPath),
    Group(Group),
}

/// A named group of tools and groups.
pub(super) struct Group {
    pub(super) heading: SectionHeading,
    pub(super) nodes: Vec<RegistryNode>,
}

/// A named list of tools for one task.
pub(super) struct Bundle {
    pub(super) heading: SectionHeading,
    pub(super) tools: Vec<ToolPath>,
}

/// Applies every rule.
pub(super) fn check(literal: RegistryLiteral, errors: &mut Errors) -> CheckedRegistry {
    let RegistryLiteral { options, entries } = literal;
    // One set for the whole literal, because groups and bundles share their names.
    let (nodes, bundles) = check_entries(entries, &mut TakenNames::default(), errors);
    CheckedRegistry {
        instructions: doc::plain(&options.docs),
        budget: options.budget,
        name: options.name,
        version: options.version,
        nodes,
        bundles,
    }
}

fn check_entries(
    entries: Vec<RegistryEntry>,
    taken: &mut TakenNames,
    errors: &mut Errors,
) -> (Vec<RegistryNode>, Vec<Bundle>) {
    let mut nodes = Vec::new();
    let mut bundles = Vec::new();
    let mut tools = Vec::new();
    for entry in entries {
        match entry {
            RegistryEntry::Tool(tool) => {
                nodes.extend(check_once(tool, &mut tools, errors).map(RegistryNode::Tool))
            }
            RegistryEntry::Group(section) => {
                nodes.push(RegistryNode::Group(check_group(section, taken, errors)))
            }
            RegistryEntry::Bundle(section) => bundles.push(check_bundle(section, taken, errors)),
        }
    }
    (nodes, bundles)
}

/// Reports a tool that is listed twice in one group or bundle. It may be in several of them.
/// Entries under `cfg` may be alternatives.
fn check_once(tool: ToolPath, earlier: &mut Vec<String>, errors: &mut Errors) -> Option<ToolPath> {
    let path = tool.path();
    if earlier.contains(&path) && tool.cfgs.is_empty() {
        errors.at(
            &tool.function,
            format_args!("`{path}` is listed twice here; remove one"),
        );
        return None;
    }
    earlier.push(path);
    Some(tool)
}

fn check_group(mut section: RegistrySection, taken: &mut TakenNames, errors: &mut Errors) -> Group {
    let heading = heading::check(HeadingKind::Group, &section, taken, errors);
    // The bundle is removed before the other entries are checked, so that it causes no second
    // error.
    section.entries.retain(|entry| match entry {
        RegistryEntry::Bundle(RegistrySection { name, .. }) => {
            errors.at(name, "a bundle lists tools of all groups, so it belongs to no group; move it to the top level");
            false
        }
        RegistryEntry::Tool(_) | RegistryEntry::Group(_) => true,
    });
    // The bundles were removed above.
    let (nodes, _) = check_entries(section.entries, taken, errors);
    Group { heading, nodes }
}

fn check_bundle(section: RegistrySection, taken: &mut TakenNames, errors: &mut Errors) -> Bundle {
    let heading = heading::check(HeadingKind::Bundle, &section, taken, errors);
    let mut tools = Vec::new();
    let mut earlier = Vec::new();
    for entry in section.entries {
        match entry {
            RegistryEntry::Tool(tool) => tools.extend(check_once(tool, &mut earlier, errors)),
            RegistryEntry::Group(RegistrySection { name, .. })
            | RegistryEntry::Bundle(RegistrySection { name, .. }) => {
                errors.at(&name, "a bundle lists tools alone; move this to the top level and name its tools here");
            }
        }
    }
    Bundle { heading, tools }
}
