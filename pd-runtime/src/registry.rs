//! The tools of one server, frozen after construction. `builder` assembles a registry, `check`
//! validates it.

pub(crate) mod app_role;
pub(crate) mod builder;
pub(crate) mod bundle;
pub(crate) mod check;
mod column_arguments;
pub(crate) mod const_check;
pub(crate) mod coverage;
pub(crate) mod declaration;
pub(crate) mod found_by;
pub(crate) mod from_declaration;
pub(crate) mod group;
pub(crate) mod lint;
mod map_keys;
mod owner_problem;
pub(crate) mod problem;
#[cfg(feature = "code")]
mod program;
mod refused_key;
mod result_keys;
pub(crate) mod rmcp_import;
pub(crate) mod schema;
pub(crate) mod selective;
pub(crate) mod skill_file;
pub(crate) mod source_names;
pub(crate) mod sparse_box;
pub(crate) mod tool;
pub(crate) mod tool_parts;
pub(crate) mod tool_source;
pub(crate) mod tool_spec;
pub(crate) mod validate;
pub(crate) mod view;
mod without;

use crate::{
    text::fit_lines::fit_lines,
    tool::{
        handler::{self, BoxedHandler},
        lint::Lint,
        state::Provide,
    },
};
use builder::RegistryBuilder;
use bundle::Bundle;
use group::GroupView;
use pd_schema::suggest::nearest;
use problem::{RegistryError, RegistryErrorKind, RegistryErrors};
use skill_file::SkillFile;
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};
use tool::Tool;
use tool_source::RegistrySource;

/// The tools of one server with state `S`, in order and sorted into groups.
///
/// [`registry!`](crate::registry!) declares a registry at compile time; [`Registry::builder`]
/// builds one at run time.
#[derive(Debug)]
pub struct Registry<S> {
    pub(crate) info: RegistryInfo,
    #[doc(hidden)]
    pub tools: Vec<Arc<Tool<S>>>,
    pub(crate) top: Vec<String>,
    pub(crate) groups: Vec<GroupView>,
    pub(crate) bundles: Vec<Bundle>,
    pub(crate) problems: Vec<RegistryError>,
}

/// The server's identity and the options that apply to the whole registry.
#[derive(Debug, Clone, Default)]
pub(crate) struct RegistryInfo {
    pub(crate) name: Cow<'static, str>,
    /// `true` if the author set the name. A default name yields to the name of the author's
    /// handler.
    pub(crate) has_own_name: bool,
    pub(crate) version: Cow<'static, str>,
    /// `true` if the author set the version.
    pub(crate) has_own_version: bool,
    pub(crate) instructions: Cow<'static, str>,
    pub(crate) budget: Option<usize>,
    /// The groups that the instructions list after the text, each with a line. A caller reads those
    /// that exist for it.
    pub(crate) listed_groups: Vec<(String, String)>,
    /// Where tools come from that are not known yet.
    pub(crate) sources: Vec<RegistrySource>,
    /// The lints that are silenced for the texts of the server, its groups and its bundles.
    pub(crate) allow: Vec<Lint>,
}

/// The longest list of groups in instructions, in characters. Some clients cut longer texts.
const GROUP_LINES_MAX: usize = 2_048;

impl RegistryInfo {
    /// Renders the instructions with the groups that `line` has a line for. It gets the name of each
    /// group and its line for callers who see all of its tools.
    pub(crate) fn instructions_for<'a>(
        &'a self,
        line: impl Fn(&str, &'a str) -> Option<Cow<'a, str>>,
    ) -> Cow<'a, str> {
        let lines: Vec<_> = self
            .listed_groups
            .iter()
            .filter_map(|(name, own)| Some((name.clone(), line(name, own)?.into_owned())))
            .collect();
        // The text introduces the list.
        match (lines.is_empty(), self.listed_groups.is_empty()) {
            (true, true) => return Cow::Borrowed(&self.instructions),
            (true, false) => return Cow::Borrowed(""),
            _ => {}
        }
        // The author's text stays whole, and the lines get the room that it leaves.
        let head = &self.instructions;
        Cow::Owned(format!(
            "{head}{}",
            fit_lines(&lines, GROUP_LINES_MAX.saturating_sub(head.chars().count()))
        ))
    }

    /// Renders the instructions with all groups, for files and reports of the author.
    #[cfg(feature = "export")]
    pub(crate) fn whole_instructions(&self) -> Cow<'_, str> {
        self.instructions_for(|_, line| Some(line.into()))
    }
}

