//! The rules of what sorts tools: the top level, groups and bundles. They name tools, and declare none.

use super::hint;
use crate::registry::{
    Registry,
    bundle::Bundle,
    group::Branch,
    problem::{Fault, Heading, Problem},
};
use std::collections::HashSet;

impl<S: 'static> Registry<S> {
    /// Judges the names of groups and bundles, and which tools stand under them.
    pub(super) fn check_headings(&self, names: &HashSet<&str>, found: &mut Vec<Problem>) {
        // A second tool of one name is told of already.
        let told = self.problems.iter().filter(|known| matches!(known.fault, Fault::DuplicateTool { .. }));
        let told: HashSet<&str> = told.map(|known| known.tool.as_str()).collect();
        let mut taken = HashSet::new();
        let mut judge = |fault| found.push(Problem { tool: String::new(), origin: String::new(), fault });
        check_tools(&Heading::Top, &self.top, names, &told, &mut judge);
        for top in &self.groups {
            top.walk(&mut |group| {
                check_group(group, &mut taken, &mut judge);
                check_tools(&Heading::Group(group.name.clone()), &group.tools, names, &told, &mut judge);
            });
        }
        for bundle in &self.bundles {
            check_bundle(bundle, &mut taken, &mut judge);
            check_tools(&Heading::Bundle(bundle.name.clone()), &bundle.tools, names, &told, &mut judge);
        }
    }
}

fn check_group<'a>(group: &'a Branch, taken: &mut HashSet<&'a str>, judge: &mut impl FnMut(Fault)) {
    if !is_heading_name(&group.name) {
        judge(Fault::BadGroupName { group: group.name.clone() });
    }
    if !taken.insert(&group.name) {
        judge(Fault::DuplicateGroup { group: group.name.clone() });
    }
}

fn check_bundle<'a>(bundle: &'a Bundle, taken: &mut HashSet<&'a str>, judge: &mut impl FnMut(Fault)) {
    let name = || bundle.name.clone();
    if !is_heading_name(&bundle.name) {
        judge(Fault::BadBundleName { bundle: name() });
    }
    if !taken.insert(&bundle.name) {
        judge(Fault::DuplicateBundle { bundle: name() });
    }
    if bundle.summary.trim().is_empty() && bundle.instructions.trim().is_empty() {
        judge(Fault::SilentBundle { bundle: name() });
    }
    if bundle.tools.is_empty() {
        judge(Fault::EmptyBundle { bundle: name() });
    }
}

/// Under one heading a tool stands once, and only if the registry has it.
fn check_tools(
    heading: &Heading,
    tools: &[String],
    names: &HashSet<&str>,
    told: &HashSet<&str>,
    judge: &mut impl FnMut(Fault),
) {
    let mut seen = HashSet::new();
    for tool in tools.iter().filter(|tool| !told.contains(tool.as_str())) {
        if !seen.insert(tool) {
            judge(Fault::RepeatedMember { heading: heading.clone(), tool: tool.clone() });
        } else if !names.contains(tool.as_str()) {
            let hint = hint(tool, names, "register it or remove it here");
            judge(Fault::UnknownMember { heading: heading.clone(), tool: tool.clone(), hint });
        }
    }
}

fn is_heading_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

#[cfg(test)]
mod tests {
    use crate::{Bundle, Group, IntoOutput, Registry, RegistryBuilder, Tool};
    use futures::FutureExt;

    fn tool(name: &'static str) -> Tool<()> {
        Tool::new(name, "Show who changed a line", |(), _, _| async { ().into_output() }.boxed())
    }

    fn bundle(name: &str) -> Bundle {
        Bundle::new(name, "Find who broke a line")
    }

    fn history() -> Group<()> {
        Group::new("history", "Read history")
    }

    fn found(builder: RegistryBuilder<()>) -> Vec<String> {
        builder.freeze().check().map_or_else(|found| found.iter().map(ToString::to_string).collect(), |_| Vec::new())
    }

    #[test]
    fn a_tool_may_stand_under_several_headings() {
        let registry = Registry::builder()
            .group(history().member("show").tool(tool("blame")).group(Group::new("lines", "By line").member("blame")))
            .member("blame")
            .tool(tool("show"))
            .bundle(bundle("who-broke-it").tools(["blame", "show"]))
            .build()
            .unwrap();
        assert_eq!(registry.names().collect::<Vec<_>>(), ["blame", "show"]);
        assert_eq!(registry.top_level().collect::<Vec<_>>(), ["blame", "show"]);
        assert_eq!(registry.groups()[0].tools, ["show", "blame"]);
        assert_eq!(registry.groups()[0].groups[0].tools, ["blame"]);
    }

    #[test]
    fn what_the_registry_lacks_stands_nowhere() {
        let builder = Registry::builder().tool(tool("blame")).member("shw");
        let builder = builder.group(history().member("blmae")).bundle(bundle("who").tool("balme").tool("commit"));
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
    fn two_tools_of_one_name_are_told_once() {
        let found = found(Registry::builder().tool(tool("blame")).tool(tool("blame")));
        assert!(matches!(found.as_slice(), [one] if one.contains("another tool has this name")), "{found:?}");
    }

    #[test]
    fn a_bundle_keeps_its_rules() {
        let builder = Registry::builder().group(history().tool(tool("blame")));
        let builder = builder.bundle(bundle("Who").tool("blame")).bundle(bundle("history").tool("blame"));
        let builder = builder.bundle(bundle("who").tool("blame")).bundle(bundle("who").tool("blame"));
        let builder = builder.bundle(bundle("empty")).bundle(Bundle::new("silent", " ").tool("blame"));
        let told = Bundle::new("told", "").instructions("Blame the line.").tool("blame");
        assert_eq!(
            found(builder.bundle(told)),
            [
                "bundle `Who`: a name must be 1 to 64 of `a-z 0-9 -`, without a hyphen at an edge or two in a row",
                "bundle `history`: a group or another bundle has this name; rename one of them",
                "bundle `who`: a group or another bundle has this name; rename one of them",
                "bundle `empty` lists no tool; name one or remove the bundle",
                "bundle `silent` says nothing; give it a summary or instructions",
            ]
        );
    }

    #[test]
    fn bundles_follow_their_registry() {
        let builder = Registry::builder().tool(tool("blame")).bundle(bundle("who").tool("blame"));
        let east = builder.build().unwrap().with_prefix("East_");
        let other = Registry::builder().tool(tool("show")).bundle(bundle("who").tool("show")).build().unwrap();
        let both = other.merge(east).unwrap().lift::<()>();
        let told: Vec<_> = both.bundles().iter().map(|bundle| (bundle.name.as_str(), bundle.tools.concat())).collect();
        assert_eq!(told, [("who", "show".to_owned()), ("east-who", "East_blame".to_owned())]);
    }
}
