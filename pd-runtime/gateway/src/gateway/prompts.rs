//! The prompts of upstreams, and completions of arguments. Prompts have names with the prefix of
//! their server, as tools have.

use crate::{
    Gateway,
    gateway::offered_name::{prompt_name, renamed},
    message::result_shape::{completion_result, prompt_result},
    upstream::{Upstream, upstream_error::UpstreamError},
};
use pd_runtime::{
    CallContext, ToolError,
    upstream::{CallerAuthority, LossyParts, LossyValue},
};
use rmcp::model::{
    CompleteResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InputRequiredResult, JsonObject, Prompt,
};
use serde_json::Value;
use std::{collections::HashSet, sync::Arc};

/// The upstream of a prompt, and the upstream's own name for it.
struct PromptSource {
    upstream: Arc<Upstream>,
    own_name: String,
    /// Why it cannot be read, if a change of it waits for a person's approval.
    held: Option<UpstreamError>,
}

impl Gateway {
    /// Returns the prompts that a caller sees, each name once.
    ///
    /// What rmcp's type loses of them is kept in `parts`.
    pub(crate) fn prompts(
        &self,
        caller: &CallerAuthority,
        parts: Option<&LossyParts>,
    ) -> Vec<Prompt> {
        let mut taken = HashSet::new();
        let mut prompts = Vec::new();
        for upstream in self.visible(caller) {
            for definition in upstream
                .lists()
                .iter()
                .flat_map(|lists| &lists.offered().prompts)
            {
                // One entry that is not valid must not fail the list of all servers.
                let Ok(mut prompt) = serde_json::from_value::<Prompt>(definition.clone()) else {
                    continue;
                };
                prompt.name = prompt_name(&upstream, &prompt.name);
                if taken.insert(prompt.name.clone()) {
                    let lossy = parts
                        .and_then(|_| LossyValue::new(renamed(definition, &prompt.name), &prompt));
                    parts.zip(lossy).inspect(|(parts, lossy)| {
                        parts.add_entry("prompts", &prompt.name, lossy.clone())
                    });
                    prompts.push(prompt);
                }
            }
        }
        prompts
    }

    /// Renders a prompt. Returns `None` if the caller sees no prompt of this name.
    pub(crate) async fn prompt(
        &self,
        params: GetPromptRequestParams,
        context: &CallContext,
    ) -> Option<Result<GetPromptResponse, ToolError>> {
        let source = match self.awaited_prompt(&params.name, context).await {
            Ok(source) => source?,
            Err(error) => return Some(Err(error)),
        };
        if let Some(held) = source.held {
            return Some(Err(held.into_tool_error()));
        }
        let mut forwarded = JsonObject::from_iter([("name".to_owned(), source.own_name.into())]);
        forwarded.extend(
            params
                .arguments
                .map(|arguments| ("arguments".to_owned(), Value::Object(arguments))),
        );
        let result = source
            .upstream
            .read("prompts/get", forwarded, context)
            .await;
        Some(
            result
                .and_then(|result| source.upstream.prompt_response(result, context))
                .map_err(UpstreamError::into_tool_error),
        )
    }

    /// Completes an argument of a prompt or of a resource template. Returns `None` if the caller
    /// sees no such prompt or template.
    pub(crate) async fn completion(
        &self,
        mut params: JsonObject,
        context: &CallContext,
    ) -> Option<Result<CompleteResult, ToolError>> {
        // `forward` adds the metadata of the request.
        params.remove("_meta");
        let reference = params.get_mut("ref")?.as_object_mut()?;
        let upstream = match (reference.get("name"), reference.get("uri")) {
            (Some(Value::String(name)), _) => {
                let source = match self.awaited_prompt(name, context).await {
                    Ok(source) => source?,
                    Err(error) => return Some(Err(error)),
                };
                if let Some(held) = source.held {
                    return Some(Err(held.into_tool_error()));
                }
                reference.insert("name".to_owned(), source.own_name.into());
                source.upstream
            }
            (_, Some(Value::String(uri))) => {
                match self
                    .find_or_wait(context, |_| true, || self.template_owner(uri, context))
                    .await
                {
                    Ok(owner) => match owner? {
                        Ok(upstream) => upstream,
                        Err(held) => return Some(Err(held.into_tool_error())),
                    },
                    Err(error) => return Some(Err(error)),
                }
            }
            _ => return None,
        };
        let result = upstream.read("completion/complete", params, context).await;
        Some(
            result
                .and_then(|result| upstream.typed(completion_result(result), context))
                .map_err(UpstreamError::into_tool_error),
        )
    }

    /// Returns the source of a prompt, also of a server that starts.
    async fn awaited_prompt(
        &self,
        name: &str,
        context: &CallContext,
    ) -> Result<Option<PromptSource>, ToolError> {
        // Only the server with this prefix can have the prompt, so no other one is started for it.
        self.find_or_wait(
            context,
            |upstream| name.starts_with(&upstream.prefix()),
            || self.prompt_source(name, context.authority()),
        )
        .await
    }

    fn prompt_source(&self, name: &str, caller: &CallerAuthority) -> Option<PromptSource> {
        self.visible(caller).find_map(|upstream| {
            let lists = upstream.lists()?;
            // A prompt that is left out of the list is not read by its name either.
            let mut names = lists.offered().prompt_names();
            let own_name = names
                .find(|own| prompt_name(&upstream, own) == name)?
                .to_owned();
            let reason = lists.offered().held_prompt(&own_name);
            let held = reason.map(|reason| UpstreamError::Held {
                reason: reason.to_owned(),
            });
            Some(PromptSource {
                upstream,
                own_name,
                held,
            })
        })
    }
}

impl Upstream {
    fn prompt_response(
        &self,
        result: Value,
        context: &CallContext,
    ) -> Result<GetPromptResponse, UpstreamError> {
        if result
            .get("resultType")
            .is_some_and(|kind| kind == "input_required")
        {
            return self
                .typed::<InputRequiredResult>(result, context)
                .map(Into::into);
        }
        self.typed::<GetPromptResult>(prompt_result(result), context)
            .map(Into::into)
    }
}
