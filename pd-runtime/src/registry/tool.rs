//! One tool of a registry, declared or built at run time. `tool_spec` has its description.

use super::{
    problem::RegistryErrorKind, schema::InputSchema, tool_parts::ToolExample, tool_spec::ToolSpec,
    view::View,
};
use crate::{
    large_results::ResultBound,
    text::{compact_json::compact, truncate::cut_at_word},
    tool::{
        context::CallContext,
        descriptor::{DeclaredTool, ToolAnnotations},
        error::ErrorHelp,
        handler::{self, BoxedHandler},
        lint::Lint,
        output::ToolResult,
        state::{LendState, StateTypes},
        view::Visibility,
    },
};
use pd_schema::nullable::rewrite_nullable;

use futures::future::BoxFuture;
use rmcp::model::{Icon, JsonObject};
use serde_json::Value;
use std::{borrow::Cow, sync::Arc, time::Duration};

/// A tool for servers with state `S`.
///
/// `#[pd_tool]` declares a tool at compile time. [`Tool::new`] creates one at run time, for example
/// from a file or a database. Both pass the same checks when a registry is built.
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
/// # Ok::<(), pd_runtime::check::RegistryErrors>(())
/// ```
#[derive(Debug)]
pub struct Tool<S> {
    #[doc(hidden)]
    pub about: ToolSpec,
    pub(crate) handler: BoxedHandler<S>,
}

