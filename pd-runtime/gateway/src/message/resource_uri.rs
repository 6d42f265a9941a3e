//! URIs of resources, and templates of them. Two spellings of a URI belong to the same server, so
//! that no server takes over the resource of another one by writing its URI in another way.

use std::borrow::Cow;

/// The beginnings of the URIs that this server's own surfaces have.
const OWN: [&str; 2] = ["skill://", "resource:///tool_descriptions"];
/// What may follow an own URI that is not a directory.
const OWN_ENDS: [char; 3] = ['/', '?', '#'];

/// A URI in one spelling: scheme and host in lower case, without escapes that are not needed and
/// without `.` and `..` in the path (RFC 3986, section 6.2.2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct UriKey(Box<str>);

impl UriKey {
    pub(crate) fn new(uri: &str) -> Self {
        // First, because `%2e%2e` in a path is `..`, too.
        let unescaped = unescape(uri.trim());
        let Some((scheme, rest)) = split_scheme(&unescaped) else {
            return Self(unescaped.into());
        };
        let scheme = scheme.to_ascii_lowercase();
        let Some(rest) = rest.strip_prefix("//") else {
            return Self(format!("{scheme}:{rest}").into());
        };
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let host = host.to_ascii_lowercase();
        // As if there were no host (RFC 8089, section 2).
        let host = if scheme == "file" && host == "localhost" {
            ""
        } else {
            &host
        };
        Self(format!("{scheme}://{host}{}", without_dots(path)).into())
    }

    /// Returns whether a surface of this server has the URI.
    pub(crate) fn is_own(&self) -> bool {
        OWN.iter().any(|own| {
            let rest = self.0.strip_prefix(own);
            rest.is_some_and(|rest| {
                // `resource:///tool_descriptions2` is another resource.
                own.ends_with('/') || rest.is_empty() || rest.starts_with(OWN_ENDS)
            })
        })
    }
}

/// Checks that a template has its own scheme, and no URI of this server's own surfaces.
///
/// # Errors
///
/// Returns the reason why it is left out.
pub(crate) fn check_template(template: &str) -> Result<(), String> {
    let literal = template
        .split_once('{')
        .map_or(template, |(literal, _)| literal);
    let Some((scheme, _)) = split_scheme(literal) else {
        return Err(
            "it has no literal scheme, so it would answer for the URIs of other servers".to_owned(),
        );
    };
    let known = UriKey::new(literal);
    let scheme = format!("{}:", scheme.to_ascii_lowercase());
    // A short literal part, such as `skill:`, would match these URIs, too.
    if known.is_own()
        || OWN
            .iter()
            .any(|own| own.starts_with(&*known.0) && own.starts_with(&scheme))
    {
        return Err("this server has resources with such URIs itself".to_owned());
    }
    Ok(())
}

/// Returns whether a URI has the literal parts of a template (RFC 6570), in their order, in one of
/// its spellings.
pub(crate) fn matches_template(template: &str, uri: &str, key: &UriKey) -> bool {
    // As both are written, too, because a template can contain escapes that the key has no longer.
    has_literal_parts(template, uri) || has_literal_parts(&with_lower_scheme(template), &key.0)
}

fn with_lower_scheme(template: &str) -> Cow<'_, str> {
    match split_scheme(template) {
        Some((scheme, rest)) => Cow::Owned(format!("{}:{rest}", scheme.to_ascii_lowercase())),
        None => Cow::Borrowed(template),
    }
}

fn has_literal_parts(template: &str, uri: &str) -> bool {
    let Some((start, mut template)) = template.split_once('{') else {
        return template == uri;
    };
    let Some(mut rest) = uri.strip_prefix(start) else {
        return false;
    };
    while let Some((_, after)) = template.split_once('}') {
        let (literal, next) = after
            .split_once('{')
            .map_or((after, None), |(literal, next)| (literal, Some(next)));
        // The last literal part ends the URI. Each earlier one is taken where it comes first.
        let Some(next) = next else {
            return rest.ends_with(literal);
        };
        let Some((_, behind)) = rest.split_once(literal) else {
            return false;
        };
        (rest, template) = (behind, next);
    }
    false
}

/// Splits a URI at the colon after its scheme.
fn split_scheme(uri: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = uri.split_once(':')?;
    is_scheme(scheme).then_some((scheme, rest))
}

