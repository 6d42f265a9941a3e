//! The kinds of servers, in the words of all clients.

/// The kinds that an error names.
pub(super) const NAMED_KINDS: [&str; 5] =
    ["stdio", "http", "streamable-http", "streamableHttp", "sse"];

/// The kinds by their letters, so that `streamable_http` and `Streamable-HTTP` are the same.
const KINDS: &[(&str, TransportType)] = &[
    ("stdio", TransportType::Stdio),
    ("local", TransportType::Stdio),
    ("http", TransportType::Http),
    ("https", TransportType::Http),
    ("streamable", TransportType::Http),
    ("streamablehttp", TransportType::Http),
    ("httpstream", TransportType::Http),
    ("sse", TransportType::Sse),
    ("httpsse", TransportType::Sse),
    ("remote", TransportType::Remote),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransportType {
    Stdio,
    Http,
    Sse,
    /// Either transport over HTTP.
    Remote,
}

/// Returns the letters and digits of a text in lower case.
pub(super) fn letters(text: &str) -> String {
    text.chars()
        .filter(char::is_ascii_alphanumeric)
        .collect::<String>()
        .to_ascii_lowercase()
}

/// Returns the kind with these letters.
pub(super) fn kind_of_letters(letters: &str) -> Option<(&'static str, TransportType)> {
    KINDS.iter().find(|(name, _)| *name == letters).copied()
}

/// Returns the pattern of the texts that [`letters`] maps to one of these kinds, for JSON Schema.
pub(super) fn kind_pattern(is_kind: impl Fn(TransportType) -> bool) -> String {
    const OTHERS: &str = "[^A-Za-z0-9]*";
    let names = KINDS.iter().filter(|(_, kind)| is_kind(*kind));
    let words: Vec<_> = names
        .map(|(name, _)| {
            name.chars()
                .map(|letter| format!("[{}{letter}]{OTHERS}", letter.to_ascii_uppercase()))
                .collect::<String>()
        })
        .collect();
    format!("^{OTHERS}({})$", words.join("|"))
}
