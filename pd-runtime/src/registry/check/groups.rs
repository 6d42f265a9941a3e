//! The rules for the top level, groups and bundles. They refer to tools by name, and declare none.

use super::{did_you_mean, skill_files::check_files};
use crate::registry::{
    Registry,
    bundle::Bundle,
    group::GroupView,
    problem::{Location, RegistryError, RegistryErrorKind},
};
use std::collections::HashSet;

impl<S: 'static> Registry<S> {
    /// Checks the names of groups and bundles, and the tools that they list.
    pub(super) fn check_headings(&self, names: &HashSet<&str>, errors: &mut Vec<RegistryError>) {
        let duplicates = self
            .problems
            .iter()
            .filter(|known| matches!(known.kind, RegistryErrorKind::DuplicateTool { .. }));
        let duplicates = duplicates.map(|known| known.tool.as_str()).collect();
        let mut inspection = LocationCheck {
            names,
            duplicates,
            used_names: HashSet::new(),
            errors,
        };
        inspection.check_tools(&Location::Top, &self.top);
        for top in &self.groups {
            top.walk(&mut |group| inspection.check_group(group));
        }
        for bundle in &self.bundles {
            inspection.check_bundle(bundle);
        }
    }
}

struct LocationCheck<'a, 'found> {
    /// The names of the registry's tools.
    names: &'a HashSet<&'a str>,
    /// Names of two tools. Errors for them are already recorded.
    duplicates: HashSet<&'a str>,
    /// The names of the groups and bundles checked so far. They share one namespace, because both
    /// become skills (`skill://NAME/`).
    used_names: HashSet<&'a str>,
    errors: &'found mut Vec<RegistryError>,
}

impl<'a> LocationCheck<'a, '_> {
    fn check_group(&mut self, group: &'a GroupView) {
        if !is_heading_name(&group.name) {
            self.report(RegistryErrorKind::BadGroupName {
                group: group.name.clone(),
            });
        }
        if !self.used_names.insert(&group.name) {
            self.report(RegistryErrorKind::DuplicateGroup {
                group: group.name.clone(),
            });
        }
        let heading = Location::Group(group.name.as_str().into());
        self.check_tools(&heading, &group.tools);
        check_files(&heading, &group.files, self.names, &mut |fault| {
            self.report(fault)
        });
    }

    fn check_bundle(&mut self, bundle: &'a Bundle) {
        let name = || bundle.name.clone();
        if !is_heading_name(&bundle.name) {
            self.report(RegistryErrorKind::BadBundleName { bundle: name() });
        }
        if !self.used_names.insert(&bundle.name) {
            self.report(RegistryErrorKind::DuplicateBundle { bundle: name() });
        }
        if bundle.summary.trim().is_empty() && bundle.instructions.trim().is_empty() {
            self.report(RegistryErrorKind::SilentBundle { bundle: name() });
        }
        if bundle.tools.is_empty() {
            self.report(RegistryErrorKind::EmptyBundle { bundle: name() });
        }
        let heading = Location::Bundle(bundle.name.as_str().into());
        self.check_tools(&heading, &bundle.tools);
        check_files(&heading, &bundle.files, self.names, &mut |fault| {
            self.report(fault)
        });
    }

    /// Checks that each listed tool exists, and is listed once.
    fn check_tools(&mut self, heading: &Location, tools: &[String]) {
        let mut listed = HashSet::new();
        for tool in tools {
            let heading = heading.clone();
            let is_first = listed.insert(tool);
            if is_first && !self.names.contains(tool.as_str()) {
                let hint = did_you_mean(tool, self.names, "register it or remove it here");
                self.report(RegistryErrorKind::UnknownMember {
                    heading,
                    tool: tool.clone(),
                    hint,
                });
            // A duplicate tool repeats its name here without the author having listed it twice.
            } else if !is_first && !self.duplicates.contains(tool.as_str()) {
                self.report(RegistryErrorKind::RepeatedMember {
                    heading,
                    tool: tool.clone(),
                });
            }
        }
    }

    fn report(&mut self, fault: RegistryErrorKind) {
        self.errors.push(RegistryError {
            tool: String::new(),
            origin: String::new(),
            kind: fault,
        });
    }
}

