//! Groups of tools (draft extension `io.modelcontextprotocol/groups`), for clients with a handler
//! that declares the extension. Tools in a group are in no list. The server returns them in full
//! with their group.

use super::{
    description::FetchedDescription, error::ClientError, parse_descriptions::parse_all,
    refusal::ticket_from_meta, request::RequestSender,
};
use crate::protocol::extensions::GROUPS;

use parking_lot::{Mutex, MutexGuard};
use rmcp::{
    ServiceError,
    model::{ClientCapabilities, ErrorCode, MetaObject, ServerCapabilities},
};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};

/// The largest number of pages that are read of a list, so that a list with endless cursors is
/// bounded.
const PAGES_MAX: usize = 20;
/// The largest number of groups that are listed, and that are remembered as opened.
const GROUPS_MAX: usize = 200;
/// The largest number of groups that are opened for one request, including nested groups.
const OPENED_MAX: usize = 20;
/// The largest number of tools that are taken from one group.
const TOOLS_MAX: usize = 500;

/// A top-level group, as the system prompt shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToolGroup {
    pub(super) name: String,
    pub(super) about: String,
}

/// The tools of the groups that were opened, so that each group is opened once per list.
#[derive(Debug, Default)]
pub(super) struct OpenedGroups(Mutex<HashMap<String, Vec<String>>>);

impl OpenedGroups {
    /// Returns the names of the tools of an opened group.
    pub(super) fn tools(&self, group: &str) -> Option<Vec<String>> {
        self.lock().get(group).cloned()
    }

    pub(super) fn insert(&self, group: &str, tools: Vec<String>) {
        let mut opened = self.lock();
        // An empty group may be unknown for now, so it is looked up again next time.
        if !tools.is_empty() && opened.len() < GROUPS_MAX {
            opened.insert(group.to_owned(), tools);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.0.lock()
    }
}

/// Fetches the top-level groups. Returns none unless both the server and the client declare the
/// extension.
pub(super) async fn fetch_groups(
    requests: &RequestSender,
    server: &ServerCapabilities,
    declared: &ClientCapabilities,
) -> Result<Vec<ToolGroup>, ClientError> {
    let both = [&server.extensions, &declared.extensions];
    if !both
        .into_iter()
        .flatten()
        .filter(|known| known.contains_key(GROUPS))
        .count()
        .eq(&2)
    {
        return Ok(Vec::new());
    }
    let mut groups = Vec::new();
    let mut params = json!({});
    for _ in 0..PAGES_MAX {
        let page = match requests.send_custom("groups/list", params).await {
            Ok(page) => page,
            // A server that declares groups but cannot list them has none. Its tools still work.
            Err(ClientError::Service(ServiceError::McpError(_))) => break,
            Err(error) => return Err(error),
        };
        let entries = page
            .get("groups")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        groups.extend(entries.filter_map(parse_group));
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) if groups.len() < GROUPS_MAX => params = json!({ "cursor": cursor }),
            _ => break,
        }
    }
    groups.truncate(GROUPS_MAX);
    Ok(groups)
}

fn parse_group(json: &Value) -> Option<ToolGroup> {
    let text = |key: &str| {
        json.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Some(ToolGroup {
        name: json.get("name")?.as_str()?.to_owned(),
        about: text("description"),
    })
}

/// Fetches the tools of a group and of its nested groups. Returns none if no such group exists.
pub(super) async fn fetch_tools(
    name: &str,
    requests: &RequestSender,
) -> Result<Vec<FetchedDescription>, ClientError> {
    // Breadth first, so that the limit cuts off the deepest groups. It also ends groups that
    // contain themselves.
    let mut pending = VecDeque::from([name.to_owned()]);
    let mut descriptions = Vec::new();
    for _ in 0..OPENED_MAX {
        let Some(name) = pending.pop_front() else {
            break;
        };
        let mut result = match requests
            .send_custom("groups/get", json!({ "name": name }))
            .await
        {
            Ok(result) => result,
            Err(ClientError::Service(ServiceError::McpError(error))) if is_unknown(error.code) => {
                // A nested group may have gone since its parent was read. The others still exist.
                continue;
            }
            Err(error) => return Err(error),
        };
        let meta = result
            .get_mut("_meta")
            .map(Value::take)
            .and_then(|meta| serde_json::from_value(meta).ok());
        let meta: Option<MetaObject> = meta;
        let inside = result
            .pointer("/contents/groups")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        pending.extend(inside.filter_map(|group| Some(group.get("name")?.as_str()?.to_owned())));
        let tools = result
            .pointer_mut("/contents/tools")
            .map(Value::take)
            .unwrap_or_default();
        descriptions.extend(parse_all(tools, TOOLS_MAX).into_iter().map(|mut one| {
            // Servers send tickets in `_meta`, or as arguments in the schemas. `_meta` takes
            // precedence.
            one.ticket = ticket_from_meta(meta.as_ref(), one.description.name()).or(one.ticket);
            one
        }));
    }
    Ok(descriptions)
}

/// Returns whether the code means that the group does not exist. The draft specifies -32002; SDKs
/// of protocol version 2026-07-28 send -32602.
fn is_unknown(code: ErrorCode) -> bool {
    [
        ErrorCode::RESOURCE_NOT_FOUND,
        ErrorCode::INVALID_PARAMS,
        ErrorCode::METHOD_NOT_FOUND,
    ]
    .contains(&code)
}
