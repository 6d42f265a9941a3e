//! The frozen set of a server's tools. How it is put together is in `builder`, what it must keep in `check`.

pub(crate) mod builder;
pub(crate) mod bundle;
pub(crate) mod check;
pub(crate) mod const_check;
pub(crate) mod coverage;
pub(crate) mod declaration;
pub(crate) mod from_declaration;
pub(crate) mod group;
pub(crate) mod lint;
mod map_keys;
pub(crate) mod problem;
mod refused_key;
mod result_keys;
pub(crate) mod rmcp_import;
pub(crate) mod schema;
mod schema_depth;
pub(crate) mod selective;
pub(crate) mod skill_file;
mod subschemas;
pub(crate) mod tool;
pub(crate) mod tool_spec;
pub(crate) mod validate;

use crate::{
    text::suggest::nearest,
    tool::{
        handler::{self, Handler},
        lint::Lint,
        state::Provide,
    },
};
use builder::RegistryBuilder;
use bundle::Bundle;
use group::Branch;
use problem::{Fault, Problem, Problems};
use skill_file::SkillFile;
use std::{borrow::Cow, sync::Arc};
use tool::Tool;

/// The tools of one server on state `S`, in order, sorted into groups.
///
/// [`registry!`](crate::registry) writes one down; [`Registry::builder`] makes one at run time.
#[derive(Debug)]
pub struct Registry<S> {
    pub(crate) info: Info,
    pub(crate) tools: Vec<Arc<Tool<S>>>,
    pub(crate) top: Vec<String>,
    pub(crate) groups: Vec<Branch>,
    pub(crate) bundles: Vec<Bundle>,
    pub(crate) problems: Vec<Problem>,
}

/// What a registry says about its server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Info {
    pub(crate) name: Cow<'static, str>,
    /// Whether the author set the name. A default yields to the name of the author's handler.
    pub(crate) has_own_name: bool,
    pub(crate) version: Cow<'static, str>,
    /// Whether the author set the version.
    pub(crate) has_own_version: bool,
    pub(crate) instructions: Cow<'static, str>,
    pub(crate) budget: Option<usize>,
    /// The lints that the texts of server, groups and bundles silence.
    pub(crate) allow: Vec<Lint>,
}

