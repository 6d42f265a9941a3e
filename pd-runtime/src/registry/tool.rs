//! One tool as a registry holds it: owned, whatever it was made from. How its schemas come about is in `schema`.

use super::{
    problem::{Fault, Problem},
    schema::{self, Input},
};
use crate::{
    descriptor::{Declared, Facts, Hints, SUMMARY_MAX},
    tool::{
        context::CallContext,
        error::{ErrorHelp, ToolError},
        handler::{self, Handler},
        output::Outcome,
        state::{Lend, Needs, Provide},
    },
};
use futures::future::BoxFuture;
use rmcp::model::{Icon, JsonObject};
use serde_json::Value;
use std::{borrow::Cow, sync::Arc};

/// A tool on state `S`.
///
/// `#[pd_tool]` declares one at compile time; [`Tool::new`] makes one at run time, from a file or a database, say. Both
/// pass the same checks when a registry is built.
///
/// ```
/// use futures::FutureExt;
/// use pd_runtime::{Registry, Tool};
/// use serde_json::json;
///
/// let echo = Tool::new("echo", "Return the arguments as text", |_: &(), _, arguments| {
///     async move { Ok(serde_json::Value::Object(arguments).to_string()).into_outcome() }.boxed()
/// })
/// .input_schema(json!({"type": "object", "properties": {"text": {"type": "string"}}}))
/// .example("Say hello", json!({"text": "hello"}));
///
/// let registry = Registry::builder().tool(echo).build()?;
/// assert_eq!(registry.len(), 1);
/// # use pd_runtime::IntoOutput;
/// # trait Into_ { fn into_outcome(self) -> pd_runtime::Outcome; }
/// # impl Into_ for Result<String, pd_runtime::ToolError> { fn into_outcome(self) -> pd_runtime::Outcome { self.into_output() } }
/// # Ok::<(), pd_runtime::Problems>(())
/// ```
#[derive(Debug)]
pub struct Tool<S> {
    pub(crate) about: About,
    pub(crate) handler: Handler<S>,
}

/// All that is known of a tool but how to run it.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) summary: Cow<'static, str>,
    pub(crate) summary_max: usize,
    pub(crate) description: Cow<'static, str>,
    pub(crate) input: Input,
    pub(crate) output_schema: Option<Arc<JsonObject>>,
    pub(crate) examples: Vec<Example>,
    pub(crate) guidance: Vec<Cow<'static, str>>,
    pub(crate) notes: Vec<Cow<'static, str>>,
    /// The errors that the description tells of.
    pub(crate) errors: Vec<ErrorHelp>,
    /// All that its error type knows, for when one happens.
    pub(crate) error_type: &'static [ErrorHelp],
    pub(crate) related: Vec<Cow<'static, str>>,
    pub(crate) aliases: Vec<Cow<'static, str>>,
    pub(crate) hints: Hints,
    pub(crate) scopes: Vec<Cow<'static, str>>,
    pub(crate) eager: bool,
    pub(crate) blocking: bool,
    pub(crate) deprecated: Option<Cow<'static, str>>,
    pub(crate) meta: JsonObject,
    /// What only a definition in MCP's own form has.
    pub(crate) icons: Option<Vec<Icon>>,
    pub(crate) annotations_title: Option<String>,
    /// Where it was declared, for messages; the same declaration met twice is one tool.
    pub(crate) origin: Cow<'static, str>,
    /// What was found wrong while it was read; told when a registry is built.
    pub(crate) problems: Vec<Problem>,
}

/// A worked example of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Example {
    pub(crate) description: Cow<'static, str>,
    pub(crate) input: Value,
    pub(crate) explanation: Cow<'static, str>,
}

impl About {
    fn new(name: Cow<'static, str>, summary: Cow<'static, str>) -> Self {
        Self {
            name,
            summary,
            title: None,
            summary_max: SUMMARY_MAX,
            description: Cow::Borrowed(""),
            input: Input::anything(),
            output_schema: None,
            examples: Vec::new(),
            guidance: Vec::new(),
            notes: Vec::new(),
            errors: Vec::new(),
            error_type: &[],
            related: Vec::new(),
            aliases: Vec::new(),
            hints: Hints::NONE,
            scopes: Vec::new(),
            eager: false,
            blocking: false,
            deprecated: None,
            meta: JsonObject::new(),
            icons: None,
            annotations_title: None,
            origin: Cow::Borrowed(""),
            problems: Vec::new(),
        }
    }

    fn found(&mut self, fault: Fault) {
        self.problems.push(Problem { tool: self.name.to_string(), origin: self.origin.to_string(), fault });
    }

    /// The help for an error, as the tool or else its error type tells it.
    pub(crate) fn help(&self, code: &str) -> Option<&ErrorHelp> {
        self.errors.iter().chain(self.error_type).find(|help| help.code == code)
    }

