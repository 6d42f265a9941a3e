//! Lints for texts that contain details of the author's machine or network: absolute paths and
//! internal hosts. Readers of a description are on other machines.

use super::{
    super::Registry,
    LintWarning, correction,
    texts::{shared_texts, tool_texts},
};
use crate::tool::lint::Lint;
use std::net::Ipv4Addr;

/// Directories whose contents differ from machine to machine. `/etc`, `/usr` and similar ones are
/// the same everywhere.
const ROOTS: [&str; 7] = [
    "/home/", "/Users/", "/root/", "/opt/", "/srv/", "/mnt/", "/var/",
];

/// Directories below `/var/`. Another name there is as likely a JSON pointer or the path of a URL.
const VAR: [&str; 15] = [
    "cache", "data", "db", "folders", "lib", "local", "lock", "log", "logs", "mail", "opt", "run",
    "spool", "tmp", "www",
];

/// Placeholders for a user's name.
const PLACEHOLDERS: [&str; 8] = [
    "me", "myname", "name", "someone", "user", "username", "you", "yourname",
];

/// Methods before the path of an HTTP request.
const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// Top-level domains that do not exist in the public DNS.
const INTERNAL: [&str; 5] = ["corp", "internal", "intranet", "lan", "local"];

/// First parts of package and module names, in languages where `internal` is common among them.
const PACKAGES: [&str; 12] = [
    "com", "dev", "github", "go", "io", "java", "javax", "jdk", "net", "org", "self", "sun",
];

/// Adds a warning for each tool, group, bundle and server whose texts contain a path or a host; one
/// of each kind.
pub(super) fn check<S: 'static>(registry: &Registry<S>, warnings: &mut Vec<LintWarning>) {
    for (lint, find) in [
        (Lint::InternalPath, find_path as FindMatch),
        (Lint::InternalHost, find_host as FindMatch),
    ] {
        for tool in registry
            .tools
            .iter()
            .filter(|tool| !tool.about.allow.contains(&lint))
        {
            let texts = tool_texts(&tool.about);
            if let Some((place, matched)) = texts
                .iter()
                .find_map(|(place, text)| Some((place, find(text)?)))
            {
                let advice = tool.about.is_relayed().then_some(correction::TEXT);
                let words = message(lint, &format!("its {place}"), matched, advice);
                warnings.push(LintWarning::from_tool(&tool.about, lint, words));
            }
        }
        let shared = shared_texts(registry)
            .into_iter()
            .filter(|_| !registry.info.allow.contains(&lint));
        warnings.extend(shared.filter_map(|shared| {
            let matched = find(shared.text)?;
            let advice = shared.owner_advice;
            let is_relayed = shared.owner_advice.is_some();
            let words = message(lint, &shared.place, matched, advice);
            Some(LintWarning {
                is_relayed,
                ..LintWarning::from_registry(lint, words)
            })
        }));
    }
}

type FindMatch = fn(&str) -> Option<&str>;

fn message(lint: Lint, place: &str, matched: &str, owner_advice: Option<&str>) -> String {
    let (what, advice) = match lint {
        Lint::InternalPath => (
            "a path on one machine",
            "name what is there, or write a placeholder",
        ),
        _ => (
            "a host that callers elsewhere cannot reach and need not know",
            "leave it out",
        ),
    };
    format!(
        "`{matched}` in {place} is {what}; {}",
        owner_advice.unwrap_or(advice)
    )
}

/// Returns the first absolute path that is specific to a machine.
fn find_path(text: &str) -> Option<&str> {
    let mut before = "";
    pieces(text).find(|piece| {
        // The path after a method is one of an API, such as `GET /home/feed`.
        let is_route = METHODS.contains(&before);
        before = piece;
        !is_route && (is_unix_path(piece) || is_windows_path(piece))
    })
}

/// Returns the first host that only one network resolves.
fn find_host(text: &str) -> Option<&str> {
    pieces(text).find(|piece| is_internal(piece))
}

/// Splits a text at white space, quotes and brackets, and removes the punctuation that ends
/// sentences.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || "\"'`()[]{}<>|,;".contains(letter))
        .map(|piece| piece.trim_end_matches(['.', ':', '!', '?']))
        .filter(|piece| !piece.is_empty())
}

fn is_unix_path(piece: &str) -> bool {
    let path = match piece.split_once("://") {
        // Only `file` URLs contain a path on a machine.
        Some(("file", path)) => path,
        Some(_) => return false,
        // For `--root=/opt/acme` and `root:/opt/acme`.
        None => piece
            .rsplit_once(['=', ':'])
            .map_or(piece, |(_, path)| path),
    };
    ROOTS.iter().any(|root| {
        let first = path
            .strip_prefix(root)
            .map(|rest| rest.split('/').next().unwrap_or_default());
        first.is_some_and(|first| is_real_name(first) && (*root != "/var/" || VAR.contains(&first)))
    })
}

/// Returns whether the name below a root is a real one: not a placeholder, and not an array index
/// as in a JSON pointer.
fn is_real_name(name: &str) -> bool {
    let is_plain = name.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    let is_number = name.chars().all(|letter| letter.is_ascii_digit());
    let is_placeholder = name
        .chars()
        .all(|letter| letter.is_ascii_uppercase() || letter == '_');
    // Without marks, so that `your-name` and `your_name` are the same placeholder.
    let letters: String = name
        .chars()
        .filter(char::is_ascii_alphabetic)
        .collect::<String>()
        .to_ascii_lowercase();
    is_plain && !is_number && !is_placeholder && !PLACEHOLDERS.contains(&letters.as_str())
}

