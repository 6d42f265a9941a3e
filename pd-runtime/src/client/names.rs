//! How tools are called in front of a model: `github__create_issue` where there are several servers, and always so that
//! providers take it.

use super::error::ClientError;
use crate::provider::{self, told_apart};

/// Between a server's name and a tool's.
const BETWEEN: &str = "__";

/// A server's name within a client, where it has one.
///
/// # Errors
///
/// It is no name, or would not be told apart from the tool's.
pub(super) fn checked(server: &str) -> Result<&str, ClientError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_name = (1..=32).contains(&server.len()) && server.bytes().all(fits);
    if is_name && !server.contains(BETWEEN) && !server.ends_with('_') {
        Ok(server)
    } else {
        Err(ClientError::ServerName(server.to_owned()))
    }
}

/// The name of a server's tool in front of a model, unless `is_taken`.
pub(super) fn shown(server: Option<&str>, tool: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let original = server.map_or_else(|| tool.to_owned(), |server| format!("{server}{BETWEEN}{tool}"));
    let fitting = provider::name(&original).into_owned();
    if is_taken(&fitting) { told_apart(&fitting, &original) } else { fitting }
}

/// The tool's own name, if the shown one is of this server and nothing of it was changed.
pub(super) fn own<'a>(server: Option<&str>, shown: &'a str) -> Option<&'a str> {
    match server {
        None => Some(shown),
        Some(server) => shown.strip_prefix(server)?.strip_prefix(BETWEEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::NAME_MAX;

    #[test]
    fn several_servers_have_their_names_in_front() {
        assert_eq!(shown(Some("github"), "create_issue", |_| false), "github__create_issue");
        assert_eq!(shown(None, "create_issue", |_| false), "create_issue");
        assert_eq!(own(Some("github"), "github__create_issue"), Some("create_issue"));
        assert_eq!(own(Some("git"), "github__create_issue"), None);
        assert_eq!(own(None, "log"), Some("log"));
    }

    #[test]
    fn names_fit_providers_and_are_told_apart() {
        let long = shown(Some("github"), &"x".repeat(64), |_| false);
        assert_eq!(long.len(), NAME_MAX);
        let dotted = shown(Some("a"), "b.c", |_| false);
        assert_eq!(dotted, "a__b_c");
        let other = shown(Some("a"), "b/c", |name| name == dotted);
        assert!(other != dotted && other.len() <= NAME_MAX, "{other}");
    }

    #[test]
    fn servers_have_names_that_end_before_the_tools() {
        assert!(["github", "a-b", "a_b"].iter().all(|name| checked(name).is_ok()));
        assert!(["", "a b", "a__b", "a_", &"a".repeat(33)].iter().all(|name| checked(name).is_err()));
    }
}
