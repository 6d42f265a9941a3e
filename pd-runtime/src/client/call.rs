//! Tool calls: describes a tool before the call if its server requires that, and repeats a refused
//! call once.

use super::{
    Client,
    cache::CacheEntry,
    conversation::DescriptionStatus,
    error::ClientError,
    parse_descriptions,
    redact_rows::asks_for_body,
    refusal::DisclosureRefusal,
    route::{DescriptionRoute, result_json},
    server::{ConnectedServer, RequestStart},
    timeouts::TimeLimit,
    tool_list::ToolList,
    toolset::DESCRIBE,
};
use crate::{
    protocol::keys::{TICKET, UNDESCRIBED},
    text::token_estimate::estimate_tokens,
};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
};
use serde_json::{Value, json};
use std::time::Duration;

/// The largest number of descriptions that are taken from one search result.
const FOUND_MAX: usize = 50;

impl Client {
    /// Calls a tool by the name that the model sees.
    ///
    /// If the tool must be described first, the client uses the cached description or sends one
    /// more request. If the server still refuses the call, the client takes the description from
    /// the refusal or fetches it, and repeats the call once. If a described tool has changed since,
    /// the client does not call it: the result is then an error that contains the new description.
    ///
    /// The client itself answers `describe_tools {names}`.
    ///
    /// # Errors
    ///
    /// Returns an error if no such tool exists, if the call names rows that are not stored, if the
    /// server does not answer, or if the server answers with something other than a result
    /// ([`ClientError::Unfinished`]). An error that the tool itself reports is a result.
    pub async fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, ClientError> {
        self.call_result(name, arguments, None).await
    }