impl<S: 'static> Registry<S> {
    /// Starts an empty registry.
    pub fn builder() -> RegistryBuilder<S> {
        let info = Info { name: Cow::Borrowed("pd-runtime"), version: Cow::Borrowed("0"), ..Info::default() };
        RegistryBuilder::new(info, Vec::new())
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name())
    }

    /// The tool called `name`.
    pub fn tool(&self, name: &str) -> Option<&Tool<S>> {
        self.tools.iter().find(|tool| tool.name() == name).map(Arc::as_ref)
    }

    /// The top level's groups.
    pub fn groups(&self) -> &[Branch] {
        &self.groups
    }

    /// The bundles: what tools a task takes.
    pub fn bundles(&self) -> &[Bundle] {
        &self.bundles
    }

    /// The names of the tools that stand in no group.
    pub fn top_level(&self) -> impl Iterator<Item = &str> {
        self.top.iter().map(String::as_str)
    }

    /// Adds a tool unless the same declaration is there already: a tool may stand in several groups.
    fn add(&mut self, tool: Arc<Tool<S>>) {
        match self.tools.iter().find(|known| known.about.name == tool.about.name) {
            None => self.tools.push(tool),
            Some(known) if tool.about.declaration.is_some() && known.about.declaration == tool.about.declaration => {}
            Some(known) => {
                let fault = Fault::DuplicateTool { other: known.about.origin.to_string() };
                let (tool, origin) = (tool.name().to_owned(), tool.about.origin.to_string());
                self.problems.push(Problem { tool, origin, fault });
            }
        }
    }

    /// Puts `prefix` before the name of every tool, group and bundle, so that one declaration can be served twice.
    ///
    /// In the names of groups and bundles `_` becomes `-`.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        let prefixed = |name: &str| format!("{prefix}{name}");
        let rename = |tool: Arc<Tool<S>>| {
            let mut about = tool.about.clone();
            about.name = Cow::Owned(prefixed(&about.name));
            about.related.iter_mut().for_each(|name| *name = Cow::Owned(prefixed(name)));
            Arc::new(Tool::from_parts(about, tool.handler.clone()))
        };
        self.tools = self.tools.into_iter().map(rename).collect();
        self.top.iter_mut().for_each(|name| *name = prefixed(name));
        self.groups.iter_mut().for_each(|group| group.rename(prefix));
        self.bundles.iter_mut().for_each(|bundle| bundle.rename(prefix));
        self
    }

    /// Adds another registry's tools, groups and bundles behind this one's. This one's name, version, instructions and
    /// budget stay.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the whole: names that stand in both, most often.
    pub fn merge(mut self, other: Self) -> Result<Self, Problems> {
        for tool in other.tools {
            self.add(tool);
        }
        let news: Vec<_> = other.top.into_iter().filter(|name| !self.top.contains(name)).collect();
        self.top.extend(news);
        self.groups.extend(other.groups);
        self.bundles.extend(other.bundles);
        self.problems.extend(other.problems);
        self.info.allow.extend(other.info.allow);
        self.check()?;
        Ok(self)
    }

    /// Adds an author's own files to the skill of a group or bundle, where `registry!` wrote it down; see [`SkillFile`].
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
    /// # Ok::<(), pd_runtime::Problems>(())
    /// ```
    ///
    /// [`Registry::check`] reports a name that no group or bundle has.
    #[must_use]
    pub fn with_files(mut self, name: &str, files: impl IntoIterator<Item = SkillFile>) -> Self {
        let group = self.groups.iter_mut().find_map(|group| group.named_mut(name)).map(|group| &mut group.files);
        let bundle = self.bundles.iter_mut().find(|bundle| bundle.name == name).map(|bundle| &mut bundle.files);
        match group.or(bundle) {
            Some(known) => known.extend(files),
            None => {
                let fault = Fault::UnknownHeading { name: name.to_owned(), hint: self.nearest_heading(name) };
                self.problems.push(Problem::of_server(fault));
            }
        }
        self
    }

    /// The group or bundle that may have been meant.
    fn nearest_heading(&self, name: &str) -> String {
        let mut known: Vec<&str> = self.bundles.iter().map(|bundle| bundle.name.as_str()).collect();
        self.groups.iter().for_each(|top| top.walk(&mut |group| known.push(&group.name)));
        nearest(name, &known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    }

    /// The same tools on a state that holds this one's.
    #[must_use]
    pub fn lift<B: Provide<S> + 'static>(self) -> Registry<B> {
        self.with_handlers(handler::lifted)
    }

    /// The same tools, each with the state that it runs on: what serves them need not know the state's type.
    pub(crate) fn bound(self, state: &Arc<S>) -> Registry<()>
    where
        S: Send + Sync,
    {
        self.with_handlers(|handler| handler::bound(handler, state.clone()))
    }

    /// The same tools without a state: to be looked at, for each call of one fails.
    pub(crate) fn without_state(&self) -> Registry<()> {
        let tool = |tool: &Arc<Tool<S>>| Arc::new(Tool::from_parts(tool.about.clone(), handler::stateless()));
        Registry {
            info: self.info.clone(),
            tools: self.tools.iter().map(tool).collect(),
            top: self.top.clone(),
            groups: self.groups.clone(),
            bundles: self.bundles.clone(),
            problems: self.problems.clone(),
        }
    }

    /// The same registry with other tools in the places of its own.
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

    fn with_handlers<B: 'static>(self, handler: impl Fn(Handler<S>) -> Handler<B>) -> Registry<B> {
        let tool = |tool: Arc<Tool<S>>| Arc::new(Tool::from_parts(tool.about.clone(), handler(tool.handler.clone())));
        Registry {
            info: self.info,
            tools: self.tools.into_iter().map(tool).collect(),
            top: self.top,
            groups: self.groups,
            bundles: self.bundles,
            problems: self.problems,
        }
    }
}