/// Returns whether a group or bundle may have this name. The rule is that of names in Agent Skills.
pub(crate) fn is_heading_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Returns the name by which a group or bundle is served. Rust identifiers have no `-`, so
/// `registry!` turns `_` into `-`, too.
pub(crate) fn heading_name(written: &str) -> String {
    written.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use crate::{
        Bundle, Group, IntoOutput, Registry, RegistryBuilder, Tool, check::RegistryErrors,
    };
    use futures::FutureExt;

    fn tool(name: &'static str) -> Tool<()> {
        Tool::new(name, "Show who changed a line", |(), _, _| {
            async { ().into_output() }.boxed()
        })
    }

    fn bundle(name: &str) -> Bundle {
        Bundle::new(name, "Find who broke a line")
    }

    fn history() -> Group<()> {
        Group::new("history", "Read history")
    }

    fn found(builder: RegistryBuilder<()>) -> Vec<String> {
        builder.freeze().check().map_or_else(
            |found| found.iter().map(ToString::to_string).collect(),
            |_| Vec::new(),
        )
    }

    #[test]
    fn a_tool_may_stand_under_several_headings() -> Result<(), RegistryErrors> {
        let registry = Registry::builder()
            .group(
                history()
                    .member("show")
                    .tool(tool("blame"))
                    .group(Group::new("lines", "By line").member("blame")),
            )
            .member("blame")
            .tool(tool("show"))
            .bundle(bundle("who-broke-it").tools(["blame", "show"]))
            .build()?;
        assert_eq!(registry.names().collect::<Vec<_>>(), ["blame", "show"]);
        assert_eq!(registry.top_level().collect::<Vec<_>>(), ["blame", "show"]);
        let mut standing = Vec::new();
        registry
            .groups()
            .iter()
            .for_each(|top| top.walk(&mut |group| standing.push(group.tools.join(" "))));
        assert_eq!(standing, ["show blame", "blame"]);
        Ok(())
    }

    #[test]
    fn what_the_registry_lacks_stands_nowhere() {
        let builder = Registry::builder().tool(tool("blame")).member("shw");
        let builder = builder
            .group(history().member("blmae"))
            .bundle(bundle("who").tool("balme").tool("commit"));
        assert_eq!(
            found(builder),
            [
                "the top level lists `shw`, which this registry lacks; register it or remove it here",
                "group `history` lists `blmae`, which this registry lacks; did you mean `blame`?",
                "bundle `who` lists `balme`, which this registry lacks; did you mean `blame`?",
                "bundle `who` lists `commit`, which this registry lacks; register it or remove it here",
            ]
        );
    }

    #[test]
    fn a_tool_stands_once_under_a_heading() {
        let builder = Registry::builder().tool(tool("blame")).member("blame");
        let builder = builder.group(history().member("blame").member("blame"));
        assert_eq!(
            found(builder.bundle(bundle("who").tools(["blame", "blame"]))),
            [
                "the top level lists `blame` twice; keep one",
                "group `history` lists `blame` twice; keep one",
                "bundle `who` lists `blame` twice; keep one",
            ]
        );
    }

    #[test]
    fn groups_stand_at_most_eight_deep() {
        let name = |depth: usize| format!("group-{depth}");
        let tower = |floors: usize| {
            let top = Group::new(name(floors), "The highest").tool(tool("blame"));
            (1..floors).rev().fold(top, |inner, floor| {
                Group::new(name(floor), "A floor").group(inner)
            })
        };
        assert_eq!(
            found(Registry::builder().group(tower(8))),
            Vec::<String>::new()
        );
        let text = "group `group-9` is nested more than 8 groups deep; move it up";
        assert_eq!(found(Registry::builder().group(tower(9))), [text]);
        assert_eq!(found(Registry::builder().group(tower(1_000))), [text]);
    }

    #[test]
    fn two_tools_of_one_name_are_told_once() {
        let found = found(Registry::builder().tool(tool("blame")).tool(tool("blame")));
        assert!(
            matches!(found.as_slice(), [one] if one.contains("another tool has this name")),
            "{found:?}"
        );
    }

    #[test]
    fn a_bundle_keeps_its_rules() {
        let builder = Registry::builder().group(history().tool(tool("blame")));
        let builder = builder
            .bundle(bundle("Who").tool("blame"))
            .bundle(bundle("history").tool("blame"));
        let builder = builder
            .bundle(bundle("who").tool("blame"))
            .bundle(bundle("who").tool("blame"));
        let builder = builder
            .bundle(bundle("empty"))
            .bundle(Bundle::new("silent", " ").tool("blame"));
        let told = Bundle::new("told", "")
            .instructions("Blame the line.")
            .tool("blame");
        assert_eq!(
            found(builder.bundle(told)),
            [
                "bundle `Who`: a name must be 1 to 64 of `a-z 0-9 -`, without a hyphen at an edge or two in a row",
                "bundle `history`: a group or another bundle has this name; rename one of them",
                "bundle `who`: a group or another bundle has this name; rename one of them",
                "bundle `empty` has no tool; name one or remove the bundle",
                "bundle `silent` has no text; give it a summary or instructions",
            ]
        );
    }

    #[test]
    fn bundles_follow_their_registry() -> Result<(), RegistryErrors> {
        let builder = Registry::builder()
            .tool(tool("blame"))
            .bundle(bundle("who").tool("blame"));
        let east = builder.build()?.with_prefix("East_");
        let other = Registry::builder()
            .tool(tool("show"))
            .bundle(bundle("who").tool("show"))
            .build()?;
        let both = other.merge(east)?.map_state::<()>();
        let told: Vec<_> = both
            .bundles()
            .iter()
            .map(|bundle| (bundle.name.as_str(), bundle.tools.concat()))
            .collect();
        assert_eq!(
            told,
            [
                ("who", "show".to_owned()),
                ("east-who", "East_blame".to_owned())
            ]
        );
        Ok(())
    }
}
