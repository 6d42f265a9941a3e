//! The URIs of a skill's files: `skill://NAME/SKILL.md`, `skill://NAME/references/TOOL.json`, and
//! the author's own files at their paths.

const SCHEME: &str = "skill://";
/// The directory of the tools' files.
pub(super) const REFERENCES: &str = "references";
const EXTENSION: &str = ".json";
/// The most files, apart from `SKILL.md`, that every host accepts in one skill (SEP-2640,
/// "Limits").
pub(super) const REFERENCES_MAX: usize = 511;

/// Returns the URI of a skill's root directory.
pub(super) fn directory(skill: &str) -> String {
    format!("{SCHEME}{skill}")
}

/// Returns the URI of a tool's file.
pub(super) fn reference(skill: &str, tool: &str) -> String {
    format!("{SCHEME}{skill}/{REFERENCES}/{}", file(tool))
}

/// Returns the URI of an author's own file, whose path needs no escapes.
pub(super) fn own_file(skill: &str, path: &str) -> String {
    format!("{SCHEME}{skill}/{path}")
}

pub(super) fn file(tool: &str) -> String {
    format!("{tool}{EXTENSION}")
}

/// Returns the name of the skill whose root directory may have this URI.
pub(super) fn skill_name(directory: &str) -> Option<&str> {
    directory.strip_prefix(SCHEME)
}

/// Splits a URI that may be a skill's into the root directory and the path in it.
pub(super) fn split(uri: &str) -> Option<(&str, &str)> {
    // The name of a skill has no slash, so the first one ends it.
    let (skill, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    Some((uri.get(..SCHEME.len() + skill.len())?, path))
}

/// Returns the tool whose file has this path.
pub(super) fn tool_name(path: &str) -> Option<&str> {
    path.strip_prefix(REFERENCES)?
        .strip_prefix('/')?
        .strip_suffix(EXTENSION)
}
