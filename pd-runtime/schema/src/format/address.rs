//! Hostnames and email addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

/// RFC 1123, section 2.1. Internationalized names may contain any letters and the separators of
/// RFC 3490.
pub(super) fn is_hostname(text: &str, is_international: bool) -> bool {
    let is_separator = |letter: char| {
        letter == '.' || (is_international && "\u{3002}\u{ff0e}\u{ff61}".contains(letter))
    };
    let is_letter = |letter: char| {
        letter.is_ascii_alphanumeric() || letter == '-' || (is_international && !letter.is_ascii() && letter.is_alphanumeric())
            // Joiners, middle dots and marks are part of words in some scripts.
            || (is_international && "\u{b7}\u{375}\u{5f3}\u{5f4}\u{30fb}\u{200c}\u{200d}\u{94d}\u{3007}".contains(letter))
    };
    let is_label = |label: &str| {
        // `--` in the third and fourth place is reserved for encodings such as `xn--` (RFC 5891,
        // section 4.2.3.1).
        let is_ascii_prefix =
            label.get(2..4) == Some("--") && !label.to_ascii_lowercase().starts_with("xn");
        (1..=63).contains(&label.len())
            && label.chars().all(is_letter)
            && !label.starts_with('-')
            && !label.ends_with('-')
            && !is_ascii_prefix
    };
    // RFC 1035, section 2.3.4, has 255 bytes with the first length and the root's. A label has 63.
    text.len() <= 253 && text.split(is_separator).all(is_label)
}

/// RFC 5321, section 4.1.2. Internationalized addresses may contain any characters beyond ASCII.
pub(super) fn is_email(text: &str, is_international: bool) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_literal = domain
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .is_some_and(is_address);
    is_local_part(local, is_international) && (is_literal || is_hostname(domain, is_international))
}

fn is_address(text: &str) -> bool {
    match text.strip_prefix("IPv6:") {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => text.parse::<Ipv4Addr>().is_ok(),
    }
}

fn is_local_part(text: &str, is_international: bool) -> bool {
    let is_beyond = |letter: char| is_international && !letter.is_ascii();
    if let Some(quoted) = text
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'))
    {
        // Without the escapes, no quote and no backslash may be left.
        return quoted
            .chars()
            .all(|letter| (' '..='~').contains(&letter) || is_beyond(letter))
            && !quoted
                .replace("\\\\", "")
                .replace("\\\"", "")
                .contains(['"', '\\']);
    }
    let is_atom = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "!#$%&'*+-/=?^_`{|}~".contains(letter)
            || is_beyond(letter)
    };
    // RFC 5321, section 4.5.3.1.1.
    text.len() <= 64
        && text
            .split('.')
            .all(|atom| !atom.is_empty() && atom.chars().all(is_atom))
}
