//! Leaves tools, groups and bundles out of a registry, by name.

use super::{
    Registry,
    group::GroupView,
    problem::{RegistryError, RegistryErrorKind},
    tool::Tool,
};
use pd_schema::suggest::nearest;
use std::{collections::HashSet, sync::Arc};

impl<S: 'static> Registry<S> {
    /// Returns the registry without these tools, groups and bundles.
    ///
    /// A tool disappears from every group and bundle, and from the `related` tools of others. With
    /// a group, its nested groups disappear, and its tools that are listed nowhere else. A group or
    /// bundle without tools disappears, too. No caller can see, describe or call what is left out.
    /// To hide a tool from some callers only, use its scopes or [`Access`](crate::Access).
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// # /// List commits
    /// # #[pd_tool]
    /// # fn log() -> String { "none".into() }
    /// # /// Reset the branch
    /// # #[pd_tool]
    /// # fn reset() -> String { "done".into() }
    /// let registry: Registry<()> = pd_runtime::registry! { log, reset };
    /// let registry = registry.without(["reset"]);
    /// assert_eq!(registry.names().collect::<Vec<_>>(), ["log"]);
    /// ```
    ///
    /// A name that the registry lacks is an error of [`Registry::check`] and of
    /// [`ServerBuilder::build`](crate::ServerBuilder::build): a misspelled name must not leave a
    /// tool in.
    #[must_use]
    pub fn without(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        let names: HashSet<&str> = names.iter().map(AsRef::as_ref).collect();
        // Before anything is removed, so that a suggestion may be any name of the whole registry.
        let unknown: Vec<_> = names
            .iter()
            .filter(|name| !self.has(name))
            .map(|name| self.unknown(name))
            .collect();
        self.problems.extend(unknown);
        self.removed(&names, &names)
    }

    /// Returns the registry without the tools of sources that have names of meta-tools. A tool of
    /// the server itself stays, and is a problem: its author can rename it.
    pub(crate) fn without_reserved(self, names: &HashSet<String>) -> Self {
        if self.info.sources.is_empty() {
            return self;
        }
        let taken: HashSet<String> = self
            .tools
            .iter()
            .filter(|tool| tool.about.source.is_some() && names.contains(tool.name()))
            .map(|tool| tool.name().to_owned())
            .collect();
        self.info
            .sources
            .iter()
            .for_each(|source| source.reserve(names, !taken.is_empty()));
        if taken.is_empty() {
            return self;
        }
        let taken = taken.iter().map(String::as_str).collect();
        // A group can have the name of a meta-tool, and stays.
        self.removed(&taken, &HashSet::new())
    }

    /// Removes tools, and groups and bundles.
    fn removed(mut self, tools: &HashSet<&str>, others: &HashSet<&str>) -> Self {
        // Taken before the removal, to find the tools that lose their last group.
        let listed_before = self.listed();
        retain(&mut self.groups, &mut self.top, tools, others);
        self.bundles
            .retain(|bundle| !others.contains(bundle.name.as_str()));
        let listed = self.listed();
        // Tools that were in no group before are at the top level, and stay.
        let gone = |name: &str| {
            tools.contains(name) || (listed_before.contains(name) && !listed.contains(name))
        };
        let gone: HashSet<String> = self
            .names()
            .filter(|name| gone(name))
            .map(str::to_owned)
            .collect();
        self.tools = self
            .tools
            .into_iter()
            .filter(|tool| !gone.contains(tool.name()))
            .map(|tool| unrelated(tool, &gone))
            .collect();
        for bundle in &mut self.bundles {
            bundle.tools.retain(|tool| !gone.contains(tool));
        }
        self.bundles.retain(|bundle| !bundle.tools.is_empty());
        let mut kept = HashSet::new();
        self.groups
            .iter()
            .for_each(|top| top.walk(&mut |group| kept.extend([group.name.clone()])));
        self.info
            .listed_groups
            .retain(|(name, _)| kept.contains(name));
        self
    }

    /// Returns whether a tool, a group or a bundle has this name.
    fn has(&self, name: &str) -> bool {
        let mut is_group = false;
        self.groups
            .iter()
            .for_each(|top| top.walk(&mut |group| is_group |= group.name == name));
        is_group
            || self.tool(name).is_some()
            || self.bundles.iter().any(|bundle| bundle.name == name)
    }

    fn unknown(&self, name: &str) -> RegistryError {
        let mut known: Vec<&str> = self.names().collect();
        known.extend(self.bundles.iter().map(|bundle| bundle.name.as_str()));
        self.groups
            .iter()
            .for_each(|top| top.walk(&mut |group| known.push(&group.name)));
        let hint = nearest(name, &known)
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        RegistryError::from_registry(RegistryErrorKind::UnknownLeftOut {
            name: name.to_owned(),
            hint,
        })
    }

    /// Returns the names of the tools at the top level and in groups.
    fn listed(&self) -> HashSet<String> {
        let mut listed: HashSet<_> = self.top.iter().cloned().collect();
        self.groups
            .iter()
            .for_each(|top| top.walk(&mut |group| listed.extend(group.tools.iter().cloned())));
        listed
    }
}

