//! Values that stay hidden: the variables that they refer to are shown in their place.

/// Returns a name with the variables that its value refers to: `TOKEN (${GITHUB_TOKEN})`.
pub(super) fn with_references(name: &str, text: &str) -> String {
    let references = references(text);
    if references.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", references.join(" "))
    }
}

/// Returns the references to variables in a text, without their defaults.
pub(super) fn references(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('$') {
        // Text in braces is looked at, too: a default can contain a reference of Gemini.
        rest = after;
        let inner = after
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'));
        let name = match inner {
            // Without the default, which can be a secret.
            Some((inner, _)) => inner.split(":-").next(),
            None => after
                .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                .next(),
        };
        found.extend(
            name.filter(|name| !name.is_empty())
                .map(|name| format!("${{{name}}}")),
        );
    }
    found
}

/// Returns a URL that may contain references, without user information, fragment and values of its
/// query. References to variables are shown, because they send the variable to the server.
pub(super) fn without_secrets(url: &str) -> String {
    let (url, fragment) = url.split_once('#').unwrap_or((url, ""));
    let fragment = references(fragment).concat();
    let fragment = if fragment.is_empty() {
        fragment
    } else {
        format!("#{fragment}")
    };
    let (place, query) = url
        .split_once('?')
        .map_or((url, None), |(place, query)| (place, Some(query)));
    let (scheme, rest) = place
        .split_once("://")
        .map_or(("", place), |(scheme, rest)| (scheme, rest));
    // Parsers of URLs take a backslash for a slash.
    let end = rest.find(['/', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    // The host begins after the last `@`: `github.com@evil.example` is a user at `evil.example`.
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", shown(user)),
        None => authority.to_owned(),
    };
    let query = query.map(|query| {
        format!(
            "?{}",
            query
                .split('&')
                .map(shown_pair)
                .collect::<Vec<_>>()
                .join("&")
        )
    });
    let scheme = if scheme.is_empty() {
        String::new()
    } else {
        format!("{scheme}://")
    };
    format!(
        "{scheme}{authority}{path}{}{fragment}",
        query.unwrap_or_default()
    )
}

fn shown_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) => format!("{name}={}", shown(value)),
        None => pair.to_owned(),
    }
}

/// Returns the references of a hidden value, or `…`.
fn shown(value: &str) -> String {
    let references = references(value).concat();
    if references.is_empty() {
        "…".to_owned()
    } else {
        references
    }
}
