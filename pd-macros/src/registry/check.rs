//! The rules of `registry!`. What breaks one is reported and left out.

use super::parse::{Entry, Literal, Tool};
use crate::{attributes::cfgs, doc, errors::Errors};
use proc_macro2::Ident;
use syn::{Attribute, LitInt, LitStr, ext::IdentExt};

/// A checked literal.
pub(super) struct CheckedRegistry {
    pub(super) instructions: String,
    pub(super) budget: Option<LitInt>,
    pub(super) name: Option<LitStr>,
    pub(super) version: Option<LitStr>,
    pub(super) nodes: Vec<Node>,
}

/// A checked entry.
pub(super) enum Node {
    Tool(Tool),
    Group(Group),
}

/// A named branch.
pub(super) struct Group {
    pub(super) cfgs: Vec<Attribute>,
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) instructions: String,
    pub(super) nodes: Vec<Node>,
}

/// Applies every rule.
pub(super) fn check(literal: Literal, errors: &mut Errors) -> CheckedRegistry {
    let Literal { options, entries } = literal;
    let mut names = Vec::new();
    CheckedRegistry {
        instructions: doc::plain(&options.docs),
        budget: options.budget,
        name: options.name,
        version: options.version,
        nodes: check_entries(entries, &mut names, errors),
    }
}

fn check_entries(entries: Vec<Entry>, names: &mut Vec<String>, errors: &mut Errors) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut tools = Vec::new();
    for entry in entries {
        match entry {
            Entry::Tool(tool) => {
                if check_once(&tool, &mut tools, errors) {
                    nodes.push(Node::Tool(tool));
                }
            }
            Entry::Group { attributes, name, entries } => {
                let group = check_group(&attributes, &name, names, errors);
                let children = check_entries(entries, names, errors);
                check_inhabited(&name, &children, errors);
                nodes.push(Node::Group(Group { nodes: children, ..group }));
            }
        }
    }
    nodes
}

/// A tool may stand in several groups, but in each once. What `cfg` selects may be an alternative.
fn check_once(tool: &Tool, earlier: &mut Vec<String>, errors: &mut Errors) -> bool {
    let path = tool.path();
    if earlier.contains(&path) && tool.cfgs.is_empty() {
        errors.at(&tool.function, format_args!("`{path}` stands here twice; remove one"));
        return false;
    }
    earlier.push(path);
    true
}

fn check_group(attributes: &[Attribute], ident: &Ident, names: &mut Vec<String>, errors: &mut Errors) -> Group {
    let name = ident.unraw().to_string().replace('_', "-");
    let cfgs = cfgs(attributes);
    check_name(&name, ident, errors);
    if names.contains(&name) && cfgs.is_empty() {
        errors.at(ident, format_args!("two groups are called `{name}`; a group's name is unique in its registry"));
    }
    names.push(name.clone());
    let (summary, instructions) = doc::split_first(attributes);
    if summary.is_empty() {
        errors.at(ident, format_args!("the group `{name}` has no summary; write a `///` comment above it"));
    }
    let summary = summary.strip_suffix('.').map(str::to_owned).unwrap_or(summary);
    Group { cfgs, name, summary, instructions, nodes: Vec::new() }
}

fn check_name(name: &str, ident: &Ident, errors: &mut Errors) {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let edges = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    if edges || name.len() > 64 || !name.chars().all(legal) {
        errors.at(
            ident,
            "a group's name has 1 to 64 characters out of `a-z`, `0-9` and single `_` inside; `_` becomes `-`",
        );
    }
}

fn check_inhabited(name: &Ident, children: &[Node], errors: &mut Errors) {
    if children.is_empty() {
        errors.at(name, format_args!("the group `{name}` holds no tool; add one or remove the group"));
    }
}
