//! Routes to descriptions: the request that each one sends, and the parsing of its answer.

use super::{
    description::FetchedDescription, error::ClientError, parse_descriptions::parse_named,
    refusal::ticket_from_meta, request::RequestSender,
};
use crate::{protocol::keys::UNSELECTED, text::leading_json::leading_json};

use rmcp::{
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ErrorCode, JsonObject, MetaObject,
    },
    service::ServiceError,
};
use serde_json::{Value, json};

/// A meta-tool and the argument that names its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MetaTool {
    pub(super) name: String,
    pub(super) argument: &'static str,
    pub(super) takes_many: bool,
    /// Whether the arguments of the called tool are declared as a text that contains JSON.
    pub(super) takes_text: bool,
}

/// The protocol by which descriptions are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DescriptionRoute {
    /// `disclosure/describe {names}`: this crate's extension.
    Extension,
    /// The resource of specification v2.1, at its URI.
    Resource(String),
    /// `tools/describe {names}` (SEP-2636).
    Manifest,
    /// `tools/describe {name}` (Delta-MCP).
    Delta,
    /// A tool that describes tools.
    Tool(MetaTool),
    /// A tool that searches tools and returns their full descriptions.
    Search(String),
}

/// The outcome of a request for descriptions.
#[derive(Debug)]
pub(super) enum RouteOutcome {
    /// Descriptions in any order. Names without one are unknown.
    Descriptions(Vec<FetchedDescription>),
    /// The request had too many names, or one of its names made the server reject all of them.
    TooMany,
    /// The server does not support this route after all.
    NoRoute,
}

impl DescriptionRoute {
    /// Returns the largest number of names in one request: as many as servers accept by default.
    pub(super) fn batch_max(&self) -> usize {
        match self {
            Self::Delta | Self::Search(_) => 1,
            Self::Tool(tool) if !tool.takes_many => 1,
            _ => 50,
        }
    }

    /// Requests descriptions.
    ///
    /// # Errors
    ///
    /// Returns an error if the request failed, or if the server's error is about neither the route
    /// nor the names.
    pub(super) async fn fetch(
        &self,
        names: &[String],
        requests: &RequestSender,
    ) -> Result<RouteOutcome, ClientError> {
        let response = match self {
            Self::Extension => {
                requests
                    .send_custom("disclosure/describe", json!({ "names": names }))
                    .await
            }
            Self::Manifest => {
                requests
                    .send_custom("tools/describe", json!({ "names": names }))
                    .await
            }
            Self::Delta => {
                requests
                    .send_custom("tools/describe", json!({ "name": names.first() }))
                    .await
            }
            Self::Resource(uri) => return by_resource(uri, names, requests).await,
            Self::Tool(tool) => return by_tool(tool, names, requests).await,
            Self::Search(tool) => return by_search(tool, names, requests).await,
        };
        match response {
            Ok(result) => Ok(RouteOutcome::Descriptions(by_method(result, names))),
            Err(error) => outcome_of_error(error, names.len()),
        }
    }
}

/// Interprets an error as a fact about the route or the requested names.
///
/// # Errors
///
/// Returns the error itself if it is about neither.
fn outcome_of_error(error: ClientError, requested: usize) -> Result<RouteOutcome, ClientError> {
    let ClientError::Service(ServiceError::McpError(error_data)) = &error else {
        return Err(error);
    };
    match error_data.code {
        ErrorCode::METHOD_NOT_FOUND | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => {
            Ok(RouteOutcome::NoRoute)
        }
        // One unknown name may fail the whole request. The caller then halves it to isolate that
        // name.
        ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND if requested > 1 => {
            Ok(RouteOutcome::TooMany)
        }
        ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND => {
            Ok(RouteOutcome::Descriptions(Vec::new()))
        }
        _ => Err(error),
    }
}

fn by_method(mut result: Value, names: &[String]) -> Vec<FetchedDescription> {
    let meta = result.get_mut("_meta").map(Value::take);
    let meta: Option<MetaObject> = meta.and_then(|meta| serde_json::from_value(meta).ok());
    with_tickets(parse_named(result, names), meta.as_ref())
}

