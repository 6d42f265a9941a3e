//! Resolves the tool that a program names: `tools.log`, `tools.history.log`, `tools["get-issue"]`.

/// The tools among which a name is resolved.
pub(crate) trait NamedTools<'a> {
    /// A tool.
    type Tool: Copy;

    /// Returns the tool of exactly this name.
    fn exact(&self, name: &str) -> Option<Self::Tool>;

    /// Returns all tools, each with its name.
    fn all(&self) -> impl Iterator<Item = (&'a str, Self::Tool)>;

    /// Returns whether a tool is in a group with a path that ends with these names.
    fn is_in_group(&self, tool: Self::Tool, names: &[String]) -> bool;
}

/// Returns the tool at a path of names, if there is one.
///
/// The last name is the tool's. The names before it belong to its group, in order. JavaScript's
/// names have no hyphens, and models write `getIssue` for `get_issue`, so letters and digits decide
/// if no tool has the very name.
pub(crate) fn find<'a, N: NamedTools<'a>>(path: &[String], tools: &N) -> Option<N::Tool> {
    let (name, groups) = path.split_last()?;
    if let Some(tool) = tools.exact(name).filter(|tool| is_in(groups, *tool, tools)) {
        return Some(tool);
    }
    // Two tools with the same letters are ambiguous, and neither is called by guess.
    let by_name = only(with_key(key(name), tools).filter(|tool| is_in(groups, *tool, tools)));
    // Names of a gateway's tools contain the name of their server.
    by_name.or_else(|| only(with_key(key(&path.concat()), tools)))
}

fn is_in<'a, N: NamedTools<'a>>(groups: &[String], tool: N::Tool, tools: &N) -> bool {
    groups.is_empty() || tools.is_in_group(tool, groups)
}

/// Returns the tools with these letters and digits in their names.
fn with_key<'a, N: NamedTools<'a>>(wanted: String, tools: &N) -> impl Iterator<Item = N::Tool> {
    tools
        .all()
        .filter(move |(name, _)| key(name) == wanted)
        .map(|(_, tool)| tool)
}

/// Returns whether a group's path ends with these names.
pub(crate) fn ends_with(path: &str, names: &[String]) -> bool {
    let mut segments = path.rsplit('/').filter(|segment| !segment.is_empty());
    names.iter().rev().all(|name| {
        segments
            .next()
            .is_some_and(|segment| key(segment) == key(name))
    })
}

/// Returns the letters and digits of a name, in lower case.
fn key(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_with_the_names_of_its_groups() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert!(ends_with("/history/blame", &names(&["blame"])));
        assert!(ends_with("/history/blame", &names(&["history", "blame"])));
        assert!(ends_with("/pull-requests", &names(&["pullRequests"])));
        assert!(!ends_with("/history/blame", &names(&["history"])));
        assert!(!ends_with("/history", &names(&["all", "history"])));
    }
}
