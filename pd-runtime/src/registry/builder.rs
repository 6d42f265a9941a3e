//! Builds registries at run time. The code that `registry!` generates uses this builder, too.

use super::{
    Registry, RegistryInfo,
    bundle::Bundle,
    group::{DEPTH_MAX, Group, GroupNode, GroupView},
    problem::{RegistryError, RegistryErrorKind, RegistryErrors},
    tool::Tool,
};
use std::{borrow::Cow, sync::Arc};

/// A registry under construction; see [`Registry::builder`].
#[derive(Debug)]
pub struct RegistryBuilder<S> {
    info: RegistryInfo,
    nodes: Vec<GroupNode<S>>,
    bundles: Vec<Bundle>,
    pub(super) problems: Vec<RegistryError>,
}

impl<S: 'static> RegistryBuilder<S> {
    pub(crate) fn new(info: RegistryInfo, nodes: Vec<GroupNode<S>>) -> Self {
        Self {
            info,
            nodes,
            bundles: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Sets the server's name: `serverInfo.name`. It takes precedence over the name of a handler
    /// that the server is built [`with_handler`](crate::ServerBuilder::with_handler).
    #[must_use]
    pub fn name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        (self.info.name, self.info.has_own_name) = (name.into(), true);
        self
    }

    /// Sets the server's version: `serverInfo.version`. It takes precedence over the version of a
    /// handler that the server is built [`with_handler`](crate::ServerBuilder::with_handler).
    #[must_use]
    pub fn version(mut self, version: impl Into<Cow<'static, str>>) -> Self {
        (self.info.version, self.info.has_own_version) = (version.into(), true);
        self
    }

    /// Sets the server's instructions.
    #[must_use]
    pub fn instructions(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.info.instructions = text.into();
        self
    }

    /// Adds groups to the instructions, each with a line. A caller reads those that exist for it.
    #[doc(hidden)]
    pub fn listed_groups(mut self, lines: Vec<(String, String)>) -> Self {
        self.info.listed_groups = lines;
        self
    }

    /// Adds a source of tools that are not known yet.
    #[doc(hidden)]
    pub fn source(mut self, source: Arc<dyn super::tool_source::ToolSource>) -> Self {
        self.info
            .sources
            .push(super::tool_source::RegistrySource::new(source));
        self
    }

    /// Sets the limit on the cost of the minimal listing, in tokens by
    /// [`estimate_tokens`](crate::estimate_tokens).
    #[must_use]
    pub fn budget(mut self, tokens: usize) -> Self {
        self.info.budget = Some(tokens);
        self
    }

    /// Adds a tool at the top level.
    #[must_use]
    pub fn tool(mut self, tool: Tool<S>) -> Self {
        self.nodes.push(GroupNode::Tool(Box::new(tool)));
        self
    }

    /// Adds several tools at the top level.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool<S>>) -> Self {
        self.nodes.extend(
            tools
                .into_iter()
                .map(|tool| GroupNode::Tool(Box::new(tool))),
        );
        self
    }

    /// Adds a group.
    #[must_use]
    pub fn group(mut self, group: Group<S>) -> Self {
        self.nodes.push(GroupNode::Group(group));
        self
    }

    /// Lists at the top level a tool that a group declares. The group may be added later.
    #[must_use]
    pub fn member(mut self, tool: impl Into<Cow<'static, str>>) -> Self {
        self.nodes.push(GroupNode::Member(tool.into()));
        self
    }

    /// Adds a bundle. Its tools may be declared anywhere, and added later.
    #[must_use]
    pub fn bundle(mut self, bundle: Bundle) -> Self {
        self.bundles.push(bundle);
        self
    }

    /// Returns every error that [`Registry::check`] finds.
    pub fn build(self) -> Result<Registry<S>, RegistryErrors> {
        let registry = self.freeze();
        registry.check()?;
        Ok(registry)
    }

    /// Freezes the registry without checks. [`Registry::check`] reports its errors.
    #[doc(hidden)]
    pub fn freeze(self) -> Registry<S> {
        let mut registry = Registry {
            info: self.info,
            tools: Vec::new(),
            top: Vec::new(),
            groups: Vec::new(),
            bundles: self.bundles,
            problems: self.problems,
        };
        let mut tools = Vec::new();
        let (top, groups) = split_nodes(&mut registry.problems, &mut tools, self.nodes, 0);
        registry.add_tools(tools);
        Registry {
            top,
            groups,
            ..registry
        }
    }
}

/// Collects the nodes' tools, and returns the names of the tools and the groups of this level.
/// Groups beyond the maximum depth are dropped, so that no later recursion over groups can overflow
/// the stack.
fn split_nodes<S: 'static>(
    problems: &mut Vec<RegistryError>,
    declared: &mut Vec<Arc<Tool<S>>>,
    nodes: Vec<GroupNode<S>>,
    depth: usize,
) -> (Vec<String>, Vec<GroupView>) {
    let mut tools = Vec::new();
    let mut groups = Vec::new();
    for node in nodes {
        match node {
            GroupNode::Tool(tool) => {
                // The group lists the name even where the tool is left out as a duplicate.
                tools.push(tool.name().to_owned());
                declared.push(Arc::from(tool));
            }
            // `check` reports a name that no tool has, since the tool may be added later.
            GroupNode::Member(name) => tools.push(name.into_owned()),
            GroupNode::Group(group) if depth < DEPTH_MAX => {
                groups.push(build_group(problems, declared, group, depth + 1))
            }
            GroupNode::Group(group) => {
                let fault = RegistryErrorKind::DeepGroup {
                    group: group.name.into_owned(),
                    max: DEPTH_MAX,
                };
                problems.push(RegistryError::from_registry(fault));
                // `group.nodes` may be nested without bound here.
                discard(group.nodes);
            }
        }
    }
    (tools, groups)
}

/// Drops groups iteratively. The compiler's own drop code recurses into nested groups, and would
/// overflow the stack.
fn discard<S>(mut nodes: Vec<GroupNode<S>>) {
    while let Some(node) = nodes.pop() {
        if let GroupNode::Group(group) = node {
            nodes.extend(group.nodes);
        }
    }
}

fn build_group<S: 'static>(
    problems: &mut Vec<RegistryError>,
    declared: &mut Vec<Arc<Tool<S>>>,
    group: Group<S>,
    depth: usize,
) -> GroupView {
    let (tools, groups) = split_nodes(problems, declared, group.nodes, depth);
    GroupView {
        name: group.name.into_owned(),
        title: group.title.map(Cow::into_owned),
        summary: group.summary.into_owned(),
        instructions: group.instructions.into_owned(),
        tools,
        prompts: group.prompts.into_iter().map(Cow::into_owned).collect(),
        resources: group.resources.into_iter().map(Cow::into_owned).collect(),
        groups,
        files: group.files,
        has_made_summary: group.has_made_summary,
    }
}
