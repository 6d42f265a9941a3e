//! One tool as a registry holds it, whatever it was made from. What is known of it is in `about`.

use super::{
    check::cut_at_word,
    problem::Fault,
    schema::Input,
    tool_spec::{About, Example},
};
use crate::tool::{
    context::CallContext,
    descriptor::{Declared, Hints},
    error::ErrorHelp,
    handler::{self, Handler},
    lint::Lint,
    output::Outcome,
    state::{Lend, Needs},
};

use futures::future::BoxFuture;
use rmcp::model::{Icon, JsonObject};
use serde_json::Value;
use std::{borrow::Cow, sync::Arc, time::Duration};

/// A tool on state `S`.
///
/// `#[pd_tool]` declares one at compile time; [`Tool::new`] makes one at run time, from a file or a database, say. Both
/// pass the same checks when a registry is built.
///
/// ```
/// use futures::FutureExt;
/// use pd_runtime::{IntoOutput, Registry, Tool};
/// use serde_json::{Value, json};
///
/// let echo = Tool::new("echo", "Return the arguments as text", |_: &(), _, arguments| {
///     async move { Value::Object(arguments).to_string().into_output() }.boxed()
/// })
/// .input_schema(json!({"type": "object", "properties": {"text": {"type": "string"}}}))
/// .example("Say hello", json!({"text": "hello"}));
///
/// let registry = Registry::builder().tool(echo).build()?;
/// assert_eq!(registry.len(), 1);
/// # Ok::<(), pd_runtime::Problems>(())
/// ```
#[derive(Debug)]
pub struct Tool<S> {
    pub(crate) about: About,
    pub(crate) handler: Handler<S>,
}

