//! One line for the held tools of a server that have changed in the same way.

use crate::{HeldKind, HeldTool};
use pd_runtime::upstream::text::equal_lines::{group_by, render_names};

/// Returns a line without texts of the servers, except for names.
pub(super) fn render(held: &[HeldTool]) -> Vec<String> {
    group_by(held, |held| (&held.server, held.kind.as_str(), held.is_new))
        .into_iter()
        .filter_map(line)
        .collect()
}

fn line(group: Vec<&HeldTool>) -> Option<String> {
    let first = group.first()?;
    let kind = match first.kind {
        _ if group.len() == 1 => return Some(first.to_string()),
        HeldKind::Tool => String::new(),
        kind => format!("the {}s ", kind.as_str()),
    };
    let names = render_names(group.iter().map(|held| held.tool.as_str()));
    let state = if first.is_new {
        "are new"
    } else {
        "have changed since they were approved"
    };
    let server = &first.server;
    Some(format!(
        "{kind}{names} of `{server}` {state}; review this with `pd-gateway approve {server}`"
    ))
}
