//! Where a skill's files are: `skill://NAME/SKILL.md`, `skill://NAME/references/TOOL.json`, and the author's own at their paths.

const SCHEME: &str = "skill://";
/// The directory of the tools' files.
pub(super) const REFERENCES: &str = "references";
const EXTENSION: &str = ".json";
/// The most files that every host accepts in one skill (SEP-2640, "Limits"), but for `SKILL.md`.
pub(super) const REFERENCES_MAX: usize = 511;

/// A skill's root.
pub(super) fn directory(skill: &str) -> String {
    format!("{SCHEME}{skill}")
}

/// The file of one of its tools.
pub(super) fn reference(skill: &str, tool: &str) -> String {
    format!("{SCHEME}{skill}/{REFERENCES}/{}", file(tool))
}

/// An author's own file, whose path needs no escapes.
pub(super) fn own(skill: &str, path: &str) -> String {
    format!("{SCHEME}{skill}/{path}")
}

pub(super) fn file(tool: &str) -> String {
    format!("{tool}{EXTENSION}")
}

/// The name of the skill whose directory this may be.
pub(super) fn rooted(directory: &str) -> Option<&str> {
    directory.strip_prefix(SCHEME)
}

/// The directory and the path in it of a file that may be ours.
pub(super) fn parted(uri: &str) -> Option<(&str, &str)> {
    let (skill, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    Some((uri.get(..SCHEME.len() + skill.len())?, path))
}

/// The tool whose file this is.
pub(super) fn described(path: &str) -> Option<&str> {
    path.strip_prefix(REFERENCES)?.strip_prefix('/')?.strip_suffix(EXTENSION)
}
