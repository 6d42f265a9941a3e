//! The author's own files of a skill: scripts, references and assets beside its `SKILL.md` (Agent
//! Skills, level 3).

mod directory;
mod media_type;

use crate::{digest::Digest, text::invisible::is_invisible};
use std::{fmt, io, path::Path, sync::Arc};

/// The maximum size of a file, in bytes.
pub(crate) const FILE_BYTES_MAX: usize = 1 << 20;
/// The maximum size of a skill's own files together, in bytes.
pub(crate) const SKILL_BYTES_MAX: usize = 8 << 20;
/// The maximum number of a skill's own files.
pub(crate) const SKILL_FILES_MAX: usize = 100;
/// The maximum depth of a file.
const DEPTH_MAX: usize = 8;
/// The maximum length of a path, in bytes.
const PATH_MAX: usize = 200;
/// The file that the server generates.
const MANUAL: &str = "SKILL.md";

/// A file in the skill of a group or bundle: a script, a reference document, a template.
///
/// The Skills extension (SEP-2640) serves it as `skill://NAME/PATH` with its digest, `SKILL.md`
/// links to it, and `export --format skills` writes it. A host reads the file only when the skill's
/// instructions send its model there, so it costs nothing until then. Callers that may see no tool
/// of the group or bundle do not see its files either.
///
/// The path is relative, with `/` between names of `A-Z a-z 0-9 . _ -`.
/// [`Registry::check`](crate::Registry::check) checks the other rules: no name begins or ends with
/// a dot, `SKILL.md` and the paths of tools' descriptions (`references/TOOL.json`) are reserved,
/// and no two paths differ only in case. A file has at most 1 MiB, a skill at most 100 files of its
/// own and 8 MiB of them.
///
/// ```
/// use pd_runtime::{Group, SkillFile};
///
/// let history: Group<()> = Group::new("history", "Read history")
///     .instructions(
///         "Units are in `references/units.md`. To find a culprit, run `scripts/bisect.sh`.",
///     )
///     .file("references/units.md", "Sizes are in bytes.")
///     .file("scripts/bisect.sh", b"#!/bin/sh\nexec git bisect run \"$@\"\n")
///     .files([SkillFile::new("assets/empty.txt", "")]);
/// # let _ = history;
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SkillFile {
    path: Arc<str>,
    contents: Arc<[u8]>,
    digest: Arc<str>,
}

impl SkillFile {
    /// Creates a file at this path in its skill from text, or from bytes such as those of
    /// `include_bytes!`.
    pub fn new(path: impl AsRef<str>, contents: impl AsRef<[u8]>) -> Self {
        let contents = contents.as_ref();
        let digest = Digest::from_bytes(contents).to_string();
        Self {
            path: path.as_ref().into(),
            contents: contents.into(),
            digest: digest.into(),
        }
    }

    /// Reads all files in a directory and its subdirectories. Their paths are relative to the
    /// directory.
    ///
    /// Files and directories whose name begins with a dot are left out.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be read, has more files than a skill may have or a
    /// file that is too large, or contains anything else than files and directories. Symbolic links
    /// are not followed.
    pub fn read_dir(directory: impl AsRef<Path>) -> io::Result<Vec<Self>> {
        directory::read(directory.as_ref())
    }

    /// Returns the path in its skill.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the file's contents.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    /// Returns the media type by the name's extension: `text/plain` or `application/octet-stream`
    /// for an unknown one.
    pub fn media_type(&self) -> &'static str {
        media_type::media_type(&self.path, self.text().is_some())
    }

    /// Returns the text of a file that is UTF-8 without NUL.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.contents)
            .ok()
            // Binary formats may be valid UTF-8 by chance, but most contain a NUL.
            .filter(|text| !text.contains('\0'))
    }

    /// Returns `sha256:` and the hash of the contents.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Checks the rules that need no other file of the skill.
    ///
    /// # Errors
    ///
    /// Returns an error with the correction.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.contents.len() > FILE_BYTES_MAX {
            let size = self.contents.len();
            let most = FILE_BYTES_MAX;
            return Err(format!(
                "it has {size} bytes, and a file has at most {most}; cut it or put it elsewhere"
            ));
        }
        check_path(&self.path).map_err(str::to_owned)
    }
}

fn check_path(path: &str) -> Result<(), &'static str> {
    // Checked first, because the messages below would display these characters.
    if path
        .chars()
        .any(|letter| letter.is_control() || is_invisible(letter))
    {
        return Err("its path has a control character or an invisible one; remove it");
    }
    // Windows reads `\` as a separator, and `:` as the end of a drive or of a stream name.
    if path.starts_with('/') || path.contains(['\\', ':']) {
        return Err("its path must be relative to the skill, with `/` between names");
    }
    if path
        .chars()
        .any(|letter| !(letter.is_ascii_alphanumeric() || "._-/".contains(letter)))
        || path.len() > PATH_MAX
    {
        return Err("its path must be at most 200 of `A-Z a-z 0-9 . _ - /`");
    }
    if path
        .split('/')
        // A leading dot hides a file on Unix, and Windows drops a trailing one.
        .any(|name| name.is_empty() || name.starts_with('.') || name.ends_with('.'))
    {
        return Err(
            "a name in its path is empty, or begins or ends with a dot; write the path without `.` and `..`",
        );
    }
    if path.split('/').count() > DEPTH_MAX {
        return Err("its path is more than 8 names deep; move it up");
    }
    // File systems that ignore case would write both to one file.
    match path.eq_ignore_ascii_case(MANUAL) {
        true => Err("the server writes `SKILL.md`; put that text into the instructions"),
        false => Ok(()),
    }
}

/// Shows the path and the size, because contents may be large.
impl fmt::Debug for SkillFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillFile")
            .field("path", &self.path)
            .field("bytes", &self.contents.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_skill() {
        for path in [
            "scripts/run.sh",
            "LICENSE",
            "references/a-b_c.2.md",
            "a/b/c/d/e/f/g/h",
        ] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        let long = "x".repeat(201);
        for path in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            ".env",
            "a/.git/x",
            "x.",
            "C:/x",
            "a\\b",
            "a b",
            "é",
            "a\u{200b}b",
            "a\nb",
            "a\u{fe0f}",
            "a%2e",
            "a?b",
            "a#b",
            "SKILL.md",
            "skill.MD",
            "a/b/c/d/e/f/g/h/i",
            &long,
        ] {
            assert!(check_path(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_file_has_a_bound() {
        assert_eq!(
            SkillFile::new("a.bin", vec![0; FILE_BYTES_MAX]).check(),
            Ok(())
        );
        assert!(
            SkillFile::new("a.bin", vec![0; FILE_BYTES_MAX + 1])
                .check()
                .is_err_and(|why| why.contains("1048577 bytes"))
        );
    }

    #[test]
    fn text_is_told_from_bytes() {
        for (name, contents, media_type) in [
            ("a.md", &b"# A"[..], "text/markdown"),
            ("a.MD", b"\xff", "application/octet-stream"),
            ("run", b"#!/bin/sh", "text/plain"),
            ("a.png", b"\x89PNG", "image/png"),
            ("a.json", b"{}", "application/json"),
            ("a.txt", b"a\0b", "application/octet-stream"),
            ("data", b"\x00", "application/octet-stream"),
        ] {
            assert_eq!(
                SkillFile::new(name, contents).media_type(),
                media_type,
                "{name}"
            );
        }
    }
}
