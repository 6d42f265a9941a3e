//! URIs (RFC 3986), IRIs (RFC 3987) and URI templates (RFC 6570).

use std::net::Ipv6Addr;

/// An absolute URI, with or without a fragment.
pub(super) fn is_uri(text: &str, is_international: bool) -> bool {
    text.split_once(':')
        .is_some_and(|(scheme, _)| is_scheme(scheme))
        && is_reference(text, is_international)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
}

/// A URI or a relative reference.
pub(super) fn is_reference(text: &str, is_international: bool) -> bool {
    let is_valid = |part: &str, more: &str| has_characters(part, more, is_international);
    // Cut off first, because a fragment or a query may contain colons and slashes (RFC 3986,
    // sections 3.4 and 3.5).
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let rest = match rest.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        // The first segment of a relative path must not contain a colon.
        Some((segment, _)) if !segment.contains('/') => return false,
        _ => rest,
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(after) => after.split_at(after.find('/').unwrap_or(after.len())),
        None => ("", rest),
    };
    is_authority(authority, is_international)
        && is_valid(path, ":@/")
        && is_valid(query, ":@/?")
        && is_valid(fragment, ":@/?")
}

fn is_authority(text: &str, is_international: bool) -> bool {
    let (user, host_and_port) = text.rsplit_once('@').unwrap_or(("", text));
    // An address in brackets contains colons, so the port is looked for behind it.
    let (is_host, port) = match host_and_port
        .strip_prefix('[')
        .and_then(|inner| inner.split_once(']'))
    {
        Some((address, port)) => (is_ip_literal(address), port),
        None => {
            let (host, port) =
                host_and_port.split_at(host_and_port.rfind(':').unwrap_or(host_and_port.len()));
            (has_characters(host, "", is_international), port)
        }
    };
    let is_port = port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    is_host && is_port && has_characters(user, ":", is_international)
}

fn is_ip_literal(text: &str) -> bool {
    // RFC 3986 defines no address for future versions (section 3.2.2), so they are not parsed.
    text.parse::<Ipv6Addr>().is_ok() || text.starts_with(['v', 'V'])
}

/// Returns whether a text consists of unreserved characters, sub-delimiters, escapes and `more`.
fn has_characters(text: &str, more: &str, is_international: bool) -> bool {
    text.chars().all(|letter| {
        letter.is_ascii_alphanumeric()
            || "-._~!$&'()*+,;=%".contains(letter)
            || more.contains(letter)
            || (is_international && letter > '\u{9f}')
    }) && has_valid_escapes(text)
}

fn has_valid_escapes(text: &str) -> bool {
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    text.match_indices('%')
        .all(|(at, _)| is_hex(bytes.get(at + 1)) && is_hex(bytes.get(at + 2)))
}

/// A URI reference with expressions in braces.
pub(super) fn is_template(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let (literal, expression) = rest.split_at(at);
        let Some(end) = expression.find('}').filter(|_| expression.starts_with('{')) else {
            return false;
        };
        if !is_literal(literal) || !is_expression(expression.get(1..end).unwrap_or_default()) {
            return false;
        }
        rest = expression.get(end + 1..).unwrap_or_default();
    }
    is_literal(rest)
}

fn is_literal(text: &str) -> bool {
    text.chars()
        .all(|letter| !letter.is_control() && !" \"'<>\\^`|".contains(letter))
        && has_valid_escapes(text)
}

fn is_expression(text: &str) -> bool {
    // The operators `=,!@|` are reserved and valid (RFC 6570, section 2.2).
    let variables = text
        .strip_prefix(|letter: char| "+#./;?&=,!@|".contains(letter))
        .unwrap_or(text);
    variables.split(',').all(|variable| {
        let (name, limit) = variable
            .strip_suffix('*')
            .unwrap_or(variable)
            .split_once(':')
            .unwrap_or((variable, "1"));
        let name = name.strip_suffix('*').unwrap_or(name);
        !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.%".contains(letter))
            && has_valid_escapes(name)
            // A prefix has at most four digits (RFC 6570, section 2.4.1).
            && limit.parse::<u16>().is_ok_and(|limit| (1..10_000).contains(&limit))
    })
}
