//! Formats as annotations, for arguments that another program judges.
//!
//! Servers read more than the specification of a format has: many take a `date-time` without an
//! offset. So a text may have its format or not, and only the server knows. Every keyword that
//! refuses a value for a match with a format must then accept it: `not`, `oneOf`, `if` and
//! `maxContains`.

use super::node::{NodeId, SchemaKeyword, SchemaNode};

/// Removes the formats, and whatever would refuse a value because it now matches.
pub(super) fn open_formats(nodes: &mut [SchemaNode]) {
    let is_open = nodes_with_formats(nodes);
    let is_open = |id: NodeId| is_open.get(id.0 as usize).copied().unwrap_or_default();
    let mut has_open_choice = false;
    for node in nodes.iter_mut() {
        let keywords = std::mem::take(&mut node.keywords);
        let opened = keywords.into_iter().filter_map(|keyword| match keyword {
            SchemaKeyword::Format(_) => None,
            SchemaKeyword::Not(branch) if is_open(branch) => None,
            SchemaKeyword::OneOf(branches) if branches.iter().any(|branch| is_open(*branch)) => {
                Some(SchemaKeyword::AnyOf(branches))
            }
            SchemaKeyword::If {
                test,
                then,
                otherwise,
            } if is_open(test) => {
                has_open_choice = true;
                let branches = then.zip(otherwise);
                branches.map(|(then, otherwise)| SchemaKeyword::AnyOf(vec![then, otherwise]))
            }
            SchemaKeyword::Contains { item, least, .. } if is_open(item) => {
                Some(SchemaKeyword::Contains {
                    item,
                    least,
                    most: None,
                })
            }
            other => Some(other),
        });
        node.keywords = opened.collect();
    }
    // Without its `if`, nobody knows what a schema has evaluated.
    if has_open_choice {
        for node in nodes {
            node.keywords.retain(|keyword| {
                !matches!(
                    keyword,
                    SchemaKeyword::UnevaluatedItems(_) | SchemaKeyword::UnevaluatedMembers(_)
                )
            });
        }
    }
}

/// Returns, for each node, whether a format decides what it accepts.
fn nodes_with_formats(nodes: &[SchemaNode]) -> Vec<bool> {
    let mut users = vec![Vec::new(); nodes.len()];
    let mut is_open = vec![false; nodes.len()];
    let mut left = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        for keyword in &node.keywords {
            if matches!(keyword, SchemaKeyword::Format(_)) {
                left.push(number);
            }
            for inner in inner_schemas(keyword) {
                if let Some(users) = users.get_mut(inner.0 as usize) {
                    users.push(number);
                }
            }
        }
    }
    while let Some(number) = left.pop() {
        let Some(is_open) = is_open.get_mut(number) else {
            continue;
        };
        if !std::mem::replace(is_open, true) {
            left.extend(users.get(number).into_iter().flatten());
        }
    }
    is_open
}

/// Returns the schemas that a keyword applies, to the value or to a part of it.
fn inner_schemas(keyword: &SchemaKeyword) -> Vec<NodeId> {
    match keyword {
        SchemaKeyword::DependentSchemas(by_name) => {
            by_name.iter().map(|(_, schema)| *schema).collect()
        }
        SchemaKeyword::Members(members) => {
            let by_pattern = members.by_pattern.iter().map(|(_, schema)| *schema);
            let named = members.named.values().copied();
            named.chain(by_pattern).chain(members.others).collect()
        }
        SchemaKeyword::Items { prefix, rest } => prefix.iter().copied().chain(*rest).collect(),
        SchemaKeyword::AllOf(branches)
        | SchemaKeyword::AnyOf(branches)
        | SchemaKeyword::OneOf(branches) => branches.clone(),
        SchemaKeyword::If {
            test,
            then,
            otherwise,
        } => [Some(*test), *then, *otherwise]
            .into_iter()
            .flatten()
            .collect(),
        SchemaKeyword::DynamicReference { targets, otherwise } => targets
            .iter()
            .map(|(_, target)| *target)
            .chain([*otherwise])
            .collect(),
        SchemaKeyword::Names(schema)
        | SchemaKeyword::Contains { item: schema, .. }
        | SchemaKeyword::Not(schema)
        | SchemaKeyword::Reference(schema)
        | SchemaKeyword::UnevaluatedMembers(schema)
        | SchemaKeyword::UnevaluatedItems(schema) => vec![*schema],
        SchemaKeyword::Never
        | SchemaKeyword::Type(_)
        | SchemaKeyword::Const(_)
        | SchemaKeyword::Enum(_)
        | SchemaKeyword::Bound(..)
        | SchemaKeyword::MultipleOf(_)
        | SchemaKeyword::Size(..)
        | SchemaKeyword::Unique
        | SchemaKeyword::Pattern(_)
        | SchemaKeyword::Format(_)
        | SchemaKeyword::Required(_)
        | SchemaKeyword::DependentRequired(_) => Vec::new(),
    }
}
