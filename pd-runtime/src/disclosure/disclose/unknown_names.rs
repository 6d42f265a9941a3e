//! Answers for names that no visible tool has, or that several tools have.

use super::AVAILABLE_MAX;
use crate::{disclosure::view::CallerView, text::truncate::first_chars};
use rmcp::model::JsonObject;
use serde_json::json;

/// The most names that a sentence suggests.
const NEAREST_MAX: usize = 5;

/// Renders that no tool has this name, with the nearest names, for texts that a model reads.
pub(crate) fn render_unknown(name: &str, view: &CallerView<'_>) -> String {
    if let Some(set) = view.missing_for(name) {
        return set.render(name);
    }
    let brief = render_unknown_briefly(name);
    if let Some(names) = same_source_names(name, view) {
        return format!(
            "{brief}; several tools have this name at their servers: {}",
            names.join(", ")
        );
    }
    match view.nearest(name, NEAREST_MAX).as_slice() {
        [] => format!("{brief}: there are none"),
        near => format!("{brief}; the nearest: {}", near.join(", ")),
    }
}

/// Renders that no tool has this name, without suggestions, for requests that already carry some:
/// ranking them looks at every tool.
pub(crate) fn render_unknown_briefly(name: &str) -> String {
    format!("no such tool: `{}`", beginning(name))
}

/// Returns the part of an unknown name that an answer repeats. Tool names have at most 64
/// characters, and one more keeps a longer name unknown.
pub(super) fn beginning(name: &str) -> &str {
    first_chars(name, 65)
}

/// Returns the names of the visible tools that a name may mean, if it may mean several.
pub(crate) fn same_source_names<'a>(name: &str, view: &CallerView<'a>) -> Option<Vec<&'a str>> {
    let tools = view.find_by_source(name);
    (tools.len() > 1).then(|| {
        tools
            .into_iter()
            .take(AVAILABLE_MAX)
            .map(|entry| entry.name())
            .collect()
    })
}

/// Returns the names of the first visible tools, for errors without a name to compare with.
pub(crate) fn available<'a>(view: &CallerView<'a>) -> Vec<&'a str> {
    view.visible()
        .take(AVAILABLE_MAX)
        .map(|entry| entry.name())
        .collect()
}

/// Adds names of visible tools to an error, and the number of those left out.
pub(crate) fn insert_available(error: &mut JsonObject, names: Vec<&str>, view: &CallerView<'_>) {
    let more = view.visible().count().saturating_sub(names.len());
    error.insert("available_tools".to_owned(), json!(names));
    if more > 0 {
        error.insert("more".to_owned(), json!(more));
    }
}
