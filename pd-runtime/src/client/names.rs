//! The names of tools in front of a model. With several servers a name has the server's name as its
//! prefix (`github__create_issue`). All names follow the rules of the providers.

use super::error::ClientError;
use crate::provider::{self, anthropic, with_digest_suffix};
use std::collections::HashMap;

/// The tool by which a model requests descriptions.
pub(super) const DESCRIBE: &str = "describe_tools";
/// Names that no server's tool gets, whether or not the current request uses them. A name stays
/// with its tool for the whole conversation, so it must never clash later.
const RESERVED: [&str; 2] = [DESCRIBE, anthropic::SEARCH];

/// The separator between a server's name and a tool's name.
const SEPARATOR: &str = "__";

/// Checks the name of a server within a client.
///
/// # Errors
///
/// Returns an error if the name is not valid, or cannot be separated from the tool's name.
pub(super) fn check_server_name(server: &str) -> Result<&str, ClientError> {
    let is_name = (1..=32).contains(&server.len())
        && server
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    // With `__` within the name, or `_` at its end, the position of the separator would be
    // ambiguous.
    if is_name && !server.contains(SEPARATOR) && !server.ends_with('_') {
        Ok(server)
    } else {
        Err(ClientError::ServerName(server.to_owned()))
    }
}

/// A tool or a group: the index of its server and its own name.
pub(super) type ServerToolId = (usize, String);

/// The names of tools and groups in one conversation, in both directions. All code that prints,
/// resolves or receives a name uses this table.
#[derive(Debug, Default)]
pub(super) struct ToolNames {
    by_tool: HashMap<ServerToolId, String>,
    by_name: HashMap<String, ServerToolId>,
}

impl ToolNames {
    /// Assigns names to a server's listed tools and groups, and forgets the server's names that are
    /// not `is_kept`. Names that need no change are assigned first, so that they stay as they are.
    pub(super) fn assign_listed(
        &mut self,
        server_index: usize,
        server: Option<&str>,
        own: &[&str],
        is_kept: impl Fn(&str) -> bool,
    ) {
        let is_dropped = |(server, own): &ServerToolId| *server == server_index && !is_kept(own);
        self.by_name.retain(|_, tool| !is_dropped(tool));
        self.by_tool.retain(|tool, _| !is_dropped(tool));
        let fits = |own: &str| matches!(provider::name(own), std::borrow::Cow::Borrowed(_));
        let (fitting, rest): (Vec<&str>, Vec<&str>) = own.iter().partition(|own| fits(own));
        fitting
            .into_iter()
            .chain(rest)
            .for_each(|own| _ = self.assign(server_index, server, own));
    }

    /// Returns the name of a server's tool, and assigns one if it has none.
    pub(super) fn assign(
        &mut self,
        server_index: usize,
        server: Option<&str>,
        own: &str,
    ) -> String {
        let key = (server_index, own.to_owned());
        if let Some(known) = self.by_tool.get(&key) {
            return known.clone();
        }
        let name = provider_name(server, own, |name| {
            RESERVED.contains(&name) || self.by_name.contains_key(name)
        });
        self.by_name.insert(name.clone(), key.clone());
        self.by_tool.insert(key, name.clone());
        name
    }

    pub(super) fn shown_name(&self, server_index: usize, own: &str) -> Option<&str> {
        self.by_tool
            .get(&(server_index, own.to_owned()))
            .map(String::as_str)
    }

    pub(super) fn resolve(&self, name: &str) -> Option<&ServerToolId> {
        self.by_name.get(name)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &ServerToolId)> {
        self.by_name.iter().map(|(name, key)| (name.as_str(), key))
    }
}

/// Derives the name of a server's tool that the model sees. A name that `is_taken` gets a digest.
fn provider_name(server: Option<&str>, tool: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let original = server.map_or_else(
        || tool.to_owned(),
        |server| format!("{server}{SEPARATOR}{tool}"),
    );
    let mut name = provider::name(&original).into_owned();
    // The first digest is enough unless another tool has the name with that digest, too.
    let mut salted = original;
    while is_taken(&name) {
        name = with_digest_suffix(&name, &salted);
        salted.push('+');
    }
    name
}

/// Returns the name of a named server's tool before duplicates are resolved.
pub(super) fn prefixed(server: &str, tool: &str) -> String {
    provider_name(Some(server), tool, |_| false)
}

/// Returns the tool's own name if `name` has this server's prefix. The result is only correct for
/// names that were not changed for the providers.
pub(super) fn unprefixed<'a>(server: Option<&str>, name: &'a str) -> Option<&'a str> {
    match server {
        None => Some(name),
        Some(server) => name.strip_prefix(server)?.strip_prefix(SEPARATOR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::NAME_MAX;

    #[test]
    fn several_servers_have_their_names_in_front() {
        assert_eq!(
            provider_name(Some("github"), "create_issue", |_| false),
            "github__create_issue"
        );
        assert_eq!(
            provider_name(None, "create_issue", |_| false),
            "create_issue"
        );
        assert_eq!(
            unprefixed(Some("github"), "github__create_issue"),
            Some("create_issue")
        );
        assert_eq!(unprefixed(Some("git"), "github__create_issue"), None);
        assert_eq!(unprefixed(None, "log"), Some("log"));
    }

    #[test]
    fn names_fit_providers_and_are_told_apart() {
        let long = provider_name(Some("github"), &"x".repeat(64), |_| false);
        assert_eq!(long.len(), NAME_MAX);
        let dotted = provider_name(Some("a"), "b.c", |_| false);
        assert_eq!(dotted, "a__b_c");
        let other = provider_name(Some("a"), "b/c", |name| name == dotted);
        assert!(other != dotted && other.len() <= NAME_MAX, "{other}");
    }

    #[test]
    fn each_name_means_one_tool_and_stays() {
        let mut names = ToolNames::default();
        names.assign_listed(
            0,
            None,
            &[
                "b.c",
                "b/c",
                "b_c",
                "describe.tools",
                "describe_tools",
                anthropic::SEARCH,
            ],
            |_| true,
        );
        assert_eq!(
            names.shown_name(0, "b_c"),
            Some("b_c"),
            "what fits keeps its name"
        );
        assert_eq!(names.iter().count(), 6, "{names:?}");
        for (name, (server_index, own)) in names.iter() {
            assert!(
                !RESERVED.contains(&name) && names.shown_name(*server_index, own) == Some(name),
                "{name}"
            );
        }
        let before = names.shown_name(0, "b.c").map(str::to_owned);
        names.assign_listed(0, None, &["b.c"], |own| own == "b.c");
        assert_eq!(
            names.shown_name(0, "b.c"),
            before.as_deref(),
            "though the plain one is free"
        );
        assert!(names.resolve("b_c").is_none());
    }

    #[test]
    fn servers_have_names_that_end_before_the_tools() {
        assert!(
            ["github", "a-b", "a_b"]
                .iter()
                .all(|name| check_server_name(name).is_ok())
        );
        assert!(
            ["", "a b", "a__b", "a_", &"a".repeat(33)]
                .iter()
                .all(|name| check_server_name(name).is_err())
        );
    }
}