impl<S: 'static> Tool<S> {
    /// A tool called `name` that does what `summary` says in one line, run by `run`.
    ///
    /// `run` gets arguments that fit the input schema. Without [`Tool::input_schema`] any object fits.
    pub fn new<F>(name: impl Into<Cow<'static, str>>, summary: impl Into<Cow<'static, str>>, run: F) -> Self
    where
        F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, Outcome> + Send + Sync + 'static,
    {
        Self { about: About::new(name.into(), summary.into()), handler: handler::closure(run) }
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.about.name
    }

    /// The tool's summary.
    pub fn summary(&self) -> &str {
        &self.about.summary
    }

    /// The hints that it carries (MCP, tool annotations).
    pub fn hinted(&self) -> Hints {
        self.about.hints
    }

    /// The scopes that it asks for.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.about.scopes.iter().map(AsRef::as_ref)
    }

    /// The schema of its arguments, complete.
    pub fn input(&self) -> &Arc<JsonObject> {
        &self.about.input.schema
    }

    /// Sets the display name.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// Sets the full description's text, in Markdown. Without it the summary serves.
    #[must_use]
    pub fn description(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.about.description = text.into();
        self
    }

    /// Sets the longest summary allowed, in characters; 60 by default.
    #[must_use]
    pub fn summary_max(mut self, characters: usize) -> Self {
        self.about.summary_max = characters;
        self
    }

    /// Sets the input schema: a JSON Schema whose root is an object.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        match schema {
            Value::Object(object) => self.about.input = Input::of_schema(object),
            other => self.about.found(Fault::BadSchema { which: "input", why: format!("{other} is not an object") }),
        }
        self
    }

    /// Sets the schema of structured results.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        match schema {
            Value::Object(object) => self.about.output_schema = Some(Arc::new(object)),
            other => self.about.found(Fault::BadSchema { which: "output", why: format!("{other} is not an object") }),
        }
        self
    }

    /// Adds a worked example.
    #[must_use]
    pub fn example(mut self, description: impl Into<Cow<'static, str>>, input: Value) -> Self {
        let (description, explanation) = (description.into(), Cow::Borrowed(""));
        self.about.examples.push(Example { description, input, explanation, is_proven: false });
        self
    }

    /// Adds a usage pattern: `usage_guidance.common_patterns`.
    #[must_use]
    pub fn guidance(mut self, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.about.guidance.push(pattern.into());
        self
    }

    /// Adds a note: `usage_guidance.important_notes`.
    #[must_use]
    pub fn note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.about.notes.push(note.into());
        self
    }

    /// Adds help for an error: `error_guidance.common_errors`.
    #[must_use]
    pub fn error(mut self, help: ErrorHelp) -> Self {
        self.about.errors.push(help);
        self
    }

    /// Names a tool worth knowing beside this one.
    #[must_use]
    pub fn related(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.about.related.push(name.into());
        self
    }

    /// Adds other words that a caller may use for the tool.
    #[must_use]
    pub fn alias(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.about.aliases.push(words.into());
        self
    }

    /// Sets the icons that hosts display: links, or images in `data:` URLs.
    ///
    /// Lists show them in full definitions. A minimal entry has the links alone, so that a host can display them and a list
    /// stays small; a `data:` image may be larger than all the rest of the list. Descriptions, which models read, have none.
    ///
    /// ```
    /// use pd_runtime::{Tool, rmcp::model::{Icon, IconTheme}};
    ///
    /// # fn icons(tool: Tool<()>) -> Tool<()> {
    /// tool.icons([
    ///     Icon::new("https://example.com/light.png").with_theme(IconTheme::Light),
    ///     Icon::new("https://example.com/dark.svg").with_sizes(vec!["any".into()]).with_theme(IconTheme::Dark),
    /// ])
    /// # }
    /// ```
    #[must_use]
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        let icons: Vec<_> = icons.into_iter().collect();
        for icon in icons.iter().filter(|icon| !is_link(&icon.src)) {
            self.about.found(Fault::BadIcon { src: cut_at_word(&icon.src, ICON_SHOWN).to_owned() });
        }
        self.about.icons = (!icons.is_empty()).then_some(icons);
        self
    }

    /// Sets the hints to the host.
    #[must_use]
    pub fn hints(mut self, hints: Hints) -> Self {
        self.about.hints = hints;
        self
    }

    /// Requires a scope of the principal.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<Cow<'static, str>>) -> Self {
        self.about.scopes.push(scope.into());
        self
    }

    /// Lists the tool with its full definition; it then needs no disclosure.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.about.eager = true;
        self
    }

    /// Runs the tool on the blocking pool.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.about.blocking = true;
        self
    }

    /// Sets how long a call may run; a longer one ends in `TIMEOUT`. Without it
    /// [`Limits::call_timeout`](crate::Limits::call_timeout) says, where it also stands what becomes of the call.
    #[must_use]
    pub fn timeout(mut self, longest: Duration) -> Self {
        self.about.timeout = Some(longest);
        self
    }

    /// Sets how many calls may run at once, at least 1. The others wait for their turn, as long as
    /// [`Limits::patience`](crate::Limits::patience) says.
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.about.concurrency = Some(calls);
        self
    }

    /// Refuses calls of the tool with `TOOL_UNAVAILABLE` and this reason. It is listed and described all the same; for a tool
    /// that a caller should not know of, leave it out or ask for a [`scope`](Self::scope).
    #[must_use]
    pub fn unavailable(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.about.unavailable = Some(reason.into());
        self
    }

    /// Silences a lint of taste; see [`Registry::taste`](crate::Registry::taste).
    #[must_use]
    pub fn allow(mut self, lint: Lint) -> Self {
        self.about.allow.push(lint);
        self
    }

    /// Sets `_meta` of the tool.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Self {
        self.about.meta = meta;
        self
    }

    /// Says where the tool comes from, for messages: a file, say.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<Cow<'static, str>>) -> Self {
        self.about.origin = origin.into();
        self
    }

    pub(crate) fn declared<N: Needs>(declared: &Declared<N>) -> Self
    where
        S: Lend<N>,
    {
        let mut about = About::of_facts(&declared.facts);
        // One generic declaration on two types is two tools.
        about.declaration = Some((declared.facts.location, std::any::type_name::<N>()));
        Self { about, handler: handler::lending(declared.handler) }
    }

    pub(crate) fn from_parts(about: About, handler: Handler<S>) -> Self {
        Self { about, handler }
    }
}

/// The most characters of a bad icon that a message shows.
const ICON_SHOWN: usize = 60;

/// Whether clients load an icon from here (MCP, "Icons").
fn is_link(src: &str) -> bool {
    ["https://", "http://", "data:image/"].iter().any(|scheme| src.len() > scheme.len() && src.starts_with(scheme))
}
