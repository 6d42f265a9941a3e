//! Tools that were described elsewhere: in MCP's own form, or with rmcp's `#[tool]`.

use super::{builder::RegistryBuilder, check::cut_at_word, tool::Tool};
use crate::{
    descriptor::{Hints, SUMMARY_MAX},
    lint::Lint,
    tool::{context::CallContext, error::IntoToolError, output::Outcome},
};
use futures::future::{BoxFuture, FutureExt};
use rmcp::{
    handler::server::tool::{ToolCallContext, ToolRoute, ToolRouter},
    model::{self, JsonObject},
};
use std::borrow::Cow;

impl<S: Send + Sync + 'static> Tool<S> {
    /// A tool from an MCP definition, such as an entry of another server's `tools/list`.
    ///
    /// Its description's first sentence becomes the summary, cut at a word to 60 characters; the whole stays the
    /// description. Schemas, title, annotations and `_meta` are kept as they are.
    pub fn from_definition<F>(definition: model::Tool, run: F) -> Self
    where
        F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, Outcome> + Send + Sync + 'static,
    {
        let description = definition.description.clone().unwrap_or_default();
        let mut summary = first_sentence(&description);
        if summary.is_empty() {
            summary = definition.title.clone().unwrap_or_else(|| definition.name.replace(['_', '-', '.'], " "));
        }
        let summary = cut_at_word(summary.trim(), SUMMARY_MAX).to_owned();
        let mut tool = Self::new(definition.name, summary, run).description(description);
        tool.about.input = super::schema::Input::of_schema((*definition.input_schema).clone());
        tool.about.output_schema = definition.output_schema;
        tool.about.title = definition.title.map(Cow::Owned);
        tool.about.meta = definition.meta.unwrap_or_default().0;
        tool.about.icons = definition.icons;
        // MCP's form has no place for examples and guidance.
        tool.about.allow.push(Lint::NoUsage);
        if let Some(hints) = definition.annotations {
            tool.about.annotations_title = hints.title;
            tool.about.hints = Hints {
                read_only: hints.read_only_hint,
                destructive: hints.destructive_hint,
                idempotent: hints.idempotent_hint,
                open_world: hints.open_world_hint,
            };
        }
        tool
    }

    fn adopted(route: ToolRoute<S>) -> Self {
        let (definition, call) = (route.attr, route.call);
        let name = definition.name.to_string();
        Self::from_definition(definition, move |state: &S, context, arguments| {
            let call = call.clone();
            match context.to_rmcp(name.clone(), arguments) {
                Ok((params, request)) => {
                    let running = call(ToolCallContext::new(state, params, request));
                    running.map(|ended| ended.map_err(IntoToolError::into_tool_error)).boxed()
                }
                Err(error) => futures::future::ready(Err(error.into_tool_error())).boxed(),
            }
        })
        .origin("an rmcp `ToolRouter`")
    }
}

impl<S: Send + Sync + 'static> RegistryBuilder<S> {
    /// Adds rmcp's own tools at the top level, in order of their names: `#[tool]` and `#[pd_tool]` in one server.
    #[must_use]
    pub fn adopt(self, router: ToolRouter<S>) -> Self {
        let mut routes: Vec<_> = router.into_iter().collect();
        routes.sort_by(|a, b| a.attr.name.cmp(&b.attr.name));
        self.tools(routes.into_iter().map(Tool::adopted))
    }
}

impl<S: Send + Sync + 'static> super::Registry<S> {
    /// Adds rmcp's own tools at the top level; see [`RegistryBuilder::adopt`].
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the whole: names that stand in both, most often.
    pub fn adopt(self, router: ToolRouter<S>) -> Result<Self, super::problem::Problems> {
        self.merge(Self::builder().adopt(router).freeze())
    }
}

/// The first sentence, in one line and without its full stop. `e.g. x` does not end one, for a capital must follow.
fn first_sentence(text: &str) -> String {
    let paragraph = text.trim_start().split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut marks = line.match_indices(['.', '!', '?']);
    let end = marks.find(|(at, mark)| {
        let rest = line.get(at + mark.len()..).unwrap_or_default();
        rest.is_empty() || rest.strip_prefix(' ').is_some_and(|next| !next.starts_with(char::is_lowercase))
    });
    let sentence = end.map_or(line.as_str(), |(at, _)| line.get(..at).unwrap_or_default());
    sentence.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_found_in_real_descriptions() {
        for (text, sentence) in [
            ("Get a file. Use it often.", "Get a file"),
            ("Lists (e.g. open) issues\nof a repo.\n\nMore.", "Lists (e.g. open) issues of a repo"),
            ("Version 1.2 of it", "Version 1.2 of it"),
            ("Really? Yes.", "Really"),
            ("", ""),
            ("...", ".."),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }
}