/// Removes the named groups and tools, and the groups that become empty.
fn retain(
    groups: &mut Vec<GroupView>,
    tools: &mut Vec<String>,
    tool_names: &HashSet<&str>,
    group_names: &HashSet<&str>,
) {
    tools.retain(|tool| !tool_names.contains(tool.as_str()));
    groups.retain_mut(|group| {
        if group_names.contains(group.name.as_str()) {
            return false;
        }
        // A group that was empty before stays: only the removal of its tools makes a group
        // disappear.
        let was_empty = group.tools.is_empty() && group.groups.is_empty();
        retain(&mut group.groups, &mut group.tools, tool_names, group_names);
        was_empty || !group.tools.is_empty() || !group.groups.is_empty()
    });
}

/// Returns the tool without relations to tools that are gone.
fn unrelated<S: 'static>(tool: Arc<Tool<S>>, gone: &HashSet<String>) -> Arc<Tool<S>> {
    if !tool
        .about
        .discovery
        .related
        .iter()
        .any(|related| gone.contains(&**related))
    {
        return tool;
    }
    // The tool is rebuilt instead of edited: other registries may share the `Arc`.
    let mut about = tool.about.clone();
    about
        .discovery
        .related
        .retain(|related| !gone.contains(&**related));
    Arc::new(Tool::from_parts(about, tool.handler.clone()))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use crate::{
        Bundle, Group, IntoOutput,
        registry::{
            source_names::SourceNames,
            tool_source::{MissingTools, ToolSource},
        },
        tool::principal::CallerAuthority,
    };
    use futures::{
        FutureExt,
        future::{BoxFuture, ready},
    };

    fn tool(name: &'static str) -> Tool<()> {
        Tool::new(name, "Do it", |_, _, _| ready("".into_output()).boxed())
    }

    fn registry() -> Registry<()> {
        let inner = Group::new("inner", "Inner").tool(tool("deep"));
        let outer = Group::new("outer", "Outer")
            .tool(tool("grouped").related("top"))
            .member("top")
            .group(inner);
        let bundles = [
            Bundle::new("both", "Both").tools(["top", "deep"]),
            Bundle::new("one", "One").tools(["deep"]),
        ];
        let builder = Registry::builder()
            .tool(tool("top").related("deep").related("grouped"))
            .group(outer);
        bundles
            .into_iter()
            .fold(builder, crate::RegistryBuilder::bundle)
            .build()
            .unwrap()
    }

    fn names(registry: &Registry<()>) -> Vec<&str> {
        registry.names().collect()
    }

    #[test]
    fn a_tool_is_left_out_everywhere() {
        let registry = registry().without(["deep"]);
        registry.check().unwrap();
        assert_eq!(names(&registry), ["top", "grouped"]);
        assert!(
            registry.groups()[0].groups.is_empty(),
            "the inner group is empty"
        );
        assert_eq!(registry.bundles().len(), 1);
        assert_eq!(registry.bundles()[0].tools, ["top"]);
        assert_eq!(
            registry.tool("top").unwrap().about.discovery.related,
            ["grouped"]
        );
    }

    #[test]
    fn a_group_takes_the_tools_along_that_are_nowhere_else() {
        let registry = registry().without(["outer"]);
        registry.check().unwrap();
        assert_eq!(
            (
                names(&registry),
                registry.groups().len(),
                registry.bundles().len()
            ),
            (vec!["top"], 0, 1)
        );
        assert!(
            registry
                .tool("top")
                .unwrap()
                .about
                .discovery
                .related
                .is_empty()
        );
    }

    #[test]
    fn a_bundle_leaves_its_tools() {
        let registry = registry().without(["both"]);
        assert_eq!((names(&registry).len(), registry.bundles().len()), (3, 1));
    }

    #[test]
    fn an_unknown_name_is_an_error_in_every_build() {
        let registry = registry().without(["depe", "top"]);
        let errors = registry.check().unwrap_err().to_string();
        assert!(
            errors.contains("cannot leave out `depe`, no tool, group or bundle is called so; did you mean `deep`?"),
            "{errors}"
        );
        let built = crate::PdServer::builder(registry, ()).build();
        assert!(built.unwrap_err().to_string().contains("`depe`"));
    }

    /// A source that remembers the names of meta-tools.
    #[derive(Default)]
    struct Reserving(parking_lot::Mutex<Vec<(HashSet<String>, bool)>>);

    impl ToolSource for Reserving {
        fn is_complete(&self) -> bool {
            true
        }

        fn missing(&self, _: &CallerAuthority) -> Vec<MissingTools> {
            Vec::new()
        }

        fn wait<'a>(&'a self, _: &'a MissingTools) -> BoxFuture<'a, ()> {
            ready(()).boxed()
        }

        fn settle<'a>(&'a self, _: &'a [MissingTools]) -> BoxFuture<'a, ()> {
            ready(()).boxed()
        }

        fn reserve(&self, names: HashSet<String>, has_taken: bool) {
            self.0.lock().push((names, has_taken));
        }
    }

    fn of_source(source: &Arc<Reserving>, tools: &[&'static str]) -> Registry<()> {
        let group = tools.iter().fold(Group::new("run", "Run"), |group, name| {
            let mut tool = tool(name);
            tool.about.source = Some(Box::new(SourceNames {
                name: (*name).into(),
                alone: Vec::new(),
                sources: [].into(),
            }));
            group.tool(tool)
        });
        Registry::builder()
            .source(source.clone())
            .group(group)
            .freeze()
    }

    #[test]
    fn a_tool_of_a_source_does_not_take_the_name_of_a_meta_tool() {
        for listing in [
            crate::Listing::Grouped,
            crate::Listing::Eager,
            crate::Listing::AUTO,
        ] {
            let source = Arc::new(Reserving::default());
            let server = crate::PdServer::builder(of_source(&source, &["run", "other"]), ())
                .listing(listing)
                .call_tool_name("run")
                .build()
                .unwrap();
            server
                .replace(of_source(&source, &["other", "third"]))
                .unwrap();
            server.replace(of_source(&source, &["run"])).unwrap();
            let reserved = source.0.lock();
            assert!(reserved.iter().all(|(names, _)| names.contains("run")));
            let taken: Vec<_> = reserved.iter().map(|(_, has_taken)| *has_taken).collect();
            assert_eq!(taken, [true, false, true]);
        }
        let names = HashSet::from(["run".to_owned()]);
        let source = Arc::new(Reserving::default());
        let left = of_source(&source, &["run", "other"]).without_reserved(&names);
        assert_eq!(left.names().collect::<Vec<_>>(), ["other"]);
        assert_eq!(left.groups().len(), 1, "the group has the name, too");
        let prefixed = of_source(&source, &["x"]).with_prefix("a_");
        prefixed.without_reserved(&HashSet::from(["a_x".to_owned(), "b".to_owned()]));
        let (names, has_taken) = source.0.lock().pop().unwrap();
        assert_eq!((names, has_taken), (HashSet::from(["x".to_owned()]), true));
    }

    #[test]
    fn a_tool_of_the_server_itself_with_such_a_name_is_a_problem() {
        let built = crate::PdServer::builder(registry(), ())
            .listing(crate::Listing::Grouped)
            .call_tool_name("deep")
            .build();
        assert!(built.unwrap_err().to_string().contains("`deep`"));
    }
}