async fn by_resource(
    uri: &str,
    names: &[String],
    requests: &RequestSender,
) -> Result<RouteOutcome, ClientError> {
    let query: String = names
        .iter()
        .map(|name| encode_name(name))
        .collect::<Vec<_>>()
        .join(",");
    // A server may list the resource with its own query.
    let between = if uri.contains('?') { '&' } else { '?' };
    let (text, meta) = match requests
        .read_resource(format!("{uri}{between}tools={query}"))
        .await
    {
        Ok(read) => read,
        Err(error) => return outcome_of_error(error, names.len()),
    };
    let body = serde_json::from_str(&text)
        .map_err(|error| ClientError::unreadable("tool_descriptions", error))?;
    outcome_of_error_body(&body, names.len())?.map_or_else(
        || {
            Ok(RouteOutcome::Descriptions(with_tickets(
                parse_named(body, names),
                meta.as_ref(),
            )))
        },
        Ok,
    )
}

async fn by_tool(
    tool: &MetaTool,
    names: &[String],
    requests: &RequestSender,
) -> Result<RouteOutcome, ClientError> {
    let value = if tool.takes_many {
        json!(names)
    } else {
        json!(names.first())
    };
    let arguments = JsonObject::from_iter([(tool.argument.to_owned(), value)]);
    let result = call(&tool.name, arguments, requests).await?;
    let body = result_json(&result);
    match outcome_of_error_body(&body, names.len())? {
        Some(answer) => Ok(answer),
        None => Ok(RouteOutcome::Descriptions(with_tickets(
            parse_named(body, names),
            result.meta.as_ref(),
        ))),
    }
}

/// Searches for the name. Other tools in the search result are ignored.
async fn by_search(
    tool: &str,
    names: &[String],
    requests: &RequestSender,
) -> Result<RouteOutcome, ClientError> {
    let arguments = JsonObject::from_iter([("query".to_owned(), json!(names.first()))]);
    let result = call(tool, arguments, requests).await?;
    Ok(RouteOutcome::Descriptions(with_tickets(
        parse_named(result_json(&result), names),
        result.meta.as_ref(),
    )))
}

async fn call(
    tool: &str,
    arguments: JsonObject,
    requests: &RequestSender,
) -> Result<CallToolResult, ClientError> {
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    // The limit of other requests, because this call is not the model's.
    match requests.call(params, requests.timeouts.request).await? {
        CallToolResponse::Complete(result) => Ok(result),
        response => Err(ClientError::Unfinished {
            name: tool.to_owned(),
            response: Box::new(response),
        }),
    }
}

/// Returns the JSON of a result: its structured content, or its texts.
pub(super) fn result_json(result: &CallToolResult) -> Value {
    if let Some(structured) = &result.structured_content {
        return structured.clone();
    }
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let mut values: Vec<Value> = texts
        .filter_map(|block| Some(leading_json(&block.text)?.0))
        .collect();
    if values.len() == 1 {
        values.remove(0)
    } else {
        Value::Array(values)
    }
}

/// Returns the outcome if the whole answer is an error object.
///
/// # Errors
///
/// Returns an error if a smaller request would not help.
fn outcome_of_error_body(
    body: &Value,
    requested: usize,
) -> Result<Option<RouteOutcome>, ClientError> {
    let Some(error) = body
        .get("error")
        .filter(|error| error.get("code").is_some_and(Value::is_string))
    else {
        return Ok(None);
    };
    match error.get("code").and_then(Value::as_str) {
        Some("TOO_MANY_TOOLS") if requested > 1 => Ok(Some(RouteOutcome::TooMany)),
        Some(UNSELECTED) => Ok(Some(RouteOutcome::Descriptions(Vec::new()))),
        _ => Err(ClientError::unreadable("a request for descriptions", error)),
    }
}

fn with_tickets(
    mut descriptions: Vec<FetchedDescription>,
    meta: Option<&MetaObject>,
) -> Vec<FetchedDescription> {
    for one in &mut descriptions {
        one.ticket = ticket_from_meta(meta, one.description.name()).or(one.ticket.take());
    }
    descriptions
}

/// Encodes a name for a query. Few of the characters that MCP allows in names need it.
fn encode_name(name: &str) -> String {
    // `byte_serialize` writes a space as `+`, which is right for forms but not for URIs.
    form_urlencoded::byte_serialize(name.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}
