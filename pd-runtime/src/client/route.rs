//! Routes to descriptions: what is asked by each, and how its answer is read.

use super::{description::Given, error::ClientError, parse_descriptions::found, refusal::ticket, request::Wire};
use crate::protocol::keys::UNSELECTED;

use rmcp::{
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ErrorCode, JsonObject, MetaObject},
    service::ServiceError,
};
use serde_json::{Value, json};

/// A tool about tools, and the argument that names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MetaTool {
    pub(super) name: String,
    pub(super) argument: &'static str,
    pub(super) takes_many: bool,
}

/// By which wire descriptions are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Route {
    /// `disclosure/describe {names}`: our own extension.
    Extension,
    /// The resource of specification v2.1, at its URI.
    Resource(String),
    /// `tools/describe {names}` (SEP-2636).
    Manifest,
    /// `tools/describe {name}` (Delta-MCP).
    Delta,
    /// A tool that describes tools.
    Tool(MetaTool),
    /// A tool that finds tools, and tells all of those that it found.
    Search(String),
}

/// What a route gave for the names it was asked for.
#[derive(Debug)]
pub(super) enum Answer {
    /// In any order; what is missing is unknown.
    Given(Vec<Given>),
    /// They were too many at once, or one of them spoilt the rest.
    TooMany,
    /// The server does not know this route after all.
    NoRoute,
}

impl Route {
    /// The most names asked for at once: as many as servers take by default.
    pub(super) fn at_once(&self) -> usize {
        match self {
            Self::Delta | Self::Search(_) => 1,
            Self::Tool(tool) if !tool.takes_many => 1,
            _ => 50,
        }
    }

    /// Asks for descriptions.
    ///
    /// # Errors
    ///
    /// The request failed, or was answered with an error that is no matter of names.
    pub(super) async fn ask(&self, names: &[String], wire: &Wire) -> Result<Answer, ClientError> {
        let answered = match self {
            Self::Extension => wire.custom("disclosure/describe", json!({ "names": names })).await,
            Self::Manifest => wire.custom("tools/describe", json!({ "names": names })).await,
            Self::Delta => wire.custom("tools/describe", json!({ "name": names.first() })).await,
            Self::Resource(uri) => return by_resource(uri, names, wire).await,
            Self::Tool(tool) => return by_tool(tool, names, wire).await,
            Self::Search(tool) => return by_search(tool, names, wire).await,
        };
        match answered {
            Ok(result) => Ok(Answer::Given(by_method(result, names))),
            Err(error) => failed(error, names.len()),
        }
    }
}

/// What an error says of the route, or of the names that were asked for.
///
/// # Errors
///
/// It says nothing of either.
fn failed(error: ClientError, asked: usize) -> Result<Answer, ClientError> {
    let ClientError::Service(ServiceError::McpError(told)) = &error else { return Err(error) };
    match told.code {
        ErrorCode::METHOD_NOT_FOUND | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => Ok(Answer::NoRoute),
        ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND if asked > 1 => Ok(Answer::TooMany),
        ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND => Ok(Answer::Given(Vec::new())),
        _ => Err(error),
    }
}

fn by_method(mut result: Value, names: &[String]) -> Vec<Given> {
    let meta = result.get_mut("_meta").map(Value::take);
    let meta: Option<MetaObject> = meta.and_then(|meta| serde_json::from_value(meta).ok());
    with_tickets(found(result, names), meta.as_ref())
}

async fn by_resource(uri: &str, names: &[String], wire: &Wire) -> Result<Answer, ClientError> {
    let query: String = names.iter().map(|name| encoded(name)).collect::<Vec<_>>().join(",");
    let between = if uri.contains('?') { '&' } else { '?' };
    let (text, meta) = match wire.read(format!("{uri}{between}tools={query}")).await {
        Ok(read) => read,
        Err(error) => return failed(error, names.len()),
    };
    let told = serde_json::from_str(&text).map_err(|error| ClientError::unreadable("tool_descriptions", error))?;
    refused(&told, names.len())?.map_or_else(|| Ok(Answer::Given(with_tickets(found(told, names), meta.as_ref()))), Ok)
}

async fn by_tool(tool: &MetaTool, names: &[String], wire: &Wire) -> Result<Answer, ClientError> {
    let asked = if tool.takes_many { json!(names) } else { json!(names.first()) };
    let arguments = JsonObject::from_iter([(tool.argument.to_owned(), asked)]);
    let result = call(&tool.name, arguments, wire).await?;
    let told = told(&result);
    match refused(&told, names.len())? {
        Some(answer) => Ok(answer),
        None => Ok(Answer::Given(with_tickets(found(told, names), result.meta.as_ref()))),
    }
}

/// The name is the query, and what was found beside it is of no use here.
async fn by_search(tool: &str, names: &[String], wire: &Wire) -> Result<Answer, ClientError> {
    let arguments = JsonObject::from_iter([("query".to_owned(), json!(names.first()))]);
    let result = call(tool, arguments, wire).await?;
    Ok(Answer::Given(with_tickets(found(told(&result), names), result.meta.as_ref())))
}

async fn call(tool: &str, arguments: JsonObject, wire: &Wire) -> Result<CallToolResult, ClientError> {
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    match wire.call(params, wire.timeouts.request).await? {
        CallToolResponse::Complete(result) => Ok(result),
        response => Err(ClientError::Unfinished { name: tool.to_owned(), response: Box::new(response) }),
    }
}

/// The JSON of a result: its structured content, or its texts.
pub(super) fn told(result: &CallToolResult) -> Value {
    if let Some(structured) = &result.structured_content {
        return structured.clone();
    }
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let mut told: Vec<Value> = texts.filter_map(|block| serde_json::from_str(&block.text).ok()).collect();
    if told.len() == 1 { told.remove(0) } else { Value::Array(told) }
}

/// Whether an answer is an error as a whole.
///
/// # Errors
///
/// It is, and asking for less would not help.
fn refused(told: &Value, asked: usize) -> Result<Option<Answer>, ClientError> {
    let Some(error) = told.get("error").filter(|error| error.get("code").is_some_and(Value::is_string)) else {
        return Ok(None);
    };
    match error.get("code").and_then(Value::as_str) {
        Some("TOO_MANY_TOOLS") if asked > 1 => Ok(Some(Answer::TooMany)),
        Some(UNSELECTED) => Ok(Some(Answer::Given(Vec::new()))),
        _ => Err(ClientError::unreadable("a request for descriptions", error)),
    }
}

fn with_tickets(mut given: Vec<Given>, meta: Option<&MetaObject>) -> Vec<Given> {
    for one in &mut given {
        one.ticket = ticket(meta, one.description.name()).or(one.ticket.take());
    }
    given
}

/// A name as it stands in a query: what MCP allows in names needs no escape but for few.
fn encoded(name: &str) -> String {
    form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}
