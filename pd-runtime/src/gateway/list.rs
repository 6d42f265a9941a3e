//! Reads the lists of an upstream, page by page.

use super::{
    cached_lists::RawLists,
    connection::{Connection, RequestError},
    era::ServerFacts,
    list_room::ListRoom,
};
use rmcp::model::{ErrorCode, JsonObject};
use serde_json::Value;

/// The most entries of one list. Further entries are left out.
pub(super) const ENTRIES_MAX: usize = 5_000;
/// The most pages of one list, against a server whose cursors never end.
const PAGES_MAX: usize = 500;

/// Reads all lists that the upstream declares.
pub(super) async fn read_all(connection: &Connection, facts: &ServerFacts) -> Result<RawLists, RequestError> {
    let declares = |capability: &str| facts.capabilities.get(capability).is_some_and(Value::is_object);
    let room = &mut ListRoom::default();
    let mut lists = RawLists { tools: read(connection, "tools/list", "tools", room).await?, ..RawLists::default() };
    if declares("prompts") {
        lists.prompts = read(connection, "prompts/list", "prompts", room).await?;
    }
    if declares("resources") {
        lists.resources = read(connection, "resources/list", "resources", room).await?;
        lists.templates = read(connection, "resources/templates/list", "resourceTemplates", room).await?;
    }
    Ok(lists)
}

async fn read(
    connection: &Connection,
    method: &str,
    key: &str,
    room: &mut ListRoom,
) -> Result<Vec<Value>, RequestError> {
    let (mut entries, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES_MAX {
        let params = JsonObject::from_iter(cursor.take().map(|cursor| ("cursor".to_owned(), cursor)));
        // It keeps the memory of a large page until the entries were taken.
        let mut sent = connection.send(method, params, None)?;
        let mut page = match sent.response().await {
            Ok(page) => page,
            // Servers without tools, or without templates, need not know the method.
            Err(RequestError::Refused(error)) if error.code == ErrorCode::METHOD_NOT_FOUND.0 => return Ok(entries),
            Err(error) => return Err(error),
        };
        if let Some(Value::Array(more)) = page.get_mut(key).map(Value::take) {
            let count = more.len();
            let kept = room.take(more);
            let is_cut = kept.len() < count;
            entries.extend(kept);
            if is_cut {
                tracing::warn!(method, "the lists of a server take too much memory; the rest is left out");
                return Ok(entries);
            }
        }
        if entries.len() >= ENTRIES_MAX {
            tracing::warn!(method, "a list has over {ENTRIES_MAX} entries; the rest is left out");
            entries.truncate(ENTRIES_MAX);
            return Ok(entries);
        }
        cursor = page.get_mut("nextCursor").map(Value::take).filter(Value::is_string);
        if cursor.is_none() {
            return Ok(entries);
        }
    }
    Ok(entries)
}
