//! File names that work on every file system. Windows and macOS do not distinguish `Log` from
//! `log`, and Windows reserves some names. The names consist of ASCII letters, digits, `_`, `-` and
//! `.` only, so no name leads out of its directory.

use crate::digest::hex::Hex;
use sha2::{Digest as _, Sha256};
use std::{collections::HashSet, fmt::Write};

/// The name of the index of a tree.
pub(super) const INDEX: &str = "index.json";

/// The largest number of characters in a name.
const LENGTH_MAX: usize = 80;
/// Names of devices on Windows, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The names in one directory, without their extensions.
#[derive(Debug, Default)]
pub(crate) struct FileNames {
    taken: HashSet<String>,
}

impl FileNames {
    /// Creates the names of a directory that already has some.
    pub(crate) fn with_taken(fixed: &[&str]) -> Self {
        Self {
            taken: fixed.iter().map(|name| name.to_ascii_lowercase()).collect(),
        }
    }

    /// Returns the name unchanged if possible. Otherwise adds a mark that depends only on the name.
    pub(crate) fn take(&mut self, wanted: &str) -> String {
        let clean = sanitize(wanted);
        if clean == wanted && !is_device(&clean) && self.claim(&clean) {
            return clean;
        }
        let digest = Sha256::digest(wanted.as_bytes());
        let mut marked = format!("{clean}_");
        for byte in digest.chunks(1) {
            let _ = write!(marked, "{}", Hex(byte));
            // `_` and four bytes in hexadecimal are nine characters. More bytes follow only while
            // the name is taken.
            if marked.len() >= clean.len() + 9 && self.claim(&marked) {
                break;
            }
        }
        marked
    }

    /// Takes the name. Returns whether it was free.
    fn claim(&mut self, name: &str) -> bool {
        // Compared in lower case, because `Log` and `log` are one file on Windows and macOS.
        self.taken.insert(name.to_ascii_lowercase())
    }
}

/// Returns the directory of a server in a tree. It depends only on the server's name, so that the exports of
/// several servers need not know of each other.
pub(super) fn directory_name(server: &str) -> String {
    FileNames::with_taken(&[INDEX]).take(server)
}

/// Replaces characters that are not allowed. A name that is empty or would be hidden gets the
/// prefix `_`.
fn sanitize(name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .take(LENGTH_MAX)
        .collect();
    if clean.is_empty() || clean.starts_with('.') {
        format!("_{clean}")
    } else {
        clean
    }
}

/// Returns whether a file of this name is a device on Windows.
pub(super) fn is_device(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    DEVICES.contains(&stem.as_str()) || is_port(&stem)
}

/// Returns whether a name is `com` or `lpt` with a digit.
fn is_port(stem: &str) -> bool {
    match stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"))
    {
        Some(number) => {
            number.len() == 1 && number.starts_with(|digit: char| digit.is_ascii_digit())
        }
        None => false,
    }
}

/// Returns whether this is a path as an export writes it: file names separated by slashes.
pub(super) fn is_path(path: &str) -> bool {
    path.split('/')
        .all(|name| !name.is_empty() && is_clean(name))
}

fn is_clean(name: &str) -> bool {
    name.chars().all(is_plain) && !name.starts_with('.')
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn taken(fixed: &[&str], wanted: &[&str]) -> Vec<String> {
        let mut names = FileNames::with_taken(fixed);
        wanted.iter().map(|name| names.take(name)).collect()
    }

    #[test]
    fn names_stay_as_they_are_where_they_can() {
        assert_eq!(
            taken(&[], &["log", "file_history", "a.b-c"]),
            ["log", "file_history", "a.b-c"]
        );
    }

    #[test]
    fn names_that_differ_by_case_alone_stay_distinct() {
        let names = taken(&["index"], &["log", "Log", "LOG", "Index"]);
        let folded: HashSet<_> = names.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!((names[0].as_str(), folded.len()), ("log", 4), "{names:?}");
        assert!(
            names[1].starts_with("Log_") && names[1].len() == 12,
            "{names:?}"
        );
        assert!(!folded.contains("index"), "{names:?}");
        assert_eq!(names, taken(&["index"], &["log", "Log", "LOG", "Index"]));
    }

    #[test]
    fn windows_devices_are_marked() {
        for name in ["con", "NUL", "aux.tools", "com1", "LPT9.x"] {
            assert!(
                taken(&[], &[name])[0].starts_with(&format!("{name}_")),
                "{name}"
            );
        }
        for name in ["con_", "com", "com10", "console", "comx"] {
            assert_eq!(taken(&[], &[name])[0], name);
        }
    }

    #[test]
    fn no_name_leads_elsewhere() {
        for name in [
            "..",
            ".",
            "",
            "../../etc/passwd",
            "/etc",
            "C:\\x",
            "a\0b",
            ".pd-export",
            "ä",
        ] {
            let made = &taken(&[], &[name])[0];
            assert!(is_path(made) && !made.contains('/'), "{name:?}: {made}");
        }
        for path in [
            "",
            "/a",
            "a//b",
            "../a",
            "a/../b",
            "a/.",
            "a\\b",
            "C:a",
            "a/",
            ".pd-export.record",
        ] {
            assert!(!is_path(path), "{path:?}");
        }
        assert!(is_path("history/index.ts") && is_path("a..b"));
    }

    #[test]
    fn a_marked_name_that_is_taken_grows() {
        let first = taken(&[], &["con"]).remove(0);
        let both = taken(&[&first], &["con"]).remove(0);
        assert!(both.starts_with(&first) && both != first, "{both}");
    }
}
