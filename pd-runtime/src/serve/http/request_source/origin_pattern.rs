//! The browser origins that requests may come from.

use super::host_pattern::without_brackets;
use http::{HeaderValue, Uri};
use std::{fmt, sync::Arc};

/// A list of origins. Clones share it.
#[derive(Debug, Clone)]
pub(in crate::serve::http) struct AllowedOrigins(Arc<[OriginPattern]>);

/// An origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::serve::http) enum OriginPattern {
    /// The origin of sandboxed frames and of files, which browsers send as `null`.
    Opaque,
    Tuple {
        scheme: String,
        /// The host in lower case; an IPv6 address without its brackets.
        host: String,
        port: OriginPort,
    },
}

/// The port of an origin (RFC 6454, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::serve::http) enum OriginPort {
    /// Any port: from `:*`, or from a scheme without a default port.
    Any,
    Exact(u16),
}

impl AllowedOrigins {
    /// Parses origins. Invalid ones are skipped, since `HttpOptions::check` refuses them before the
    /// server starts.
    pub(in crate::serve::http) fn new(origins: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self(
            origins
                .into_iter()
                .filter_map(|origin| OriginPattern::parse(origin.as_ref()))
                .collect(),
        )
    }

    /// Returns whether a request may come from the origin in this header.
    pub(in crate::serve::http) fn allow(&self, header: &HeaderValue) -> bool {
        let origin = header.to_str().ok().and_then(OriginPattern::parse);
        origin.is_some_and(|origin| self.0.iter().any(|allowed| allowed.matches(&origin)))
    }
}

impl OriginPattern {
    /// Parses an origin. Without a port, it has the default port of its scheme. A text with a
    /// wildcard host or a path is not an origin: it would match no request.
    pub(in crate::serve::http) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("null") {
            Some(Self::Opaque)
        } else {
            Self::parse_tuple(text)
        }
    }

    fn parse_tuple(text: &str) -> Option<Self> {
        // A URI has no such port, so the parser would refuse the text.
        let (text, is_any) = match text.strip_suffix(":*") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let uri: Uri = text.parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let authority = uri.authority()?;
        let is_origin = uri.path().trim_end_matches('/').is_empty()
            && uri.query().is_none()
            && !authority.host().is_empty()
            && !authority.as_str().contains(['@', '*']);
        let port = match (is_any, authority.port_u16()) {
            (true, Some(_)) => return None,
            (true, None) => OriginPort::Any,
            (false, Some(port)) => OriginPort::Exact(port),
            // The text has a port that is out of range, which `Authority` drops silently.
            (false, None) if authority.as_str() != authority.host() => return None,
            // Browsers leave the default port out of `Origin` (RFC 6454, section 6.2).
            (false, None) => default_port(&scheme).map_or(OriginPort::Any, OriginPort::Exact),
        };
        is_origin.then(|| Self::Tuple {
            scheme,
            host: without_brackets(authority.host()).to_ascii_lowercase(),
            port,
        })
    }

    fn matches(&self, origin: &Self) -> bool {
        match (self, origin) {
            (Self::Opaque, Self::Opaque) => true,
            (
                Self::Tuple { scheme, host, port },
                Self::Tuple {
                    scheme: its_scheme,
                    host: its_host,
                    port: its_port,
                },
            ) => {
                scheme == its_scheme
                    && host == its_host
                    && (*port == OriginPort::Any || port == its_port)
            }
            _ => false,
        }
    }
}

/// Renders the form that rmcp reads, always with a port: rmcp reads an origin without one as any
/// port.
impl fmt::Display for OriginPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Tuple { scheme, host, port } = self else {
            return f.write_str("null");
        };
        let (open, close) = if host.contains(':') {
            ("[", "]")
        } else {
            ("", "")
        };
        write!(f, "{scheme}://{open}{host}{close}:")?;
        match port {
            OriginPort::Any => f.write_str("*"),
            OriginPort::Exact(port) => write!(f, "{port}"),
        }
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        for (text, form) in [
            ("https://app.example", "https://app.example:443"),
            ("HTTPS://App.example/", "https://app.example:443"),
            ("http://10.0.0.7:5173", "http://10.0.0.7:5173"),
            ("http://[::1]:*", "http://[::1]:*"),
            ("chrome-extension://abcdef", "chrome-extension://abcdef:*"),
            ("null", "null"),
        ] {
            assert_eq!(OriginPattern::parse(text).unwrap().to_string(), form);
        }
        for text in [
            "",
            "*",
            "app.example",
            "app.example:443",
            "https://",
            "https://*",
            "https://*.example",
            "https://a/app",
            "https://a?x",
            "https://u@a",
            "https://a:b",
            "https://a:1:*",
            "https://a:99999",
            "null:*",
        ] {
            assert_eq!(OriginPattern::parse(text), None, "{text}");
        }
    }

    #[test]
    fn an_origin_matches_by_scheme_host_and_port() {
        let origins = AllowedOrigins::new([
            "https://app.example",
            "http://localhost:*",
            "http://[::1]:5173",
        ]);
        let allow = |origin: &str| origins.allow(&HeaderValue::from_str(origin).unwrap());
        for origin in [
            "https://app.example",
            "https://APP.example:443",
            "http://localhost",
            "http://localhost:1",
            "http://[::1]:5173",
        ] {
            assert!(allow(origin), "{origin}");
        }
        for origin in [
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil",
            "https://evil.app.example",
            "https://localhost:1",
            "http://[::1]",
            "null",
            "",
            "*",
            "app.example",
            "https://app.example, https://evil.example",
        ] {
            assert!(!allow(origin), "{origin}");
        }
    }
}
