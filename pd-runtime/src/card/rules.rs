//! The rules of the formats for single facts: their characters, and their lengths in characters.

use super::CardError;
use crate::text::loopback::is_loopback_host;
use http::Uri;

/// The longest description and the longest title.
pub(super) const TEXT_MAX: usize = 100;
/// The longest name.
const NAME_MAX: usize = 200;
/// The longest version and, in the registry's database, the longest URL.
const LINE_MAX: usize = 255;

/// Checks the name of a server in a registry: `^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`.
pub(super) fn check_name(name: &str) -> Result<(), CardError> {
    let is_part = |part: &str, further: &[u8]| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || further.contains(&byte))
    };
    let is_name = name
        .split_once('/')
        .is_some_and(|(space, own)| is_part(space, b".-") && is_part(own, b"._-"));
    if is_name && name.len() <= NAME_MAX {
        Ok(())
    } else {
        Err(CardError::Name(name.to_owned()))
    }
}

/// Checks a text for people.
pub(super) fn check_text(text: &str, error: fn(usize) -> CardError) -> Result<(), CardError> {
    match text.chars().count() {
        1..=TEXT_MAX => Ok(()),
        length => Err(error(length)),
    }
}

/// Checks that a version is one version. Registries refuse ranges such as `^1.2`, `>=1` and `1.x`,
/// and the word `latest`.
pub(super) fn check_version(version: &str) -> Result<(), CardError> {
    let is_range = version.is_empty()
        || version == "latest"
        || version.contains(['^', '~', '<', '>', '=', '*', '|', ' '])
        || version.split('.').any(|part| part == "x");
    if is_range || version.len() > LINE_MAX {
        Err(CardError::Version(version.to_owned()))
    } else {
        Ok(())
    }
}

/// Checks a URL that people or clients open.
pub(super) fn check_url(url: &str) -> Result<Uri, CardError> {
    let error = || CardError::Url(url.to_owned());
    // `Uri` drops a fragment without an error.
    let has_only_text = url.len() <= LINE_MAX && !url.contains('#') && !url.contains(['{', '}']);
    let parsed: Uri = url.parse().map_err(|_| error())?;
    let is_web = matches!(parsed.scheme_str(), Some("http" | "https"));
    // A user's name and password would be published.
    let has_host = parsed
        .authority()
        .is_some_and(|host| !host.host().is_empty() && !host.as_str().contains('@'));
    if has_only_text && is_web && has_host {
        Ok(parsed)
    } else {
        Err(error())
    }
}

/// Checks the URL of an endpoint. The formats require TLS, except for development on one machine.
pub(super) fn check_endpoint(url: &str) -> Result<(), CardError> {
    let parsed = check_url(url)?;
    let is_local = parsed.host().is_some_and(is_loopback_host);
    if parsed.scheme_str() == Some("https") || is_local {
        Ok(())
    } else {
        Err(CardError::NoTls(url.to_owned()))
    }
}
