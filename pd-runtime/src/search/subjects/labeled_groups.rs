//! Groups of tools by a label that each has, such as a tag of an API's document.

use super::{
    NamedTool,
    groups::{GROUP_MAX, OTHERS, SubjectGroup, groups, unused},
};
use std::collections::HashSet;

/// The longest name of a group, in characters.
const NAME_MAX: usize = 40;

/// Divides tools by their labels, and each large group further by the objects in names. Tools
/// without a label are in no group if others have one. Without any label, all are divided by their
/// names.
pub fn labeled_groups(tools: &[NamedTool<'_>], labels: &[Option<&str>]) -> Vec<SubjectGroup> {
    if labels.iter().all(Option::is_none) {
        return match tools.len() > GROUP_MAX {
            true => groups(tools),
            false => Vec::new(),
        };
    }
    let mut by_label: Vec<(&str, Vec<usize>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (place, label) in labels.iter().enumerate() {
        let Some(label) = label else { continue };
        let own = *places.entry(*label).or_insert_with(|| {
            by_label.push((label, Vec::new()));
            by_label.len() - 1
        });
        if let Some((_, own)) = by_label.get_mut(own) {
            own.push(place);
        }
    }
    let mut names = HashSet::new();
    let groups = by_label.into_iter();
    groups
        .map(|(label, places)| {
            let name = unused(name_of(label), &mut names);
            divided(name, places, tools)
        })
        .collect()
}

/// Divides the tools of one label by their names if they are many.
fn divided(name: String, places: Vec<usize>, tools: &[NamedTool<'_>]) -> SubjectGroup {
    let mut group = SubjectGroup {
        name,
        tools: places,
        groups: Vec::new(),
    };
    if group.tools.len() <= GROUP_MAX {
        return group;
    }
    let named: Vec<_> = group
        .tools
        .iter()
        .map(|place| tools.get(*place).copied().unwrap_or_default())
        .collect();
    for below in groups(&named) {
        // One level below: clients and registries bound how deep groups nest.
        let all = below.all_tools();
        let places = all.iter().filter_map(|at| group.tools.get(*at).copied());
        let below = SubjectGroup {
            tools: places.collect(),
            name: below.name,
            groups: Vec::new(),
        };
        group.groups.push(below);
    }
    let (others, below): (Vec<_>, Vec<_>) = std::mem::take(&mut group.groups)
        .into_iter()
        .partition(|below| below.name == OTHERS);
    if !below.is_empty() {
        group.tools = others.into_iter().flat_map(|others| others.tools).collect();
        group.groups = below;
    }
    group
}

/// Returns the name of a group: the words of a label in lower case.
fn name_of(label: &str) -> String {
    let words = label.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut name = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        let separator = if name.is_empty() { "" } else { "-" };
        if name.len() + separator.len() + word.len() > NAME_MAX {
            break;
        }
        name.push_str(separator);
        name.push_str(&word.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_of_one_label_are_a_group_and_large_ones_are_divided() {
        let mut names = vec![
            ("pet_list", "Pets & Co"),
            ("pet_get", "Pets & Co"),
            ("ping", ""),
        ];
        let many: Vec<String> = ["order", "invoice", "refund"]
            .iter()
            .flat_map(|object| {
                [
                    "get", "list", "create", "delete", "update", "find", "archive", "copy", "move",
                    "open",
                ]
                .map(|verb| format!("{verb}_{object}"))
            })
            .collect();
        names.extend(many.iter().map(|name| (name.as_str(), "store")));
        let tools: Vec<_> = names
            .iter()
            .map(|(name, _)| NamedTool { name, summary: "" })
            .collect();
        let labels: Vec<_> = names
            .iter()
            .map(|(_, label)| Some(*label).filter(|label| !label.is_empty()))
            .collect();
        let groups = labeled_groups(&tools, &labels);
        let shape: Vec<_> = groups
            .iter()
            .map(|group| (group.name.as_str(), group.tools.len(), group.groups.len()))
            .collect();
        assert_eq!(shape, [("pets-co", 2, 0), ("store", 0, 3)]);
        let below: HashSet<_> = groups.iter().flat_map(SubjectGroup::all_tools).collect();
        assert_eq!(
            below,
            (0..names.len()).filter(|place| *place != 2).collect()
        );
    }
}
