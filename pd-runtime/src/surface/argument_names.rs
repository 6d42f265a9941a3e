//! Names that authors give to arguments for the same thing.

/// A row of names, without `_`, `-` and capitals.
pub(super) type NameRow = &'static [&'static str];

pub(super) const OWNER: NameRow = &[
    "account",
    "namespace",
    "org",
    "organization",
    "owner",
    "workspace",
];
pub(super) const REPOSITORY: NameRow = &["project", "repo", "repository"];
pub(super) const PATH: NameRow = &["file", "filename", "filepath", "path"];
pub(super) const REVISION: NameRow = &["branch", "commit", "ref", "rev", "revision", "sha"];
pub(super) const URL: NameRow = &["link", "uri", "url"];
pub(super) const PERSON: NameRow = &[
    "address",
    "email",
    "mail",
    "person",
    "recipient",
    "to",
    "user",
    "username",
];

/// All rows.
const ROWS: [NameRow; 12] = [
    OWNER,
    REPOSITORY,
    PATH,
    REVISION,
    URL,
    PERSON,
    &[
        "count",
        "first",
        "limit",
        "lines",
        "max",
        "maxcount",
        "maxresults",
        "n",
        "num",
        "number",
        "pagesize",
        "perpage",
        "size",
        "top",
    ],
    &[
        "keyword",
        "keywords",
        "pattern",
        "q",
        "query",
        "search",
        "searchterm",
        "term",
        "text",
        "word",
    ],
    &["body", "comment", "content", "contents", "message", "text"],
    &[
        "base",
        "basebranch",
        "from",
        "frombranch",
        "source",
        "sourcebranch",
        "startpoint",
    ],
    &["name", "subject", "title"],
    &["duration", "durationminutes", "length", "minutes"],
];

/// Returns whether both names are the same, or authors use them for the same thing.
pub(super) fn is_synonym(one: &str, other: &str) -> bool {
    let one = plain(one);
    let other = plain(other);
    one == other
        || ROWS
            .iter()
            .any(|row| row.contains(&one.as_str()) && row.contains(&other.as_str()))
}

/// Returns whether both names are the same but for capitals, `_` and `-`.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    plain(one) == plain(other)
}

/// Returns whether a name is in a row.
pub(super) fn is_in(name: &str, row: NameRow) -> bool {
    row.contains(&plain(name).as_str())
}

fn plain(name: &str) -> String {
    name.replace(['_', '-'], "").to_ascii_lowercase()
}
