//! Names under which a gateway lists what its upstreams list: a pure function of the configuration
//! and of the upstream's own name.

use crate::provider::{NAME_MAX, fitting, with_digest_bytes};

/// The separator of server and tool.
pub(super) const SEPARATOR: &str = "__";
/// The bytes of the hash at the end of a name that was changed. Each is two hex digits.
const DIGEST_BYTES: usize = 3;

/// Returns the prefix of an upstream's names, unless its entry sets one.
pub(super) fn default_prefix(server: &str) -> String {
    format!("{}{SEPARATOR}", fitting(server))
}

/// Returns the name of a tool or prompt: the prefix and the upstream's name, in characters that
/// clients accept. A name that is too long is cut, and ends in six hex digits of a hash.
pub(super) fn prefixed(prefix: &str, name: &str) -> String {
    let whole = format!("{prefix}{}", fitting(name));
    if whole.len() <= NAME_MAX && fitting(name) == name {
        return whole;
    }
    with_digest_bytes(&whole, &format!("{prefix}\0{name}"), DIGEST_BYTES)
}

/// Returns the names of the upstreams' groups, in order. Names that would be equal get a number.
pub(super) fn group_names<'a>(servers: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for server in servers {
        let first = group_name(server);
        let mut name = first.clone();
        for number in 2.. {
            if !names.contains(&name) {
                break;
            }
            let start: String = first.chars().take(NAME_MAX - 5).collect();
            name = format!("{}-{number}", start.trim_end_matches('-'));
        }
        names.push(name);
    }
    names
}

/// Returns the name of an upstream's group, `[a-z0-9-]{1,64}`.
fn group_name(server: &str) -> String {
    let mut name = String::new();
    for character in server.chars().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' => name.push(character),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    let name: String = name.trim_end_matches('-').chars().take(NAME_MAX).collect();
    if name.is_empty() { "server".to_owned() } else { name.trim_end_matches('-').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_where_clients_accept_them() {
        assert_eq!(prefixed(&default_prefix("git"), "git_log"), "git__git_log");
        assert_eq!(prefixed("", "git_log"), "git_log");
        assert_eq!(default_prefix("my server"), "my_server__");
        assert_eq!(group_name("My  Server!"), "my-server");
        assert_eq!(group_name("…"), "server");
        let names = ["a_b", "a-b", "A b", "c"].into_iter();
        assert_eq!(group_names(names), ["a-b", "a-b-2", "a-b-3", "c"]);
    }

    #[test]
    fn names_that_were_changed_differ() {
        let (dot, slash) = (prefixed("a__", "x.y"), prefixed("a__", "x/y"));
        assert_ne!(dot, slash);
        assert!(dot.starts_with("a__x_y_"), "{dot}");
        let long = |end: &str| prefixed("server__", &format!("{}{end}", "n".repeat(80)));
        assert_eq!(long("a").len(), NAME_MAX);
        assert_ne!(long("a"), long("b"));
        assert_eq!(long("a"), long("a"));
    }
}
