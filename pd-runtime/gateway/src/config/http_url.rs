//! The URL of a server, to check it and to leave out its secrets.

use reqwest::Url;

/// An HTTP URL. It has no `Debug`, because services put keys into user information, path and query.
pub(super) struct HttpUrl(Url);

impl HttpUrl {
    /// Parses a URL.
    ///
    /// # Errors
    ///
    /// Returns what to write instead.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        // `Url` would remove or replace these without a word.
        if text.contains(|character: char| {
            character.is_whitespace() || character.is_control() || character == '\\'
        }) {
            return Err(
                "the URL contains a space, a backslash or a control character; remove it, or write it as `%20`",
            );
        }
        if !has_scheme(text, "http://") && !has_scheme(text, "https://") {
            return Err("the URL must begin with `http://` or `https://`; correct it");
        }
        let no_host = "the URL has no valid host; write it as `https://host/path`";
        // `Url` skips further slashes: `https:///mcp` would be the host `mcp`.
        let authority = text
            .split_once("://")
            .map(|(_, rest)| rest)
            .unwrap_or_default();
        if authority.starts_with(['/', '?', '#']) {
            return Err(no_host);
        }
        Url::parse(text).map(Self).map_err(|_| no_host)
    }

    /// Returns the scheme, host and port.
    pub(super) fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Returns whether the URL has user information.
    pub(super) fn has_user(&self) -> bool {
        !self.0.username().is_empty() || self.0.password().is_some()
    }

    /// Returns the names of the query parameters, in the URL's order.
    pub(super) fn query_names(&self) -> Vec<&str> {
        let pairs = self
            .0
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty());
        // A parameter without `=` can be a bare key, so it is not shown as a name.
        pairs
            .map(|pair| pair.split_once('=').map_or("", |(name, _)| name))
            .collect()
    }

    /// Returns the URL without user information, values of query parameters and fragment.
    pub(super) fn without_secrets(&self) -> String {
        format!(
            "{}{}?{}",
            self.origin(),
            self.0.path(),
            self.query_names().join("&")
        )
    }
}

fn has_scheme(text: &str, scheme: &str) -> bool {
    text.get(..scheme.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}