/// Returns whether the piece is `C:\` and a name of at least two characters, so that a pattern such
/// as `a:\d` does not match.
fn is_windows_path(piece: &str) -> bool {
    let piece = piece.rsplit_once('=').map_or(piece, |(_, path)| path);
    let mut letters = piece.chars();
    let is_drive = letters
        .next()
        .is_some_and(|drive| drive.is_ascii_alphabetic());
    let name = letters
        .as_str()
        .strip_prefix(":\\")
        .unwrap_or_default()
        .trim_start_matches('\\');
    let first = name.split('\\').next().unwrap_or_default();
    let is_name = first
        .chars()
        .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '~' | '$'));
    is_drive && is_name && first.chars().count() > 1
}

/// Returns whether the piece is a host, or a URL with a host, that the public DNS does not know.
fn is_internal(piece: &str) -> bool {
    let (scheme, rest) = piece
        .split_once("://")
        .map_or(("", piece), |(scheme, rest)| (scheme, rest));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let address = authority
        // A URL may have a user before its host.
        .rsplit_once('@')
        .map_or(authority, |(_, address)| address);
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let has_port = !port.is_empty() && port.chars().all(|digit| digit.is_ascii_digit());
    let is_address = !scheme.is_empty() || has_port || address.len() < authority.len();
    // The text after the colon is not a port, as in `localhost:PORT`, so this is not an address.
    if !has_port && !port.is_empty() {
        return false;
    }
    match host.parse::<Ipv4Addr>() {
        // A bare loopback address means the reader's own machine. With a scheme or port it is a
        // service on the author's.
        Ok(ip) if ip.is_loopback() => is_address,
        // `10.0.0.0/8` is a network. Texts about firewall rules and arguments mention networks.
        Ok(ip) => ip.is_private() && (is_address || path.is_empty()),
        Err(_) if host.eq_ignore_ascii_case("localhost") => is_address,
        Err(_) => is_internal_name(&host.to_ascii_lowercase(), is_address),
    }
}

/// Returns whether a host name is internal. `is_address` means that it is part of a URL or has a
/// port. Otherwise two words around a dot may be a file or a setting.
fn is_internal_name(host: &str, is_address: bool) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        !label.is_empty()
            && label
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    };
    let ([first, .., last], true) = (labels.as_slice(), labels.iter().all(is_label)) else {
        return false;
    };
    // `settings.local` and `config.internal` are names of files, but `db.prod.internal` is a host.
    let is_clear = is_address || labels.len() > 2 || !matches!(*last, "internal" | "local");
    INTERNAL.contains(last) && is_clear && (is_address || !PACKAGES.contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_machine_are_found() {
        for text in [
            "Reads /home/ada/notes.txt first.",
            "Reads `/Users/ada/Library`",
            "in /var/log/app.log.",
            "kept under /srv/app/data, then moved",
            "--root=/opt/acme/bin",
            "root:/opt/acme",
            "file:///home/ada/x",
            "See C:\\Users\\ada\\x or ask.",
            "See \"D:\\\\data\\\\in\"",
            "(/root/.ssh/../x) or /root/secrets",
            "/mnt/share1/a",
        ] {
            assert!(find_path(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_path_is_left_alone() {
        for text in [
            "GET https://example.com/home/ada/repos",
            "https://example.com/var/log/x and http://a.example/Users/ada",
            "GET /home/feed, POST /Users/find",
            "the resource resource:///var/log/app or skill://home/ada",
            "the JSON pointers /var/0/name, /home/0 and /opt/12",
            "/var/name is a pointer",
            "the path /home, or / alone",
            "/home/user/x, /home/<name>/x, /home/{user}/x, /home/$USER/x, /Users/USER, /home/your-name",
            "api/home/ada and src/var/log/x",
            "/etc/hosts, /usr/bin/env, /tmp/x, /dev/null",
            "a pattern like a:\\d+ or C:\\ alone",
            "/users/ada is a route",
            "and/or, n/a, 1/2",
        ] {
            assert_eq!(find_path(text), None, "{text}");
        }
    }

    #[test]
    fn hosts_of_one_network_are_found() {
        for text in [
            "Asks db.prod.internal first.",
            "at http://billing.internal/v1",
            "at printer.local:631",
            "the wiki (wiki.corp)",
            "nas.lan.",
            "https://ada@build.intranet",
            "http://localhost:8080/mcp",
            "localhost:5432",
            "127.0.0.1:9000",
            "10.1.2.3, or 192.168.0.17:22",
            "http://172.16.4.5/x",
            "redis://10.0.0.7:6379/0",
        ] {
            assert!(find_host(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_host_is_left_alone() {
        for text in [
            "https://example.com/internal/local",
            "example.com, api.example.org:443",
            "settings.local and .env.local, config.internal",
            "com.sun.internal, github.com/acme/internal",
            "internal, local and corp; a LAN",
            "localhost alone is any machine",
            "10.0.0.0/8 and 192.168.0.0/16 are networks",
            "version 10.2, 1.2.3.4, 8.8.8.8:53",
            "localhost:PORT, HOST.local:PORT",
            "resource:///tool_descriptions?tools=a.local",
            "172.15.0.1 and 172.32.0.1 and 11.0.0.1",
        ] {
            assert_eq!(find_host(text), None, "{text}");
        }
    }
}