impl<S: 'static> Tool<S> {
    /// Creates a tool from its name, a summary of one line, and the function that runs it.
    ///
    /// `run` receives arguments that are valid by the input schema. Without [`Tool::input_schema`]
    /// any object is valid.
    pub fn new<F>(
        name: impl Into<Cow<'static, str>>,
        summary: impl Into<Cow<'static, str>>,
        run: F,
    ) -> Self
    where
        F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, ToolResult>
            + Send
            + Sync
            + 'static,
    {
        Self {
            about: ToolSpec::new(name.into(), summary.into()),
            handler: handler::closure_handler(run),
        }
    }

    /// Returns the tool's name.
    pub fn name(&self) -> &str {
        &self.about.name
    }

    /// Returns the tool's summary.
    pub fn summary(&self) -> &str {
        &self.about.summary
    }

    /// Returns the tool annotations (MCP, `ToolAnnotations`).
    pub fn annotations(&self) -> ToolAnnotations {
        self.about.annotations
    }

    /// Returns the scopes that a caller needs.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.about.rules.scopes.iter().map(AsRef::as_ref)
    }

    /// Returns the complete schema of the arguments.
    pub fn input(&self) -> &Arc<JsonObject> {
        &self.about.input.schema
    }

    /// Sets the display name.
    #[must_use]
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// Sets the text of the full description, in Markdown. The default is the summary.
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

    /// Sets the input schema: a JSON Schema whose root is an object. `nullable` of OpenAPI 3.0
    /// becomes `null` beside the types.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        match schema {
            Value::Object(mut object) => {
                rewrite_nullable(&mut object);
                self.about.input = InputSchema::from_schema(object);
            }
            other => self.about.report(RegistryErrorKind::BadSchema {
                which: "input",
                why: format!("{other} is not an object"),
            }),
        }
        self
    }

    /// Sets the schema of structured results, with `nullable` as in
    /// [`input_schema`](Self::input_schema).
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        match schema {
            Value::Object(mut object) => {
                rewrite_nullable(&mut object);
                self.about.output_schema = Some(Arc::new(compact(object)));
            }
            other => self.about.report(RegistryErrorKind::BadSchema {
                which: "output",
                why: format!("{other} is not an object"),
            }),
        }
        self
    }

    /// Adds a worked example.
    #[must_use]
    pub fn example(mut self, description: impl Into<Cow<'static, str>>, input: Value) -> Self {
        let description = description.into();
        let explanation = Cow::Borrowed("");
        self.about.usage.examples.push(ToolExample {
            description,
            input,
            explanation,
            is_proven: false,
        });
        self
    }

    /// Adds a usage pattern: `usage_guidance.common_patterns`.
    #[must_use]
    pub fn guidance(mut self, pattern: impl Into<Cow<'static, str>>) -> Self {
        self.about.usage.guidance.push(pattern.into());
        self
    }

    /// Adds a note: `usage_guidance.important_notes`.
    #[must_use]
    pub fn note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.about.usage.notes.push(note.into());
        self
    }

    /// Adds help for an error: `error_guidance.common_errors`.
    #[must_use]
    pub fn error(mut self, help: ErrorHelp) -> Self {
        self.about.usage.errors.push(help);
        self
    }

    /// Adds the name of a related tool.
    #[must_use]
    pub fn related(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.about.discovery.related.push(name.into());
        self
    }

    /// Adds an alias: other words by which callers may search for the tool.
    #[must_use]
    pub fn alias(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.about.discovery.aliases.push(words.into());
        self
    }

    /// Adds a request that must find the tool.
    /// [`Registry::check_found`](crate::Registry::check_found) and the command `check` search for
    /// it. The request is neither indexed nor sent to clients.
    ///
    /// A tool has at most 20 requests of at most 4,096 bytes.
    #[must_use]
    pub fn found_by(mut self, request: impl Into<Cow<'static, str>>) -> Self {
        self.about.discovery.found_by.push(request.into());
        self
    }

    /// Sets the icons that hosts display: links, or images in `data:` URLs.
    ///
    /// Full definitions in lists contain all icons. Minimal entries contain only links, so that a
    /// host can display them and the list stays small: a `data:` image may be larger than the rest
    /// of the list. Descriptions, which models read, contain no icons.
    ///
    /// ```
    /// use pd_runtime::{Tool, rmcp::model::{Icon, IconTheme}};
    ///
    /// # fn icons(tool: Tool<()>) -> Tool<()> {
    /// tool.icons([
    ///     Icon::new("https://example.com/light.png").with_theme(IconTheme::Light),
    ///     Icon::new("https://example.com/dark.svg")
    ///         .with_sizes(vec!["any".into()])
    ///         .with_theme(IconTheme::Dark),
    /// ])
    /// # }
    /// ```
    #[must_use]
    pub fn icons(mut self, icons: impl IntoIterator<Item = Icon>) -> Self {
        let icons: Vec<_> = icons.into_iter().collect();
        for icon in icons.iter().filter(|icon| !is_link(&icon.src)) {
            self.about.report(RegistryErrorKind::BadIcon {
                // The text may be long, such as a `data:` URL of another type.
                src: cut_at_word(&icon.src, ICON_SHOWN).to_owned(),
            });
        }
        self.about.host.icons = (!icons.is_empty()).then_some(icons);
        self
    }

    /// Sets the tool annotations, which hosts read.
    #[must_use]
    pub fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.about.annotations = annotations;
        self
    }

    /// Adds a scope that the principal needs.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<Cow<'static, str>>) -> Self {
        self.about.rules.scopes.push(scope.into());
        self
    }

    /// Lists the tool with its full definition. Calls need no disclosure then.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.about.eager = true;
        self
    }

    /// Requires the description before a call, also where the list shows all arguments
    /// ([`Listing::Outline`](crate::Listing::Outline)). A tool that is listed in full needs none.
    #[must_use]
    pub fn read_first(mut self) -> Self {
        self.about.read_first = true;
        self
    }

    /// Asks the user before each call ([`CallContext::confirm`]), with the name of the tool and its
    /// arguments. If the user declines, the call ends with the error `DECLINED`. A client that
    /// cannot ask ([`CallContext::can_ask`]) calls the tool as any other: it may have its own
    /// question.
    ///
    /// [`CallContext::confirm`]: crate::CallContext::confirm
    /// [`CallContext::can_ask`]: crate::CallContext::can_ask
    #[must_use]
    pub fn confirm(mut self) -> Self {
        self.about.confirm = true;
        self
    }

    /// Asks the user before calls through meta-tools and programs, if the tool may destroy something.
    #[doc(hidden)]
    pub fn confirm_destructive(mut self) -> Self {
        self.about.confirms_destructive = true;
        self
    }

    /// Lists the tool in every listing, at least in outline.
    #[doc(hidden)]
    pub fn pinned(mut self) -> Self {
        self.about.pinned = true;
        self
    }

    /// Runs the tool on the blocking pool.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.about.blocking = true;
        self
    }

    /// Sets the limit on a call's run time. A longer call ends with `TIMEOUT`. The default is
    /// [`Limits::call_timeout`](crate::Limits::call_timeout), which also documents what happens to
    /// the call.
    #[must_use]
    pub fn timeout(mut self, longest: Duration) -> Self {
        self.about.timeout = Some(longest);
        self
    }

    /// Sets the limit on concurrent calls, at least 1. Further calls wait for up to
    /// [`Limits::queue_timeout`](crate::Limits::queue_timeout).
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.about.rules.concurrency = Some(calls);
        self
    }

    /// Sets the tokens of the largest result that a model is shown whole. The default is
    /// [`Limits::result_tokens`](crate::Limits::result_tokens), which also documents what happens to
    /// a larger one.
    #[must_use]
    pub fn result_tokens(mut self, tokens: usize) -> Self {
        self.about.rules.result_bound = Some(ResultBound::new(tokens));
        self
    }

    /// Refuses calls of the tool with `TOOL_UNAVAILABLE` and this reason. The tool is still listed
    /// and described. To hide a tool from a caller, leave it out or require a
    /// [`scope`](Self::scope).
    #[must_use]
    pub fn unavailable(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.about.rules.unavailable = Some(reason.into());
        self
    }

    /// Refuses calls of the tool with `TOOL_HELD` and this reason, until a person has approved a
    /// change of the tool.
    #[doc(hidden)]
    pub fn held(mut self, reason: String) -> Self {
        self.about.is_held = true;
        self.unavailable(reason)
    }

    /// Silences a lint; see [`Registry::lint`](crate::Registry::lint).
    #[must_use]
    pub fn allow(mut self, lint: Lint) -> Self {
        self.about.allow.push(lint);
        self
    }

    /// Sets the page that hosts render for the calls of the tool (MCP Apps). The tool needs an
    /// [`output_schema`](Self::output_schema): the page reads the structured content of results.
    #[must_use]
    pub fn view(mut self, view: View) -> Self {
        self.about.host.view = Some(Arc::new(view));
        self.about.write_app_meta();
        self
    }

    /// Sets who calls the tool: models alone, or views alone. Both by default.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.about.host.visibility = Some(visibility);
        self.about.write_app_meta();
        self
    }

    /// Sets `_meta` of the tool. A [`view`](Self::view) and a [`visibility`](Self::visibility) stay
    /// in it.
    #[must_use]
    pub fn meta(mut self, meta: JsonObject) -> Self {
        self.about.host.meta = meta;
        self.about.write_app_meta();
        self
    }

    /// Sets the tool's origin for messages, such as a file name.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<Cow<'static, str>>) -> Self {
        self.about.origin = origin.into();
        self
    }

    pub(crate) fn from_declaration<N: StateTypes>(declared: &DeclaredTool<N>) -> Self
    where
        S: LendState<N>,
    {
        let mut about = ToolSpec::from_facts(&declared.facts);
        // One generic declaration, instantiated with two types, is two tools.
        about.declared.declaration = Some((declared.facts.location, std::any::type_name::<N>()));
        Self {
            about,
            handler: handler::declared_handler(declared.handler),
        }
    }

    pub(crate) fn from_parts(about: ToolSpec, handler: BoxedHandler<S>) -> Self {
        Self { about, handler }
    }
}

/// The maximum length of an icon's `src` in a message, in characters.
const ICON_SHOWN: usize = 60;

/// Returns whether clients load icons from this URL (MCP, "Icons").
fn is_link(src: &str) -> bool {
    ["https://", "http://", "data:image/"]
        .iter()
        .any(|scheme| src.len() > scheme.len() && src.starts_with(scheme))
}
