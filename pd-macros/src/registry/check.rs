//! The rules of `registry!`. An entry that breaks one is reported and left out.

mod heading;

pub(super) use heading::Heading;

use super::parse::{Entry, Literal, Section, Tool};
use crate::{doc, errors::Errors};
use heading::{Kind, Taken};
use syn::{LitInt, LitStr};

/// A literal that passed all rules.
pub(super) struct CheckedRegistry {
    pub(super) instructions: String,
    pub(super) budget: Option<LitInt>,
    pub(super) name: Option<LitStr>,
    pub(super) version: Option<LitStr>,
    pub(super) nodes: Vec<Node>,
    pub(super) bundles: Vec<Bundle>,
}

/// An entry that passed all rules.
pub(super) enum Node {
    Tool(Tool),
    Group(Group),
}

/// A named group of tools and groups.
pub(super) struct Group {
    pub(super) heading: Heading,
    pub(super) nodes: Vec<Node>,
}

/// A named list of tools for one task.
pub(super) struct Bundle {
    pub(super) heading: Heading,
    pub(super) tools: Vec<Tool>,
}

/// Applies every rule.
pub(super) fn check(literal: Literal, errors: &mut Errors) -> CheckedRegistry {
    let Literal { options, entries } = literal;
    let (nodes, bundles) = check_entries(entries, &mut Taken::default(), errors);
    CheckedRegistry {
        instructions: doc::plain(&options.docs),
        budget: options.budget,
        name: options.name,
        version: options.version,
        nodes,
        bundles,
    }
}

fn check_entries(entries: Vec<Entry>, taken: &mut Taken, errors: &mut Errors) -> (Vec<Node>, Vec<Bundle>) {
    let (mut nodes, mut bundles) = (Vec::new(), Vec::new());
    let mut tools = Vec::new();
    for entry in entries {
        match entry {
            Entry::Tool(tool) => nodes.extend(check_once(tool, &mut tools, errors).map(Node::Tool)),
            Entry::Group(section) => nodes.push(Node::Group(check_group(section, taken, errors))),
            Entry::Bundle(section) => bundles.push(check_bundle(section, taken, errors)),
        }
    }
    (nodes, bundles)
}

/// Reports a tool that is listed twice in one group or bundle. It may be in several of them.
/// Entries under `cfg` may be alternatives.
fn check_once(tool: Tool, earlier: &mut Vec<String>, errors: &mut Errors) -> Option<Tool> {
    let path = tool.path();
    if earlier.contains(&path) && tool.cfgs.is_empty() {
        errors.at(&tool.function, format_args!("`{path}` stands here twice; remove one"));
        return None;
    }
    earlier.push(path);
    Some(tool)
}

fn check_group(mut section: Section, taken: &mut Taken, errors: &mut Errors) -> Group {
    let heading = heading::check(Kind::Group, &section, taken, errors);
    // The bundle is removed before the other entries are checked, so that it causes no second
    // error.
    section.entries.retain(|entry| match entry {
        Entry::Bundle(Section { name, .. }) => {
            errors.at(name, "a bundle lists tools of all groups, so it stands in none; move it to the top level");
            false
        }
        Entry::Tool(_) | Entry::Group(_) => true,
    });
    let (nodes, _) = check_entries(section.entries, taken, errors);
    Group { heading, nodes }
}

fn check_bundle(section: Section, taken: &mut Taken, errors: &mut Errors) -> Bundle {
    let heading = heading::check(Kind::Bundle, &section, taken, errors);
    let (mut tools, mut earlier) = (Vec::new(), Vec::new());
    for entry in section.entries {
        match entry {
            Entry::Tool(tool) => tools.extend(check_once(tool, &mut earlier, errors)),
            Entry::Group(Section { name, .. }) | Entry::Bundle(Section { name, .. }) => {
                errors.at(&name, "a bundle lists tools alone; move this to the top level and name its tools here");
            }
        }
    }
    Bundle { heading, tools }
}
