//! Splits the URL of a server, to check it and to leave out its secrets. The connection parses the
//! URL again.

use std::fmt;

/// The parts of an HTTP URL.
pub(super) struct HttpUrl<'u> {
    /// The scheme, as the URL has it.
    scheme: &'u str,
    /// The host and port.
    host: &'u str,
    path: &'u str,
    query: Option<&'u str>,
    /// The scheme, host and port, if the URL has no user information between them.
    plain_origin: Option<&'u str>,
}

impl<'u> HttpUrl<'u> {
    /// Splits a URL.
    ///
    /// # Errors
    ///
    /// Returns what to write instead.
    pub(super) fn parse(url: &'u str) -> Result<Self, &'static str> {
        if url.contains(|character: char| character.is_whitespace() || character.is_control() || character == '\\') {
            return Err(
                "the URL contains a space, a backslash or a control character; remove it, or write it as `%20`",
            );
        }
        let not_http = "the URL must begin with `http://` or `https://`; correct it";
        let (scheme, rest) = url.split_once("://").ok_or(not_http)?;
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(not_http);
        }
        let (authority, _) = split_before(rest, &['/', '?', '#']);
        let after_authority = rest.get(authority.len()..).unwrap_or_default();
        // The last `@` ends the user information, because a password may contain another one.
        let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
        if host.is_empty() || host.starts_with(':') {
            return Err("the URL has no host; write it as `https://host/path`");
        }
        let (before_fragment, _) = split_before(after_authority, &['#']);
        let (path, query) = split_before(before_fragment, &['?']);
        let plain_origin = user.is_none().then(|| url.get(..scheme.len() + "://".len() + host.len())).flatten();
        Ok(Self {
            scheme,
            host,
            path,
            query: query.then(|| before_fragment.get(path.len() + 1..)).flatten(),
            plain_origin,
        })
    }

    /// Returns the scheme, host and port. Returns the host and port alone if user information
    /// stands between them.
    pub(super) fn origin(&self) -> &'u str {
        self.plain_origin.unwrap_or(self.host)
    }

    /// Returns the names of the query parameters, in the URL's order.
    pub(super) fn query_names(&self) -> Vec<&'u str> {
        let pairs = self.query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        // A parameter without `=` can be a bare key, so it is not shown as a name.
        pairs.map(|pair| pair.split_once('=').map_or("", |(name, _)| name)).collect()
    }

    /// Returns the URL without user information, values of query parameters and fragment.
    pub(super) fn without_secrets(&self) -> String {
        let query = self.query_names().join("&");
        format!("{}://{}{}?{query}", self.scheme.to_ascii_lowercase(), self.host.to_ascii_lowercase(), self.path)
    }
}

// Services put keys into user information, path and query.
impl fmt::Debug for HttpUrl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpUrl").field("origin", &self.origin()).finish_non_exhaustive()
    }
}

/// Returns the text before the first of `ends`, and whether one of them occurs.
fn split_before<'t>(text: &'t str, ends: &[char]) -> (&'t str, bool) {
    match text.find(ends) {
        Some(end) => (text.get(..end).unwrap_or(text), true),
        None => (text, false),
    }
}
