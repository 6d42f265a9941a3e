//! Groups of tools (draft extension `io.modelcontextprotocol/groups`), for clients whose own handler declares them: what
//! stands in a group is in no list, and comes with its group, in full.

use super::{description::Given, error::ClientError, parse_descriptions::parse_all, refusal::ticket, request::Wire};
use crate::protocol::extensions::GROUPS;

use rmcp::{
    ServiceError,
    model::{ClientCapabilities, ErrorCode, MetaObject, ServerCapabilities},
};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How many pages of the list are read, so that one without an end has one.
const PAGES_MAX: usize = 20;
/// How many groups are listed.
const GROUPS_MAX: usize = 200;
/// How many are opened for one, with those inside it.
const OPENED_MAX: usize = 20;
/// How many tools are taken from one.
const TOOLS_MAX: usize = 500;

/// A group at the top, as the model reads of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) about: String,
}

/// Which tools stood in the groups that were opened, so that none is opened twice for one list.
#[derive(Debug, Default)]
pub(super) struct Opened(Mutex<HashMap<String, Vec<String>>>);

impl Opened {
    /// The tools of a group that was opened, by their names.
    pub(super) fn tools(&self, group: &str) -> Option<Vec<String>> {
        self.lock().get(group).cloned()
    }

    pub(super) fn insert(&self, group: &str, tools: Vec<String>) {
        let mut opened = self.lock();
        if !tools.is_empty() && opened.len() < GROUPS_MAX {
            opened.insert(group.to_owned(), tools);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The groups at the top; none where one side does not know of groups.
pub(super) async fn fetch_groups(
    requests: &Wire,
    server: &ServerCapabilities,
    declared: &ClientCapabilities,
) -> Result<Vec<Group>, ClientError> {
    let both = [&server.extensions, &declared.extensions];
    if !both.into_iter().flatten().filter(|known| known.contains_key(GROUPS)).count().eq(&2) {
        return Ok(Vec::new());
    }
    let mut groups = Vec::new();
    let mut params = json!({});
    for _ in 0..PAGES_MAX {
        let page = match requests.custom("groups/list", params).await {
            Ok(page) => page,
            Err(ClientError::Service(ServiceError::McpError(_))) => break,
            Err(error) => return Err(error),
        };
        let entries = page.get("groups").and_then(Value::as_array).into_iter().flatten();
        groups.extend(entries.filter_map(parse_group));
        match page.get("nextCursor").and_then(Value::as_str) {
            Some(cursor) if groups.len() < GROUPS_MAX => params = json!({ "cursor": cursor }),
            _ => break,
        }
    }
    groups.truncate(GROUPS_MAX);
    Ok(groups)
}

fn parse_group(json: &Value) -> Option<Group> {
    let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Group { name: json.get("name")?.as_str()?.to_owned(), about: text("description") })
}

/// The tools of a group, and of those inside it; none where there is no such group.
pub(super) async fn fetch_tools(name: &str, requests: &Wire) -> Result<Vec<Given>, ClientError> {
    let mut pending = VecDeque::from([name.to_owned()]);
    let mut descriptions = Vec::new();
    for _ in 0..OPENED_MAX {
        let Some(name) = pending.pop_front() else { break };
        let mut result = match requests.custom("groups/get", json!({ "name": name })).await {
            Ok(result) => result,
            Err(ClientError::Service(ServiceError::McpError(error))) if is_unknown(error.code) => continue,
            Err(error) => return Err(error),
        };
        let meta = result.get_mut("_meta").map(Value::take).and_then(|meta| serde_json::from_value(meta).ok());
        let meta: Option<MetaObject> = meta;
        let inside = result.pointer("/contents/groups").and_then(Value::as_array).into_iter().flatten();
        pending.extend(inside.filter_map(|group| Some(group.get("name")?.as_str()?.to_owned())));
        let tools = result.pointer_mut("/contents/tools").map(Value::take).unwrap_or_default();
        descriptions.extend(parse_all(tools, TOOLS_MAX).into_iter().map(|mut one| {
            one.ticket = ticket(meta.as_ref(), one.description.name()).or(one.ticket);
            one
        }));
    }
    Ok(descriptions)
}

/// The draft says -32002; SDKs of 2026-07-28 write -32602 for it.
fn is_unknown(code: ErrorCode) -> bool {
    [ErrorCode::RESOURCE_NOT_FOUND, ErrorCode::INVALID_PARAMS, ErrorCode::METHOD_NOT_FOUND].contains(&code)
}
