//! Calling tools: described first where they must be, mended once where they are refused.

use super::{
    Client,
    cache::Entry,
    conversation::Note,
    error::ClientError,
    parse_descriptions,
    redact_rows::asks_for_body,
    refusal::Refusal,
    route::{Route, told},
    server::{Asked, Server},
    timeouts::TimeLimit,
    tool_list::Listed,
    toolset::DESCRIBE,
};
use crate::{
    protocol::keys::{TICKET, UNDESCRIBED},
    text::token_estimate::estimate_tokens,
};

use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};
use std::time::Duration;

/// How many tools are taken from what one search told.
const FOUND_MAX: usize = 50;

impl Client {
    /// Calls a tool by the name that the model knows it by.
    ///
    /// A tool that must be described first is described, by what is cached or by one more request. Where the server still
    /// refuses, the description is taken from the refusal or fetched, and the call is made once more. A tool that was described
    /// and has changed since is not called: the result then is an error that carries the new description.
    ///
    /// `describe_tools {names}` is answered by this client.
    ///
    /// # Errors
    ///
    /// There is no such tool, the call names rows that are not kept, the server does not answer, or answers with something else
    /// than a result ([`ClientError::Unfinished`]). What the tool reports of itself is a result.
    pub async fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, ClientError> {
        self.call_result(name, arguments, None).await
    }

    /// The same with a time limit of its own, which progress does not extend; see
    /// [`ClientBuilder::call_timeout`](super::ClientBuilder::call_timeout). Where the server refuses the call for want of a
    /// description, the second call has the limit again.
    ///
    /// # Errors
    ///
    /// As [`Client::call`].
    pub async fn call_within(
        &self,
        limit: Duration,
        name: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ClientError> {
        self.call_result(name, arguments, Some(TimeLimit::from_total(limit))).await
    }

    async fn call_result(
        &self,
        name: &str,
        arguments: Value,
        limit: Option<TimeLimit>,
    ) -> Result<CallToolResult, ClientError> {
        let not_an_object = || ClientError::NotAnObject { name: name.to_owned() };
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = match arguments {
            Value::Object(arguments) => Some(arguments),
            Value::Null => None,
            _ => return Err(not_an_object()),
        };
        match self.call_limited(params, limit).await? {
            CallToolResponse::Complete(result) => Ok(result),
            response => Err(ClientError::Unfinished { name: name.to_owned(), response: Box::new(response) }),
        }
    }

    /// The same with parameters of your own, and with whatever the server answers: a result, a request for input, a task.
    ///
    /// # Errors
    ///
    /// There is no such tool, the call names rows that are not kept, or the server does not answer.
    pub async fn call_once(&self, params: CallToolRequestParams) -> Result<CallToolResponse, ClientError> {
        self.call_limited(params, None).await
    }

    /// A call with a limit, or with its server's.
    async fn call_limited(
        &self,
        mut params: CallToolRequestParams,
        limit: Option<TimeLimit>,
    ) -> Result<CallToolResponse, ClientError> {
        if params.name == DESCRIBE && self.discloses() {
            let names = asked(params.arguments.as_ref());
            return Ok(self.described(names).await?.into());
        }
        let (lent, asks) = (self.lend(&mut params)?, asks_for_body(params.arguments.as_ref()));
        let response = self.send(ToolCall { params, limit }).await?;
        Ok(self.received(lent, asks, response))
    }

    /// A call whose rows are in it.
    async fn send(&self, mut call: ToolCall) -> Result<CallToolResponse, ClientError> {
        let name = std::mem::take(&mut call.params.name).into_owned();
        let (place, own) = self.found(&name).await?;
        let server = self.servers.get(place).ok_or_else(|| self.unknown_tool(&name))?;
        let listed = server.refreshed(&self.cache).await?;
        let mut ticket = None;
        if listed.offer.must_describe(&own, listed.has(&own)) {
            let wanted = (place, own.clone());
            let entry = self.entries(std::iter::once(&wanted)).await?.remove(&wanted);
            // What is listed is there, though nothing describes it: its server knows what to say.
            if entry.is_none() && !listed.has(&own) {
                return Err(self.unknown_tool(&name));
            }
            if let Some(entry) = entry {
                if self.note(place, server, &entry.description) == Note::Changed {
                    return Ok(changed(&self.shown_name(place, &own), &entry).into());
                }
                ticket = entry.ticket;
            }
        }
        let asked = server.asks(&self.cache);
        let response = call.send(&own, ticket, server, &listed).await?;
        let CallToolResponse::Complete(result) = &response else { return Ok(response) };
        match Refusal::read(&own, result) {
            Some(refusal) => self.mend(place, &own, (refusal, asked), call, response).await,
            None => {
                self.harvest(place, &listed, &own, result, asked);
                Ok(response)
            }
        }
    }

    /// Which tool a name means; it may be one that a server has only since its list changed.
    async fn found(&self, name: &str) -> Result<(usize, String), ClientError> {
        if let Some(found) = self.resolve(name) {
            return Ok(found);
        }
        self.refresh().await?;
        self.resolve(name).ok_or_else(|| self.unknown_tool(name))
    }

    /// Calls again with the description that a refusal gave, or that it made us fetch.
    async fn mend(
        &self,
        place: usize,
        own: &str,
        (refusal, asked): (Refusal, Asked),
        call: ToolCall,
        refused: CallToolResponse,
    ) -> Result<CallToolResponse, ClientError> {
        let Some(server) = self.servers.get(place) else { return Ok(refused) };
        let entry = match refusal {
            Refusal::Signed { ticket, .. } if !server.wire.inline || ticket.is_some() => {
                server.renew(own, ticket.as_ref(), &self.cache);
                return self.again(server, own, &call, ticket).await;
            }
            Refusal::Described { given, .. } if !server.wire.inline || given.ticket.is_some() => {
                Some(server.keep(*given, asked, &self.cache))
            }
            Refusal::Described { uri, .. } | Refusal::Signed { uri, .. } | Refusal::Bare { uri } => {
                let told = uri.map(Route::Resource);
                server.describe(vec![own.to_owned()], told.as_ref(), &self.cache).await?.pop()
            }
        };
        let Some(entry) = entry else { return Ok(self.unmended(refused)) };
        if self.note(place, server, &entry.description) == Note::Changed {
            return Ok(changed(&self.shown_name(place, own), &entry).into());
        }
        self.again(server, own, &call, entry.ticket).await
    }

    async fn again(
        &self,
        server: &Server,
        own: &str,
        call: &ToolCall,
        ticket: Option<String>,
    ) -> Result<CallToolResponse, ClientError> {
        let again = call.send(own, ticket, server, &server.listed()).await?;
        match &again {
            CallToolResponse::Complete(result) if Refusal::read(own, result).is_some() => Ok(self.unmended(again)),
            _ => Ok(again),
        }
    }

    fn unmended(&self, refused: CallToolResponse) -> CallToolResponse {
        if let CallToolResponse::Complete(result) = &refused {
            let texts = result.content.iter().filter_map(|block| block.as_text());
            self.state().tokens.refusals += texts.map(|block| estimate_tokens(&block.text)).sum::<usize>();
        }
        refused
    }

    /// What a search told in full is described.
    fn harvest(&self, place: usize, listed: &Listed, own: &str, result: &CallToolResult, asked: Asked) {
        let Some(server) = self.servers.get(place) else { return };
        if !listed.offer.routes.contains(&Route::Search(own.to_owned())) {
            return;
        }
        for given in parse_descriptions::all(told(result), FOUND_MAX) {
            if !listed.has(given.description.name()) {
                let entry = server.keep(given, asked, &self.cache);
                self.note(place, server, &entry.description);
            }
        }
    }

    /// Answers the model's own request for descriptions.
    async fn described(&self, names: Vec<String>) -> Result<CallToolResult, ClientError> {
        if names.is_empty() {
            let text = format!("name the tools to describe: {}", json!({ "names": ["TOOL_NAME"] }));
            return Ok(CallToolResult::error(vec![ContentBlock::text(text)]));
        }
        let described = self.describe(names).await?;
        let content = vec![ContentBlock::text(described.text())];
        Ok(if described.given.is_empty() { CallToolResult::error(content) } else { CallToolResult::success(content) })
    }

    fn unknown_tool(&self, name: &str) -> ClientError {
        let unknown = self.unknown(name);
        ClientError::UnknownTool { name: unknown.name, nearest: unknown.nearest }
    }
}

/// A call that may be made twice.
#[derive(Debug)]
struct ToolCall {
    params: CallToolRequestParams,
    /// Its own limit; otherwise that of the client.
    limit: Option<TimeLimit>,
}

impl ToolCall {
    async fn send(
        &self,
        own: &str,
        ticket: Option<String>,
        server: &Server,
        listed: &Listed,
    ) -> Result<CallToolResponse, ClientError> {
        let limit = self.limit.unwrap_or(server.wire.timeouts.call);
        server.wire.call(outgoing(own, &self.params, ticket, listed), limit).await
    }
}

/// The names in a request for descriptions; one may stand alone.
pub(super) fn asked(arguments: Option<&JsonObject>) -> Vec<String> {
    match arguments.and_then(|arguments| arguments.get("names")) {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(name)) => vec![name.clone()],
        _ => Vec::new(),
    }
}

