//! A registry of a document's operations: tools in groups by tag.

use super::{OpenApi, OpenApiCallError, OpenApiCaller, OpenApiError, OpenApiOperation};
use crate::{
    registry::{Registry, builder::RegistryBuilder, group::Group, tool::Tool},
    search::subjects::{self, NamedTool, SubjectGroup},
    tool::{
        context::CallContext,
        error::{ErrorHelp, ToolError},
        lint::Lint,
        output::ToolResult,
    },
};
use futures::FutureExt;
use rmcp::model::{ContentBlock, JsonObject};
use serde_json::Value;
use std::{collections::HashSet, sync::Arc};

/// The code of a server that was not reached, or did not answer.
const UPSTREAM_FAILED: &str = "SERVER_FAILED";

impl<S: Send + Sync + 'static> Registry<S> {
    /// Creates a registry of the operations of an OpenAPI document.
    ///
    /// Each operation becomes a tool with a summary, a description, an input schema that all known
    /// model providers take, and what the document says about failures. Operations with one tag
    /// become a group. Calls go to the server of the document, or to
    /// [`OpenApi::server_url`](crate::openapi::OpenApi::server_url), and nowhere else. An operation
    /// is read-only by its method: GET, HEAD, OPTIONS and QUERY.
    ///
    /// Tools of other kinds are added with [`Registry::merge`].
    ///
    /// # Errors
    ///
    /// Returns an error if the URL of the server cannot be used, or would get credentials that are
    /// not meant for it.
    pub fn from_openapi(openapi: OpenApi) -> Result<Self, OpenApiError> {
        let caller = Arc::new(openapi.caller()?);
        let mut builder = Self::builder();
        if let Some(title) = openapi.title() {
            builder = builder.name(title.to_owned());
        }
        if let Some(version) = openapi.version() {
            builder = builder.version(version.to_owned());
        }
        let named: Vec<_> = openapi.operations().map(named).collect();
        let labels: Vec<_> = openapi.operations().map(OpenApiOperation::tag).collect();
        let groups = subjects::labeled_groups(&named, &labels);
        let operations = openapi.shared_operations();
        let mut tools: Vec<Option<Tool<S>>> = operations
            .iter()
            .map(|operation| Some(tool(operation, &caller)))
            .collect();
        let mut division = Division {
            named: &named,
            tools: &mut tools,
            names: HashSet::new(),
        };
        let groups: Vec<_> = groups.iter().map(|made| division.group("", made)).collect();
        builder = groups.into_iter().fold(builder, RegistryBuilder::group);
        // The rest has no tag, and no group by its name.
        Ok(builder.tools(tools.into_iter().flatten()).build()?)
    }
}

fn named(operation: &OpenApiOperation) -> NamedTool<'_> {
    NamedTool {
        name: operation.name(),
        summary: operation.summary(),
    }
}

/// Tools on their way into groups.
struct Division<'a, S> {
    named: &'a [NamedTool<'a>],
    tools: &'a mut [Option<Tool<S>>],
    names: HashSet<String>,
}

impl<S> Division<'_, S> {
    fn group(&mut self, prefix: &str, made: &SubjectGroup) -> Group<S> {
        let name = self.unused(&format!("{prefix}{}", made.name));
        let all = made.all_tools();
        let named: Vec<_> = all
            .iter()
            .filter_map(|place| self.named.get(*place).copied())
            .collect();
        let line = subjects::line(&named).unwrap_or_default();
        let group = Group::new(name.clone(), line).made_summary();
        let own = made.tools.iter();
        let tools = own.filter_map(|place| self.tools.get_mut(*place)?.take());
        let group = tools.fold(group, Group::tool);
        let prefix = format!("{name}-");
        made.groups.iter().fold(group, |group, below| {
            group.group(self.group(&prefix, below))
        })
    }

    fn unused(&mut self, name: &str) -> String {
        // A number behind it must fit, too.
        let name = crate::text::truncate::first_chars(name, 56);
        let name = name.trim_end_matches('-');
        let mut candidate = name.to_owned();
        let mut number = 2_u32;
        while !self.names.insert(candidate.clone()) {
            candidate = format!("{name}-{number}");
            number += 1;
        }
        candidate
    }
}

fn tool<S: Send + Sync + 'static>(
    operation: &Arc<OpenApiOperation>,
    caller: &Arc<OpenApiCaller>,
) -> Tool<S> {
    let target = (operation.clone(), caller.clone());
    let mut tool = Tool::new(
        operation.name().to_owned(),
        operation.summary().to_owned(),
        move |_: &S, _: &CallContext, arguments: JsonObject| {
            let (operation, caller) = target.clone();
            async move { result(&caller, &operation, &arguments).await }.boxed()
        },
    )
    .description(operation.description().to_owned())
    .input_schema(Value::Object(operation.input().clone()))
    .with_annotations(operation.annotations())
    .origin(format!("{} {}", operation.method(), operation.path()))
    // Documents have few examples of calls, and nobody here can add one.
    .allow(Lint::NoUsage);
    tool.about.input.leave_formats_to_server();
    if let Some(output) = operation.output() {
        tool = tool.output_schema(Value::Object(output.clone()));
    }
    if let Some(example) = operation.example() {
        tool = tool.example("From the API's document:", example.clone());
    }
    for (status, meaning) in operation.answers() {
        tool = tool.error(ErrorHelp::new(code(status), meaning.clone(), ""));
    }
    tool
}

/// Returns the code of a failed call, such as `HTTP_404`.
fn code(status: &str) -> String {
    let status: String = status.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("HTTP_{}", status.to_ascii_uppercase())
}

async fn result(
    caller: &OpenApiCaller,
    operation: &OpenApiOperation,
    arguments: &JsonObject,
) -> ToolResult {
    match caller.call(operation, arguments).await {
        Ok(result) if result.is_error == Some(true) => Err(failed(&result.content)),
        Ok(result) => Ok(result.into()),
        Err(OpenApiCallError::Arguments(error)) => Err(error),
        Err(OpenApiCallError::Failure(failure)) => {
            let code = match failure {
                super::OpenApiFailure::TooLarge { .. } => ToolError::TOO_LARGE,
                _ => UPSTREAM_FAILED,
            };
            Err(ToolError::new(code, failure.to_string()))
        }
    }
}

/// Returns the failure of an answer with an error status.
fn failed(content: &[ContentBlock]) -> ToolError {
    let text = content.iter().find_map(|block| block.as_text());
    let text = text.map(|text| text.text.as_str()).unwrap_or_default();
    let status = text
        .strip_prefix("HTTP ")
        .and_then(|rest| rest.get(..3))
        .unwrap_or("ERROR");
    ToolError::new(code(status), text.to_owned())
}
