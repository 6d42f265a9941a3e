//! Media types by file extension, for the files that skills typically contain.

/// Media types of texts. They do not apply to a file that is not UTF-8.
const TEXTS: [(&str, &str); 20] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("ps1", "text/plain"),
    ("py", "text/x-python"),
    ("rs", "text/x-rust"),
    ("sh", "text/x-shellscript"),
    ("sql", "application/sql"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("ts", "text/typescript"),
    ("txt", "text/plain"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];
const OTHERS: [(&str, &str); 12] = [
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("ttf", "font/ttf"),
    ("webp", "image/webp"),
    ("woff2", "font/woff2"),
    (
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ),
    ("zip", "application/zip"),
];

/// Returns the media type of a file with this path.
pub(super) fn media_type(path: &str, is_text: bool) -> &'static str {
    let extension = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map_or("", |(_, extension)| extension);
    let among = |known: &[(&str, &'static str)]| {
        known
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(extension))
            .map(|(_, media_type)| *media_type)
    };
    match is_text {
        true => among(&TEXTS)
            .or_else(|| among(&OTHERS))
            .unwrap_or("text/plain"),
        false => among(&OTHERS).unwrap_or("application/octet-stream"),
    }
}