/// The call as its server takes it: by its own name, or through the tool that calls what is not listed.
fn outgoing(
    own: &str,
    params: &CallToolRequestParams,
    ticket: Option<String>,
    listed: &Listed,
) -> CallToolRequestParams {
    let mut params = params.clone();
    params.name = own.to_owned().into();
    let only_tools = listed.offer.routes.iter().all(|route| matches!(route, Route::Tool(_) | Route::Search(_)));
    if let Some(calling) = listed.offer.calling.as_ref().filter(|_| only_tools && !listed.has(own)) {
        let arguments = params.arguments.take().unwrap_or_default();
        let through = [(calling.argument.to_owned(), json!(own)), ("arguments".to_owned(), Value::Object(arguments))];
        params.name = calling.name.clone().into();
        params.arguments = Some(JsonObject::from_iter(through));
    }
    if let Some(ticket) = ticket {
        params.meta.get_or_insert_default().insert(TICKET.to_owned(), Value::String(ticket));
    }
    params
}

/// The refusal of a call whose description is not the one that was shown (specification v2.1, section 6.2).
fn changed(name: &str, entry: &Entry) -> CallToolResult {
    let told = json!({
        "error": {
            "code": UNDESCRIBED,
            "message": format!("Tool '{name}' changed since its description was read."),
            "next": "Read tool_description below, then call the tool again.",
        },
        "tool_description": entry.description.named(name),
    });
    CallToolResult::error(vec![ContentBlock::text(told.to_string())])
}
