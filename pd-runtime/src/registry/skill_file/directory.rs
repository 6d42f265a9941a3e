//! Reads a skill's own files from a directory, within bounds.

use super::{DEPTH_MAX, FILE_BYTES_MAX, SKILL_FILES_MAX, SkillFile};
use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

/// Reads all files in a directory, sorted by path.
pub(super) fn read(directory: &Path) -> io::Result<Vec<SkillFile>> {
    let mut files = Vec::new();
    collect(directory, "", DEPTH_MAX, &mut files)?;
    // File systems list entries in no certain order. `SKILL.md` links to files in this order, and
    // its digest must not differ between replicas.
    files.sort_by(|one: &SkillFile, other| one.path.cmp(&other.path));
    Ok(files)
}

fn collect(
    directory: &Path,
    above: &str,
    depth: usize,
    files: &mut Vec<SkillFile>,
) -> io::Result<()> {
    for entry in fs::read_dir(directory).map_err(|error| with_path(directory, error))? {
        let entry = entry?;
        let name = entry.file_name();
        let path = entry.path();
        let name = name
            .to_str()
            .ok_or_else(|| invalid_input(&path, "its name is not UTF-8"))?;
        if name.starts_with('.') {
            continue;
        }
        let inside = format!("{above}{name}");
        // The entry's own type. `fs::metadata` would follow a link out of the directory, and
        // opening a pipe would block.
        let kind = entry.file_type()?;
        if kind.is_dir() && depth > 1 {
            collect(&path, &format!("{inside}/"), depth - 1, files)?;
        } else if kind.is_dir() {
            return Err(invalid_input(&path, "it is more than 8 directories deep"));
        } else if !kind.is_file() {
            return Err(invalid_input(
                &path,
                "it is not a regular file; links are not followed",
            ));
        // Checked before the read, so that a large directory costs no more than its first files.
        } else if files.len() == SKILL_FILES_MAX {
            return Err(invalid_input(
                directory,
                "a skill has at most 100 files of its own",
            ));
        } else {
            files.push(SkillFile::new(inside, read_bounded(&path)?));
        }
    }
    Ok(())
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| with_path(path, error))?;
    // One byte more than allowed shows that a file is too large. Its size on disk could change
    // between a check and the read.
    file.take(FILE_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| with_path(path, error))?;
    match bytes.len() > FILE_BYTES_MAX {
        true => Err(invalid_input(path, "it has more than 1 MiB")),
        false => Ok(bytes),
    }
}

fn invalid_input(path: &Path, why: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{}: {why}", path.display()),
    )
}

fn with_path(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// A directory that is removed with its value.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("pd-skill-{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("scripts/more")).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn files_are_read_by_their_paths() {
        let folder = Folder::new("read");
        for (path, text) in [("b.md", "b"), ("scripts/more/a.sh", "a"), (".hidden", "no")] {
            fs::write(folder.0.join(path), text).unwrap();
        }
        let files = SkillFile::read_dir(&folder.0).unwrap();
        let pairs: Vec<_> = files
            .iter()
            .map(|file| (file.path(), file.contents()))
            .collect();
        assert_eq!(pairs, [("b.md", &b"b"[..]), ("scripts/more/a.sh", b"a")]);
        fs::write(folder.0.join("large.bin"), vec![0; FILE_BYTES_MAX + 1]).unwrap();
        assert!(
            read(&folder.0)
                .unwrap_err()
                .to_string()
                .ends_with("large.bin: it has more than 1 MiB")
        );
        assert!(read(&folder.0.join("none")).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn links_and_pipes_are_not_opened() {
        let folder = Folder::new("link");
        std::os::unix::fs::symlink("/etc/hostname", folder.0.join("scripts/host")).unwrap();
        assert!(
            read(&folder.0)
                .unwrap_err()
                .to_string()
                .contains("links are not followed")
        );
    }
}
