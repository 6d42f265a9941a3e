//! The answer to a search for the name of an object, such as a repository or a file: what one can
//! do to it.

use super::path;
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    policy::meta_tool_purpose::MetaToolPurpose,
    surface::{
        argument_names::{NameRow, OWNER, PATH, PERSON, REPOSITORY, REVISION, URL, is_in},
        tool_lines::tool_in_group,
    },
};
use serde_json::Value;

/// The most tools in the answer.
const SHOWN_MAX: usize = 12;
/// The longest name of an object, in characters.
const NAME_MAX: usize = 200;

/// An object by its parts, each with the arguments that take it.
type NamedObject = Vec<NameRow>;

/// Lists the tools that take the object of this name, and asks for a search by what to do. Returns
/// `None` if the text is not the name of an object, or no tool takes one.
pub(super) fn answer(text: &str, view: &CallerView<'_>) -> Option<String> {
    // Paths of groups and tools look like names of objects.
    if view.group(text).is_some()
        || path::tool(text, view).is_some()
        || !view.find_by_source(text).is_empty()
    {
        return None;
    }
    // The likeliest kind of object that some tool takes decides.
    let tools = kinds(text).into_iter().find_map(|object| {
        let tools: Vec<_> = view
            .visible()
            .filter(|entry| takes(entry, &object))
            .collect();
        (!tools.is_empty()).then_some(tools)
    })?;
    let lines = tools
        .iter()
        .take(SHOWN_MAX)
        .map(|entry| tool_in_group(entry, view));
    let rest = tools.len().saturating_sub(SHOWN_MAX);
    let more = (rest > 0).then(|| format!("{rest} more tools"));
    let lines: Vec<String> = lines.chain(more).chain(render_search(view)).collect();
    Some(format!(
        "`{text}` is no tool. These take it:\n{}",
        lines.join("\n")
    ))
}

/// Renders the request for a search. An example with a query would be copied.
pub(super) fn render_search(view: &CallerView<'_>) -> Option<String> {
    let find = view.meta_tools().name_of(MetaToolPurpose::Find)?;
    let arguments = "{\"query\": <what the user asked for, in full>}";
    Some(format!(
        "Now send:\n{{\"name\": \"{find}\", \"arguments\": {arguments}}}"
    ))
}

/// Returns the objects that a text may name, the likeliest first.
fn kinds(text: &str) -> Vec<NamedObject> {
    if text.contains(char::is_whitespace) || text.chars().nth(NAME_MAX).is_some() {
        return Vec::new();
    }
    let last = text.rsplit('/').next().unwrap_or_default();
    let has_extension = last.rsplit_once('.').is_some_and(|(name, extension)| {
        !name.is_empty()
            && (1..=4).contains(&extension.len())
            && extension.chars().all(char::is_alphanumeric)
    });
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        _ if text.contains("://") => vec![vec![URL]],
        [_] if text.contains('@') => vec![vec![PERSON]],
        // `octo/demo` may be a repository, a branch or a path.
        [_, _] if !has_extension => vec![vec![OWNER, REPOSITORY], vec![REVISION], vec![PATH]],
        [_, _, ..] => vec![vec![PATH]],
        _ if has_extension => vec![vec![PATH]],
        _ => Vec::new(),
    }
}

fn takes(entry: &CatalogEntry, object: &NamedObject) -> bool {
    let properties = entry
        .tool
        .about
        .input
        .schema
        .get("properties")
        .and_then(Value::as_object);
    properties.is_some_and(|properties| {
        object
            .iter()
            .all(|row| properties.keys().any(|name| is_in(name, row)))
    })
}
