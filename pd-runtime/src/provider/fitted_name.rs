//! Names in the characters and length that both providers accept.

use crate::{digest::hex::Hex, text::truncate::first_chars};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;

/// The longest tool name that both providers accept.
pub const NAME_MAX: usize = 64;

/// Returns a tool's name in the form that both providers accept: `^[a-zA-Z0-9_-]{1,64}$`. MCP
/// allows more.
///
/// Other characters become `_`. A name that is too long is cut, and ends in eight digits of its
/// SHA-256, so that two long names remain different.
///
/// ```
/// # use pd_runtime::provider::name;
/// assert_eq!(name("git.log/v2"), "git_log_v2");
/// assert_eq!(name("log"), "log");
/// assert_eq!(name(&"a".repeat(70)).len(), 64);
/// ```
pub fn name(name: &str) -> Cow<'_, str> {
    if (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_name_byte) {
        return Cow::Borrowed(name);
    }
    let fitting = fitting(name);
    // An empty name gets a digest, too, because the pattern requires a character.
    if (1..=NAME_MAX).contains(&fitting.len()) {
        Cow::Owned(fitting)
    } else {
        Cow::Owned(with_digest_suffix(&fitting, name))
    }
}

/// Replaces each character that a provider refuses by `_`.
pub fn fitting(name: &str) -> String {
    // A character beyond one byte becomes one `_`, and not one for each of its bytes.
    let is_fitting = |character: char| u8::try_from(character).is_ok_and(is_name_byte);
    name.chars()
        .map(|character| {
            if is_fitting(character) {
                character
            } else {
                '_'
            }
        })
        .collect()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Cuts `fitting` to the length limit and appends a digest of `original`, so that names that were
/// equal after adaptation differ.
pub(crate) fn with_digest_suffix(fitting: &str, original: &str) -> String {
    // Four bytes are eight digits: short enough to keep the name readable, and a collision takes
    // tens of thousands of names.
    with_digest_bytes(fitting, original, 4)
}

/// Does the same with this many bytes of the digest, which are two digits each.
pub fn with_digest_bytes(fitting: &str, original: &str, bytes: usize) -> String {
    cut_with_digest(fitting, original, bytes, NAME_MAX)
}

/// Does the same with this limit to the whole name.
pub fn cut_with_digest(fitting: &str, original: &str, bytes: usize, longest: usize) -> String {
    let digest = Sha256::digest(original.as_bytes());
    let end = Hex(digest.get(..bytes).unwrap_or(&digest)).to_string();
    // One character less, for the `_` before the digits.
    let room = longest.saturating_sub(end.len() + 1);
    let start = first_chars(fitting, room);
    format!("{start}_{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_to_what_both_providers_take() {
        for odd in [
            "",
            "a b",
            "ä",
            "forecast.city",
            "a/b",
            &"x".repeat(65),
            &"é".repeat(40),
            &"é".repeat(80),
        ] {
            let made = name(odd);
            assert!((1..=NAME_MAX).contains(&made.len()), "{odd}: {made}");
            assert!(
                made.chars()
                    .all(|character| character.is_ascii_alphanumeric() || "_-".contains(character)),
                "{made}"
            );
        }
        assert_ne!(
            name(&format!("{}a", "x".repeat(70))),
            name(&format!("{}b", "x".repeat(70))),
            "two stay two"
        );
    }
}
