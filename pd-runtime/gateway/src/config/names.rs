//! Names under which a gateway lists what its upstreams list: a pure function of the configuration
//! and of the upstream's own name.

use pd_runtime::{
    provider::NAME_MAX,
    upstream::{
        provider::{cut_with_digest, fitting, with_digest_bytes},
        text::{invisible::is_invisible, truncate::first_chars},
    },
};
use std::collections::HashSet;

/// The separator of server and tool.
pub(crate) const SEPARATOR: &str = "__";
/// The bytes of the hash at the end of a name that was changed. Each is two hex digits.
const DIGEST_BYTES: usize = 3;
/// The most characters of a label that are kept in a name with a hash, so that the names of tools
/// have room after it.
const KEPT_MAX: usize = 24;
/// The longest name that is offered. Hosts add a prefix, such as `mcp__gateway__`, and with one of
/// 20 characters the name is as long as providers accept.
const OFFERED_MAX: usize = NAME_MAX - 20;
/// The longest label in a text, in characters.
const LABEL_MAX: usize = 64;

/// Returns the name of an entry: its label in characters that clients accept.
///
/// Labels in ASCII keep the names that locks and lists of allowed tools contain. Of other labels,
/// the ASCII letters and digits are kept, and the name ends in six hex digits of a hash.
pub(crate) fn entry_name(label: &str) -> String {
    if label.is_ascii() {
        return fitting(label);
    }
    let words = label
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let kept: String = words
        .collect::<Vec<_>>()
        .join("_")
        .chars()
        .take(KEPT_MAX)
        .collect();
    let kept = if kept.is_empty() {
        "server"
    } else {
        kept.trim_end_matches('_')
    };
    with_digest_bytes(kept, label, DIGEST_BYTES)
}

/// Returns a label as texts show it: one line of bounded length without invisible characters.
pub(crate) fn visible_label(label: &str) -> String {
    let line = label.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars()
        .filter(|letter| !letter.is_control() && !is_invisible(*letter))
        .take(LABEL_MAX)
        .collect()
}

/// Returns the prefix of an upstream's names for the short form of its name.
pub(crate) fn alias_prefix(alias: &str) -> String {
    format!("{alias}{SEPARATOR}")
}

/// Returns the prefix of an upstream's names, unless its entry sets one.
pub(crate) fn default_prefix(server: &str) -> String {
    format!("{}{SEPARATOR}", fitting(server))
}

/// Returns the name of a tool or prompt: the prefix and the upstream's name, in characters that
/// clients accept. A name that is too long is cut, and ends in six hex digits of a hash.
pub(crate) fn prefixed(prefix: &str, name: &str) -> String {
    let whole = format!("{prefix}{}", fitting(name));
    // Other names get a hash: `x.y` and `x/y` would be one name in the characters of clients.
    if whole.len() <= OFFERED_MAX && fitting(name) == name {
        return whole;
    }
    // The zero byte keeps `a` + `bc` apart from `ab` + `c`.
    cut_with_digest(
        &whole,
        &format!("{prefix}\0{name}"),
        DIGEST_BYTES,
        OFFERED_MAX,
    )
}

/// Returns the names of the upstreams' groups, in order. Names that would be equal get a number.
pub(crate) fn group_names<'a>(servers: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut taken = HashSet::new();
    for server in servers {
        let first = group_name(server);
        let mut name = first.clone();
        for number in 2.. {
            if taken.insert(name.clone()) {
                break;
            }
            // Room for `-` and four digits, which is more than a file has entries.
            let start = first_chars(&first, NAME_MAX - 5);
            name = format!("{}-{number}", start.trim_end_matches('-'));
        }
        names.push(name);
    }
    names
}

/// Returns the name of an upstream's group, `[a-z0-9-]{1,64}`.
pub(crate) fn group_name(server: &str) -> String {
    let mut name = String::new();
    for character in server.chars().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' | '0'..='9' => name.push(character),
            _ if !name.is_empty() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    let name: String = name.trim_end_matches('-').chars().take(NAME_MAX).collect();
    if name.is_empty() {
        "server".to_owned()
    } else {
        // Once more, because the cut can leave a hyphen at the end.
        name.trim_end_matches('-').to_owned()
    }
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
    fn labels_in_any_script_have_names_of_their_own() {
        for (label, start) in [
            ("日本語", "server_"),
            ("中文サ", "server_"),
            ("Мой сервер", "server_"),
            ("🚀", "server_"),
            ("My 🚀 tools", "My_tools_"),
            ("café", "caf_"),
            ("日__本", "server_"),
        ] {
            let name = entry_name(label);
            let digits = name.strip_prefix(start).unwrap_or_default();
            assert!(
                digits.len() == 6 && digits.chars().all(|digit| digit.is_ascii_hexdigit()),
                "{label}: {name}"
            );
            assert_eq!(name, entry_name(label));
        }
        assert_ne!(entry_name("日本語"), entry_name("中文サ"));
        assert!(
            entry_name(&"é".repeat(500)).len() <= 32 && entry_name(&"aé".repeat(500)).len() <= 32
        );
        for (label, name) in [
            ("my server", "my_server"),
            ("a.b/c", "a_b_c"),
            ("git", "git"),
            ("a__b", "a__b"),
        ] {
            assert_eq!(entry_name(label), name);
        }
    }

    #[test]
    fn names_that_were_changed_differ() {
        let dot = prefixed("a__", "x.y");
        let slash = prefixed("a__", "x/y");
        assert_ne!(dot, slash);
        assert!(dot.starts_with("a__x_y_"), "{dot}");
        let long = |end: &str| prefixed("server__", &format!("{}{end}", "n".repeat(80)));
        assert_eq!(
            long("a").len(),
            44,
            "a host's prefix of 20 fits the 64 of providers"
        );
        let edge = |length: usize| prefixed("", &"n".repeat(length));
        assert_eq!((edge(44), edge(45).len()), ("n".repeat(44), 44));
        assert_ne!(long("a"), long("b"));
        assert_eq!(long("a"), long("a"));
    }
}