    /// The full description's text: the doc comment, or the summary where there is none.
    pub(crate) fn text(&self) -> &str {
        if self.description.is_empty() { &self.summary } else { &self.description }
    }
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
        self.about.examples.push(Example { description: description.into(), input, explanation: Cow::Borrowed("") });
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
        let mut about = about(&declared.facts);
        // One generic declaration on two types is two tools.
        about.origin = Cow::Owned(format!("{} {}", declared.facts.location, std::any::type_name::<N>()));
        Self { about, handler: handler::lending(declared.handler) }
    }

    pub(crate) fn lift<B: Provide<S> + 'static>(self) -> Tool<B> {
        Tool { about: self.about, handler: handler::lifted(self.handler) }
    }

    pub(crate) fn from_parts(about: About, handler: Handler<S>) -> Self {
        Self { about, handler }
    }
}

/// The owned form of const facts.
fn about(facts: &Facts) -> About {
    let mut about = About::new(Cow::Borrowed(facts.name), Cow::Borrowed(facts.summary));
    about.origin = Cow::Borrowed(facts.location);
    about.title = facts.title.map(Cow::Borrowed);
    about.summary_max = facts.summary_max;
    about.description = Cow::Borrowed(facts.description);
    about.guidance = borrowed(facts.guidance);
    about.notes = borrowed(facts.notes);
    about.related = borrowed(facts.related);
    about.aliases = borrowed(facts.aliases);
    about.scopes = borrowed(facts.scopes);
    about.hints = facts.hints;
    about.eager = facts.eager;
    about.blocking = facts.blocking;
    about.deprecated = facts.deprecated.map(Cow::Borrowed);
    about.output_schema = schema::of_output(facts.output);
    match schema::of_arguments(facts.arguments) {
        Ok(input) => about.input = input,
        Err(why) => about.found(Fault::BadSchema { which: "input", why }),
    }
    read_errors(facts, &mut about);
    read_examples(facts, &mut about);
    read_meta(facts, &mut about);
    about
}

fn borrowed(texts: &[&'static str]) -> Vec<Cow<'static, str>> {
    texts.iter().copied().map(Cow::Borrowed).collect()
}

/// A tool's `# Errors` section selects codes of its error type and may override their texts; without one all stand.
fn read_errors(facts: &Facts, about: &mut About) {
    about.error_type = facts.error_type;
    if facts.errors.is_empty() {
        about.errors = facts.error_type.to_vec();
        return;
    }
    for selected in facts.errors {
        let known = facts.error_type.iter().find(|help| help.code == selected.code);
        if known.is_none() && !facts.error_type.is_empty() {
            let known = facts.error_type.iter().map(|help| help.code.to_string()).collect();
            about.found(Fault::UnknownErrorCode { code: selected.code.to_string(), known });
            continue;
        }
        let inherit = |own: &Cow<'static, str>, of_type: Option<&Cow<'static, str>>| match of_type {
            Some(text) if own.is_empty() => text.clone(),
            _ => own.clone(),
        };
        about.errors.push(ErrorHelp {
            code: selected.code.clone(),
            cause: inherit(&selected.cause, known.map(|help| &help.cause)),
            solution: inherit(&selected.solution, known.map(|help| &help.solution)),
        });
    }
}

fn read_examples(facts: &Facts, about: &mut About) {
    for (index, example) in facts.examples.iter().enumerate() {
        match serde_json::from_str(example.input) {
            Ok(input) => {
                if let Err(error) = accepts(facts, &input) {
                    about.found(Fault::BadExample { example: index + 1, why: error.message });
                }
                about.examples.push(Example {
                    description: Cow::Borrowed(example.description),
                    input,
                    explanation: Cow::Borrowed(example.explanation),
                });
            }
            Err(error) => {
                about.found(Fault::BadExample { example: index + 1, why: format!("it is not JSON: {error}") })
            }
        }
    }
}

/// Takes every argument of an example with the types that a call would take it with.
fn accepts(facts: &Facts, input: &Value) -> Result<(), ToolError> {
    let Value::Object(input) = input else {
        return Err(ToolError::invalid_argument("", "an example is an object of arguments"));
    };
    let mut arguments = input.clone();
    for argument in facts.arguments {
        if argument.default.is_none() || arguments.contains_key(argument.name) {
            (argument.accepts)(&mut arguments, argument.name)?;
        }
    }
    Ok(())
}

fn read_meta(facts: &Facts, about: &mut About) {
    for (key, text) in facts.meta {
        match serde_json::from_str(text) {
            Ok(value) => drop(about.meta.insert((*key).to_owned(), value)),
            Err(error) => about.found(Fault::BadMeta { key: (*key).to_owned(), why: error.to_string() }),
        }
    }
}
