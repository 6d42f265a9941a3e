//! The versions of MCP that a server names when it does not take the requested one.

use crate::message::ErrorObject;
use rmcp::model::ProtocolVersion;
use serde_json::Value;

/// The keys of an error's data, of which MCP has the first.
const KEYS: [&str; 5] = [
    "supported",
    "supportedVersions",
    "supportedProtocolVersions",
    "supported_versions",
    "supported_protocol_versions",
];
/// The most versions that an error shows.
const SHOWN_MAX: usize = 8;
/// The longest version, in bytes. A version of MCP is a date.
const VERSION_MAX: usize = 20;

/// Versions that a server has named.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedVersions(Vec<String>);

impl NamedVersions {
    /// Reads the versions of an error. A server that does not list them may name them in its text,
    /// beside the requested one.
    pub(super) fn from_error(error: &ErrorObject, requested: &str) -> Self {
        let mut named = Self::default();
        let data = error.data.as_ref();
        for versions in KEYS.iter().filter_map(|key| data?.get(key)) {
            named.add(versions);
        }
        if named.0.is_empty() {
            let words = error.message.split(|letter: char| !is_of_version(letter));
            named.extend(words.filter(|word| is_date(word) && *word != requested));
        }
        named
    }

    /// Adds the versions of a list, or of a text.
    pub(super) fn add(&mut self, versions: &Value) {
        match versions {
            Value::Array(versions) => self.extend(versions.iter().filter_map(Value::as_str)),
            Value::String(text) => self.extend(text.split([',', ' ', ';'])),
            _ => {}
        }
    }

    fn extend<'a>(&mut self, versions: impl Iterator<Item = &'a str>) {
        for version in versions.map(str::trim) {
            let is_version = !version.is_empty()
                && version.len() <= VERSION_MAX
                && version.chars().all(is_of_version);
            if is_version && self.0.len() < SHOWN_MAX && !self.contains(version) {
                self.0.push(version.to_owned());
            }
        }
    }

    pub(super) fn contains(&self, version: &str) -> bool {
        self.0.iter().any(|named| named == version)
    }

    /// Returns the latest version that `initialize` can request.
    pub(super) fn latest_with_initialize(&self) -> Option<&'static str> {
        ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .filter(|known| known.has_initialize() && self.contains(known.as_str()))
            .map(ProtocolVersion::as_str)
            // Versions are dates, so their texts compare as they do.
            .max()
    }

    /// Returns the versions as a text, if the gateway speaks none of them.
    pub(super) fn only_unknown(&self) -> Option<String> {
        let is_known = ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .any(|known| self.contains(known.as_str()));
        self.render().filter(|_| !is_known)
    }

    /// Returns the versions as a text, if there are some.
    pub(super) fn render(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(", "))
    }
}

const fn is_of_version(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.')
}

fn is_date(word: &str) -> bool {
    word.len() == 10
        && word.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn named(message: &str, data: Value) -> NamedVersions {
        let error = ErrorObject {
            code: -32602,
            message: message.to_owned(),
            data: Some(data),
        };
        NamedVersions::from_error(&error, "2025-11-25")
    }

    #[test]
    fn versions_are_read_of_lists_and_texts() {
        for (message, data, latest) in [
            (
                "Unsupported protocol version",
                json!({ "supported": ["2024-11-05", "2025-03-26"], "requested": "2025-11-25" }),
                Some("2025-03-26"),
            ),
            (
                "no",
                json!({ "supportedVersions": "2024-11-05, 1.0" }),
                Some("2024-11-05"),
            ),
            (
                "Bad Request: 2025-11-25 is not one of (2025-06-18, 2025-03-26).",
                json!(7),
                Some("2025-06-18"),
            ),
            (
                "2025-11-25 is not supported",
                json!({ "supported": [5, null] }),
                None,
            ),
            ("no", json!({ "supported": ["2099-01-01"] }), None),
        ] {
            assert_eq!(
                named(message, data).latest_with_initialize(),
                latest,
                "{message}"
            );
        }
    }

    #[test]
    fn versions_that_are_shown_are_short_words() {
        let odd = json!({ "supported": ["2099-01-01", "\u{1b}[2J", "x".repeat(99), "v9"] });
        assert_eq!(
            named("no", odd).only_unknown().as_deref(),
            Some("2099-01-01, v9")
        );
        let known = json!({ "supported": ["2099-01-01", "2025-06-18"] });
        assert_eq!(named("no", known).only_unknown(), None);
        assert_eq!(named("no", json!({})).only_unknown(), None);
    }
}