impl<S: 'static> Registry<S> {
    /// Starts an empty registry.
    pub fn builder() -> RegistryBuilder<S> {
        let info = RegistryInfo {
            // `has_own_name` stays false, so the name of the author's handler replaces this one.
            name: Cow::Borrowed("pd-runtime"),
            version: Cow::Borrowed("0"),
            ..RegistryInfo::default()
        };
        RegistryBuilder::new(info, Vec::new())
    }

    /// Returns the number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Returns whether the registry has no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns the tools' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name())
    }

    /// Returns the tool with this name.
    pub fn tool(&self, name: &str) -> Option<&Tool<S>> {
        self.tools
            .iter()
            .find(|tool| tool.name() == name)
            .map(Arc::as_ref)
    }

    /// Returns the groups of the top level.
    pub fn groups(&self) -> &[GroupView] {
        &self.groups
    }

    /// Returns the bundles. A bundle lists the tools that one task needs.
    pub fn bundles(&self) -> &[Bundle] {
        &self.bundles
    }

    /// Returns the names of the tools at the top level, in order.
    pub fn top_level(&self) -> impl Iterator<Item = &str> {
        self.top.iter().map(String::as_str)
    }

    /// Adds tools, except those whose declaration is already present: several groups may list one
    /// tool.
    fn add_tools(&mut self, tools: impl IntoIterator<Item = Arc<Tool<S>>>) {
        let known = self.tools.len();
        self.tools.extend(tools);
        let mut by_name: HashMap<&str, &Tool<S>> = HashMap::with_capacity(self.tools.len());
        let mut is_kept = Vec::with_capacity(self.tools.len());
        for (place, tool) in self.tools.iter().enumerate() {
            let Some(earlier) = by_name.get(tool.name()) else {
                by_name.insert(tool.name(), tool);
                is_kept.push(true);
                continue;
            };
            // The tools that were here before stay: an import may have two of one name, which
            // `check` reports.
            is_kept.push(place < known);
            // A declaration is compared by source location and type. Two tools that were built at
            // run time have no declaration, so equal names always conflict there.
            let is_same = tool.about.declared.declaration.is_some()
                && tool.about.declared.declaration == earlier.about.declared.declaration;
            if place >= known && !is_same {
                self.problems.push(RegistryError {
                    tool: tool.name().to_owned(),
                    origin: tool.about.origin.to_string(),
                    kind: RegistryErrorKind::DuplicateTool {
                        other: earlier.about.origin.to_string(),
                    },
                });
            }
        }
        let mut is_kept = is_kept.into_iter();
        self.tools.retain(|_| is_kept.next() != Some(false));
    }

    /// Prefixes the name of every tool, group and bundle, so that one declaration can be served
    /// twice.
    ///
    /// In the names of groups and bundles the prefix is written in lower case, with `-` for `_`.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        let prefixed = |name: &str| format!("{prefix}{name}");
        // The tool is rebuilt instead of edited: other registries may share the `Arc`.
        self.tools = self
            .tools
            .into_iter()
            .map(|tool| {
                let mut about = tool.about.clone();
                let unprefixed = about.name.clone();
                about.name = Cow::Owned(prefixed(&about.name));
                about.write_app_meta();
                about.unprefixed.get_or_insert(unprefixed);
                // The related tools get the prefix, too, or their names would lead nowhere.
                if !about.discovery.related.is_empty() {
                    let related = about.discovery.related.iter_mut();
                    related.for_each(|name| *name = Cow::Owned(prefixed(name)));
                }
                Arc::new(Tool::from_parts(about, tool.handler.clone()))
            })
            .collect();
        self.top.iter_mut().for_each(|name| *name = prefixed(name));
        self.groups
            .iter_mut()
            .for_each(|group| group.rename(prefix));
        self.info
            .listed_groups
            .iter_mut()
            .for_each(|(name, _)| *name = bundle::prefixed(prefix, name));
        self.info
            .sources
            .iter_mut()
            .for_each(|source| source.add_prefix(prefix));
        self.bundles
            .iter_mut()
            .for_each(|bundle| bundle.rename(prefix));
        self
    }

    /// Appends another registry's tools, groups and bundles to this one's. This registry's name,
    /// version, instructions and budget stay.
    ///
    /// # Errors
    ///
    /// Returns every error that [`Registry::check`] finds in the merged registry, most often a name
    /// that both registries use.
    pub fn merge(mut self, other: Self) -> Result<Self, RegistryErrors> {
        self.add_tools(other.tools);
        // A tool may be at the top level of both. Only the first mention counts, or `check` would
        // report a repeated member.
        let known: HashSet<&str> = self.top.iter().map(String::as_str).collect();
        let mut news = other.top;
        news.retain(|name| !known.contains(name.as_str()));
        self.top.append(&mut news);
        self.groups.extend(other.groups);
        self.bundles.extend(other.bundles);
        self.problems.extend(other.problems);
        self.info.allow.extend(other.info.allow);
        self.info.sources.extend(other.info.sources);
        // The whole is checked again, because names of both may conflict.
        self.check()?;
        Ok(self)
    }

    /// Adds the author's own files to the skill of a group or bundle that `registry!` declared; see
    /// [`SkillFile`].
    ///
    /// ```
    /// # use pd_runtime::{SkillFile, prelude::*};
    /// # /// List commits
    /// # #[pd_tool]
    /// # fn log() -> String { "none".into() }
    /// let registry: Registry<()> = pd_runtime::registry! {
    ///     /// Read history
    ///     ///
    ///     /// Sizes are in the units of `references/units.md`.
    ///     history: log,
    /// };
    /// let units = SkillFile::new("references/units.md", "Sizes are in bytes.");
    /// let registry = registry.with_files("history", [units]);
    /// registry.check()?;
    /// # assert_eq!(registry.groups()[0].files.len(), 1);
    /// # Ok::<(), pd_runtime::check::RegistryErrors>(())
    /// ```
    ///
    /// [`Registry::check`] reports a `name` that no group or bundle has.
    #[must_use]
    pub fn with_files(mut self, name: &str, files: impl IntoIterator<Item = SkillFile>) -> Self {
        let group = self
            .groups
            .iter_mut()
            .find_map(|group| group.named_mut(name))
            .map(|group| &mut group.files);
        let bundle = self
            .bundles
            .iter_mut()
            .find(|bundle| bundle.name == name)
            .map(|bundle| &mut bundle.files);
        match group.or(bundle) {
            Some(known) => known.extend(files),
            None => {
                // The method stays chainable after `registry!`, so it records the error for `check`
                // instead of returning it.
                let fault = RegistryErrorKind::UnknownHeading {
                    name: name.to_owned(),
                    hint: self.nearest_heading(name),
                };
                self.problems.push(RegistryError::from_registry(fault));
            }
        }
        self
    }

    /// Returns a suggestion for a misspelled group or bundle, or an empty text.
    fn nearest_heading(&self, name: &str) -> String {
        let mut known: Vec<&str> = self
            .bundles
            .iter()
            .map(|bundle| bundle.name.as_str())
            .collect();
        self.groups
            .iter()
            .for_each(|top| top.walk(&mut |group| known.push(&group.name)));
        nearest(name, &known)
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default()
    }

    /// Returns the same tools for a server whose state `B` provides this registry's state.
    #[must_use]
    pub fn map_state<B: Provide<S> + 'static>(self) -> Registry<B> {
        self.with_handlers(handler::mapped_handler)
    }

    /// Binds each tool to its state. Code that serves the tools does not need to know the type of
    /// the state.
    pub(crate) fn with_state(self, state: &Arc<S>) -> Registry<()>
    where
        S: Send + Sync,
    {
        self.with_handlers(|handler| handler::stateful_handler(handler, state.clone()))
    }

    /// Returns the same tools without a state, for inspection only: every call of one of them
    /// fails.
    #[cfg(feature = "export")]
    pub(crate) fn without_state(&self) -> Registry<()> {
        Registry {
            info: self.info.clone(),
            tools: self
                .tools
                .iter()
                .map(|tool| {
                    Arc::new(Tool::from_parts(
                        tool.about.clone(),
                        handler::stateless_handler(),
                    ))
                })
                .collect(),
            top: self.top.clone(),
            groups: self.groups.clone(),
            bundles: self.bundles.clone(),
            problems: self.problems.clone(),
        }
    }

    /// Returns the same registry with its tools replaced, for example by their versions from an
    /// overlay.
    #[cfg(feature = "overlay")]
    pub(crate) fn with_tools(&self, tools: Vec<Arc<Tool<S>>>) -> Self {
        Self {
            info: self.info.clone(),
            tools,
            top: self.top.clone(),
            groups: self.groups.clone(),
            bundles: self.bundles.clone(),
            problems: self.problems.clone(),
        }
    }

    fn with_handlers<B: 'static>(
        self,
        handler: impl Fn(BoxedHandler<S>) -> BoxedHandler<B>,
    ) -> Registry<B> {
        Registry {
            info: self.info,
            tools: self
                .tools
                .into_iter()
                .map(|tool| {
                    // A tool that no other registry shares is not copied.
                    let (about, own) = match Arc::try_unwrap(tool) {
                        Ok(tool) => (tool.about, tool.handler),
                        Err(shared) => (shared.about.clone(), shared.handler.clone()),
                    };
                    Arc::new(Tool::from_parts(about, handler(own)))
                })
                .collect(),
            top: self.top,
            groups: self.groups,
            bundles: self.bundles,
            problems: self.problems,
        }
    }
}