/// Returns whether a text is a scheme (RFC 3986, section 3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Decodes the escapes of letters, digits, `-`, `.`, `_` and `~`, and writes others in upper case.
fn unescape(uri: &str) -> String {
    let mut out = String::with_capacity(uri.len());
    let mut rest = uri;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let Some(byte) = after
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        else {
            out.push('%');
            rest = after;
            continue;
        };
        // Only these: an escaped separator, such as `%2F`, is not one (RFC 3986, section 2.2).
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
        rest = after.get(2..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Removes the segments `.` and `..` of a path. A query and a fragment stay.
fn without_dots(path: &str) -> String {
    let (path, rest) = path.split_at(path.find(['?', '#']).unwrap_or(path.len()));
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                // Not above the root (RFC 3986, section 5.2.4): the first part is the empty one
                // before the first `/`.
                if segment == ".." && kept.len() > 1 {
                    kept.pop();
                }
                // The directory `/a/.` is `/a/`.
                if is_last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    format!("{}{rest}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(template: &str, uri: &str) -> bool {
        matches_template(template, uri, &UriKey::new(uri))
    }

    #[test]
    fn templates_match_by_their_literal_parts() {
        for (template, uri, is_match) in [
            ("memo://{id}", "memo://7", true),
            ("memo://{id}", "note://7", false),
            ("memo://{id}/text", "memo://7/text", true),
            ("memo://{id}/text", "memo://7/html", false),
            ("a://{x}/b/{y}.md", "a://1/b/2.md", true),
            ("a://{x}/b/{y}.md", "a://1/c/2.md", false),
            ("a://plain", "a://plain", true),
            ("a://{unclosed", "a://x", false),
            ("file:///{path}", "FILE:///a", true),
            ("FILE:///{path}", "file://localhost/a", true),
            ("File:///{path}", "file:///a", true),
        ] {
            assert_eq!(matches(template, uri), is_match, "{template} {uri}");
        }
    }

    #[test]
    fn spellings_of_a_uri_are_one() {
        let known = UriKey::new("file:///notes.md");
        for uri in [
            "FILE:///notes.md",
            "file:///%6eotes.md",
            "file:///%6Eotes%2emd",
            "file:///x/../notes.md",
            "file:///./notes.md",
            "file://LOCALHOST/notes.md",
            " file:///notes.md",
        ] {
            assert_eq!(UriKey::new(uri), known, "{uri}");
        }
        for (one, other) in [
            ("a://X/y", "a://x/Y"),
            ("a:B", "a:b"),
            ("a://b%2fc", "a://b/c"),
            ("a://b/", "a://b"),
        ] {
            assert_ne!(UriKey::new(one), UriKey::new(other), "{one} {other}");
        }
        assert_eq!(UriKey::new("a://b/%2f"), UriKey::new("A://B/%2F"));
        assert_eq!(UriKey::new("no uri %").0.as_ref(), "no uri %");
    }

    #[test]
    fn own_uris_are_found_in_every_spelling() {
        for uri in [
            "resource:///tool_descriptions",
            "resource:///tool_descriptions?tools=a",
            "RESOURCE:///tool%5fdescriptions/",
            "skill://x/SKILL.md",
            "Skill://x",
        ] {
            assert!(UriKey::new(uri).is_own(), "{uri}");
        }
        for uri in [
            "resource:///tool_descriptions2",
            "resource:///other",
            "skills://x",
            "skill:x",
        ] {
            assert!(!UriKey::new(uri).is_own(), "{uri}");
        }
    }

    #[test]
    fn a_template_without_uris_of_its_own_is_refused() {
        for template in [
            "{+any}",
            "{x}://y",
            "{x}",
            "/{path}",
            "file{+rest}",
            "skill://{name}",
            "Skill://a/{b}",
            "skill:{+x}",
            "resource:///{+x}",
            "resource:{+x}",
            "resource:///tool_descriptions{?tools}",
            "",
        ] {
            assert!(check_template(template).is_err(), "{template}");
        }
        for template in [
            "memo://{id}",
            "file:///{path}",
            "x:{+rest}",
            "resource:///other/{x}",
        ] {
            assert!(check_template(template).is_ok(), "{template}");
        }
    }
}