    /// Calls a tool as [`Client::call`] does, with a time limit for this call. Progress does not
    /// extend this limit; see [`ClientBuilder::call_timeout`](super::ClientBuilder::call_timeout).
    /// If the server refuses the call for lack of a description, the repeated call has the full
    /// limit again.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Client::call`].
    pub async fn call_within(
        &self,
        limit: Duration,
        name: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ClientError> {
        self.call_result(name, arguments, Some(TimeLimit::from_total(limit)))
            .await
    }

    async fn call_result(
        &self,
        name: &str,
        arguments: Value,
        limit: Option<TimeLimit>,
    ) -> Result<CallToolResult, ClientError> {
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = match arguments {
            Value::Object(arguments) => Some(arguments),
            Value::Null => None,
            _ => {
                return Err(ClientError::NotAnObject {
                    name: name.to_owned(),
                });
            }
        };
        match self.call_with_limit(params, limit).await? {
            CallToolResponse::Complete(result) => Ok(result),
            response => Err(ClientError::Unfinished {
                name: name.to_owned(),
                response: Box::new(response),
            }),
        }
    }

    /// Calls a tool with the caller's parameters, and returns any answer of the server: a result, a
    /// request for input or a task.
    ///
    /// # Errors
    ///
    /// Returns an error if no such tool exists, if the call names rows that are not stored, or if
    /// the server does not answer.
    pub async fn call_once(
        &self,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ClientError> {
        self.call_with_limit(params, None).await
    }

    /// Makes a call with its own limit, or with the client's limit if it has none. Rows are filled
    /// in before the call and taken out of the response.
    async fn call_with_limit(
        &self,
        mut params: CallToolRequestParams,
        limit: Option<TimeLimit>,
    ) -> Result<CallToolResponse, ClientError> {
        if params.name == DESCRIBE && self.discloses() {
            let names = requested_names(params.arguments.as_ref());
            return Ok(self.answer_describe(names).await?.into());
        }
        let borrowed = self.borrow_rows(&mut params)?;
        let wants_body = asks_for_body(params.arguments.as_ref());
        let response = self.send(ToolCall { params, limit }).await?;
        Ok(self.redact_response(borrowed, wants_body, response))
    }

    /// Sends a call with rows that are already filled in.
    async fn send(&self, mut call: ToolCall) -> Result<CallToolResponse, ClientError> {
        let name = std::mem::take(&mut call.params.name).into_owned();
        let (server_index, own) = self.resolve_or_refresh(&name).await?;
        let server = self
            .servers
            .get(server_index)
            .ok_or_else(|| self.unknown_tool(&name))?;
        let tool_list = server.current_list(&self.cache).await?;
        let mut ticket = None;
        if tool_list.features.must_describe(&own, tool_list.has(&own)) {
            let wanted = (server_index, own.clone());
            let entry = self
                .fetch_entries(std::iter::once(&wanted))
                .await?
                .remove(&wanted);
            // A listed tool exists even if no source describes it. The server then answers the
            // call, or refuses it with a reason.
            if entry.is_none() && !tool_list.has(&own) {
                return Err(self.unknown_tool(&name));
            }
            if let Some(entry) = entry {
                if self.record_description(server_index, server, &entry.description)
                    == DescriptionStatus::Changed
                {
                    return Ok(changed_result(&self.shown_name(server_index, &own), &entry).into());
                }
                ticket = entry.ticket;
            }
        }
        // Taken before the call: a description in the response is cached only if nothing changed
        // while the call was under way.
        let start = server.start_request(&self.cache);
        let response = call.send(&own, ticket, server, &tool_list).await?;
        let CallToolResponse::Complete(result) = &response else {
            return Ok(response);
        };
        match DisclosureRefusal::parse(&own, result) {
            Some(refusal) => {
                self.recover(server_index, &own, (refusal, start), call, response)
                    .await
            }
            None => {
                self.record_search_results(server_index, &tool_list, &own, result, start);
                Ok(response)
            }
        }
    }

    /// Resolves a name, and refreshes the lists once if it is unknown: the tool may be new on its
    /// server.
    async fn resolve_or_refresh(&self, name: &str) -> Result<(usize, String), ClientError> {
        if let Some(resolved) = self.resolve(name) {
            return Ok(resolved);
        }
        self.refresh().await?;
        self.resolve(name).ok_or_else(|| self.unknown_tool(name))
    }

    /// Repeats a refused call with the description or ticket from the refusal, or with a
    /// description that is fetched because of the refusal.
    async fn recover(
        &self,
        server_index: usize,
        own: &str,
        (refusal, start): (DisclosureRefusal, RequestStart),
        call: ToolCall,
        refused: CallToolResponse,
    ) -> Result<CallToolResponse, ClientError> {
        let Some(server) = self.servers.get(server_index) else {
            return Ok(refused);
        };
        let entry = match refusal {
            // With sessions, the refusal itself counts as the disclosure, so the call can be
            // repeated at once. Without sessions (`inline`), only a ticket proves the disclosure.
            DisclosureRefusal::Signed { ticket, .. }
                if !server.requests.inline || ticket.is_some() =>
            {
                server.renew_ticket(own, ticket.as_ref(), &self.cache);
                return self.retry(server, own, &call, ticket).await;
            }
            DisclosureRefusal::Described { fetched, .. }
                if !server.requests.inline || fetched.ticket.is_some() =>
            {
                Some(server.store(*fetched, start, &self.cache))
            }
            DisclosureRefusal::Described { uri, .. }
            | DisclosureRefusal::Signed { uri, .. }
            | DisclosureRefusal::Bare { uri } => {
                let hinted_route = uri.map(DescriptionRoute::Resource);
                server
                    .describe(vec![own.to_owned()], hinted_route.as_ref(), &self.cache)
                    .await?
                    .pop()
            }
        };
        let Some(entry) = entry else {
            return Ok(self.count_refusal(refused));
        };
        if self.record_description(server_index, server, &entry.description)
            == DescriptionStatus::Changed
        {
            return Ok(changed_result(&self.shown_name(server_index, own), &entry).into());
        }
        self.retry(server, own, &call, entry.ticket).await
    }

    async fn retry(
        &self,
        server: &ConnectedServer,
        own: &str,
        call: &ToolCall,
        ticket: Option<String>,
    ) -> Result<CallToolResponse, ClientError> {
        let again = call.send(own, ticket, server, &server.tool_list()).await?;
        match &again {
            // A second refusal goes to the model. Another attempt would only repeat it.
            CallToolResponse::Complete(result)
                if DisclosureRefusal::parse(own, result).is_some() =>
            {
                Ok(self.count_refusal(again))
            }
            _ => Ok(again),
        }
    }

    fn count_refusal(&self, refused: CallToolResponse) -> CallToolResponse {
        if let CallToolResponse::Complete(result) = &refused {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            self.state().tokens.refusals += texts
                .map(|block| estimate_tokens(&block.text))
                .sum::<usize>();
        }
        refused
    }

    /// Caches the tools that a search returned in full, and records them as described.
    fn record_search_results(
        &self,
        server_index: usize,
        tool_list: &ToolList,
        own: &str,
        result: &CallToolResult,
        start: RequestStart,
    ) {
        let Some(server) = self.servers.get(server_index) else {
            return;
        };
        // Results of other tools may look like descriptions. Only a search that serves as the route
        // is known to return real ones.
        if !tool_list
            .features
            .routes
            .contains(&DescriptionRoute::Search(own.to_owned()))
        {
            return;
        }
        for fetched in parse_descriptions::parse_all(result_json(result), FOUND_MAX) {
            if !tool_list.has(fetched.description.name()) {
                let entry = server.store(fetched, start, &self.cache);
                self.record_description(server_index, server, &entry.description);
            }
        }
    }

    /// Answers the model's own call of `describe_tools`.
    async fn answer_describe(&self, names: Vec<String>) -> Result<CallToolResult, ClientError> {
        if names.is_empty() {
            let text = format!(
                "name the tools to describe: {}",
                json!({ "names": ["TOOL_NAME"] })
            );
            return Ok(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        let described = self.describe(names).await?;
        let content = vec![ContentBlock::text(described.text())];
        Ok(if described.descriptions.is_empty() {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        })
    }

    fn unknown_tool(&self, name: &str) -> ClientError {
        let unknown = self.suggest_for(name);
        ClientError::UnknownTool {
            name: unknown.name,
            nearest: unknown.nearest,
        }
    }
}

/// A call that may be sent twice.
#[derive(Debug)]
struct ToolCall {
    params: CallToolRequestParams,
    /// The limit of this call. `None` means the client's limit.
    limit: Option<TimeLimit>,
}

impl ToolCall {
    async fn send(
        &self,
        own: &str,
        ticket: Option<String>,
        server: &ConnectedServer,
        tool_list: &ToolList,
    ) -> Result<CallToolResponse, ClientError> {
        let limit = self.limit.unwrap_or(server.requests.timeouts.call);
        server
            .requests
            .call(server_params(own, &self.params, ticket, tool_list), limit)
            .await
    }
}

/// Returns the names in a request for descriptions. Models send a single name as a string, too.
pub(super) fn requested_names(arguments: Option<&JsonObject>) -> Vec<String> {
    match arguments.and_then(|arguments| arguments.get("names")) {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    }
}

/// Builds the parameters that the server takes: the tool's own name, or the meta-tool that calls
/// unlisted tools, with the tool as its argument.
fn server_params(
    own: &str,
    params: &CallToolRequestParams,
    ticket: Option<String>,
    tool_list: &ToolList,
) -> CallToolRequestParams {
    let mut params = params.clone();
    params.name = own.to_owned().into();
    // Through any other route, the server discloses unlisted tools under their own names, and takes
    // calls by these names.
    let only_tools = tool_list.features.routes.iter().all(|route| {
        matches!(
            route,
            DescriptionRoute::Tool(_) | DescriptionRoute::Search(_)
        )
    });
    if let Some(call_tool) = tool_list
        .features
        .call_tool
        .as_ref()
        .filter(|_| only_tools && !tool_list.has(own))
    {
        let arguments = Value::Object(params.arguments.take().unwrap_or_default());
        let arguments = if call_tool.takes_text {
            Value::from(arguments.to_string())
        } else {
            arguments
        };
        let through = [
            (call_tool.argument.to_owned(), json!(own)),
            ("arguments".to_owned(), arguments),
        ];
        params.name = call_tool.name.clone().into();
        params.arguments = Some(JsonObject::from_iter(through));
    }
    if let Some(ticket) = ticket {
        // The ticket travels in `_meta`, where no argument schema can reject it.
        params
            .meta
            .get_or_insert_default()
            .insert(TICKET.to_owned(), Value::String(ticket));
    }
    params
}

/// Builds the refusal of a call to a tool that changed after the model read its description
/// (specification v2.1, section 6.2).
fn changed_result(name: &str, entry: &CacheEntry) -> CallToolResult {
    let refusal = json!({
        "error": {
            "code": UNDESCRIBED,
            "message": format!("Tool '{name}' changed since its description was read."),
            "next": "Read tool_description below, then call the tool again.",
        },
        "tool_description": entry.description.json_named(name),
    });
    CallToolResult::error(vec![ContentBlock::text(refusal.to_string())])
}
