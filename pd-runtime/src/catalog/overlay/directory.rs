//! Reads all files of a directory as of one moment.

use super::error::OverlayErrorKind;
use crate::parallel;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, DirEntry, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

/// The limit on the size of a file, in bytes.
const FILE_MAX: u64 = 1 << 20;
/// The initial buffer for a file, in bytes. Most descriptions fit, so no `stat` call for the size
/// is needed.
const USUAL: usize = 8 << 10;
/// The limits on the number of files, and on their total size in bytes.
const FILES_MAX: usize = 10_000;
const BYTES_MAX: usize = 64 << 20;
/// The limit on the number of comparisons. After each difference, the directory is read again.
const TRIES_MAX: usize = 20;
/// The pause after each difference.
const PAUSE: Duration = Duration::from_millis(5);

/// The files by name: the content, or the reason why it is not available.
pub(super) type DirectoryFiles = BTreeMap<OsString, Result<Vec<u8>, OverlayErrorKind>>;

/// Reads all descriptions in a directory: its `*.json` files, except files with a name that begins
/// with a dot. Subdirectories are ignored.
///
/// The directory is read until two successive passes find the same bytes. The content between those
/// passes is then a consistent state. Modification times and lengths are not trusted.
///
/// # Errors
///
/// Returns an error if the directory cannot be read, exceeds a limit, or changes on every pass.
pub(super) fn read(directory: &Path) -> Result<DirectoryFiles, OverlayErrorKind> {
    let mut files = read_pass(directory)?;
    for _ in 0..TRIES_MAX {
        if is_unchanged(&files, directory)? {
            return Ok(files);
        }
        files = read_pass(directory)?;
        thread::sleep(PAUSE);
    }
    Err(OverlayErrorKind::Unsettled)
}

fn read_pass(directory: &Path) -> Result<DirectoryFiles, OverlayErrorKind> {
    let entries = descriptions(directory)?;
    let bytes = AtomicUsize::new(0);
    // Files are read in parallel, so the count may overshoot by the files in flight. It never
    // passes a result that is over the limit.
    let is_room = |more| bytes.fetch_add(more, Ordering::Relaxed) + more <= BYTES_MAX;
    // Skip the read once the limit is exceeded, then count what this file added.
    parallel::map_items(&entries, |entry| {
        let read = is_room(0).then(|| read_entry(directory, entry))?;
        is_room(read.as_ref().map_or(0, Vec::len)).then(|| (entry.file_name(), read))
    })
    .into_iter()
    .collect::<Option<DirectoryFiles>>()
    .ok_or_else(too_much)
}

/// Reads the directory again and returns whether everything is unchanged.
fn is_unchanged(files: &DirectoryFiles, directory: &Path) -> Result<bool, OverlayErrorKind> {
    let entries = descriptions(directory)?;
    let is_same =
        |entry: &DirEntry| files.get(&entry.file_name()) == Some(&read_entry(directory, entry));
    Ok(entries.len() == files.len()
        && parallel::map_items(&entries, is_same)
            .into_iter()
            .all(|is_same| is_same))
}

fn descriptions(directory: &Path) -> Result<Vec<DirEntry>, OverlayErrorKind> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| unreadable(&error))? {
        let entry = entry.map_err(|error| unreadable(&error))?;
        if is_description(&entry.file_name()) && !entry.file_type().is_ok_and(|kind| kind.is_dir())
        {
            entries.push(entry);
        }
        // Checked inside the loop, so that a directory with millions of files is not listed to its
        // end.
        if entries.len() > FILES_MAX {
            return Err(too_much());
        }
    }
    Ok(entries)
}

fn too_much() -> OverlayErrorKind {
    OverlayErrorKind::TooMuch {
        max: format!("{FILES_MAX} files, or {} MiB", BYTES_MAX >> 20),
    }
}

/// Returns whether a file with this name describes a tool. Editors' backup and swap files do not.
fn is_description(name: &OsString) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".json") && !name.starts_with(b".")
}

fn read_entry(directory: &Path, entry: &DirEntry) -> Result<Vec<u8>, OverlayErrorKind> {
    let kind = entry.file_type().map_err(|error| unreadable(&error))?;
    let path = if kind.is_symlink() {
        resolve_link(directory, &entry.path())?
    } else {
        entry.path()
    };
    // Opening a named pipe would block until another process writes to it.
    if !kind.is_file() && !path.is_file() {
        return Err(OverlayErrorKind::Unreadable {
            why: "it is not a regular file".to_owned(),
        });
    }
    read_file(&path)
}

/// Resolves a link, if its target is inside the directory. Kubernetes mounts a `ConfigMap` with
/// such links.
fn resolve_link(directory: &Path, link: &Path) -> Result<PathBuf, OverlayErrorKind> {
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| unreadable(&error));
    // Both are resolved, because the directory itself may be reached by a link.
    let directory = real(directory)?;
    let target = real(link)?;
    if target.starts_with(directory) {
        Ok(target)
    } else {
        Err(OverlayErrorKind::Outside)
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, OverlayErrorKind> {
    let read = || {
        let mut bytes = Vec::with_capacity(USUAL);
        // One byte over the limit is enough to detect a file that is too large, even one that grows
        // during the read.
        File::open(path)?
            .take(FILE_MAX + 1)
            .read_to_end(&mut bytes)?;
        // The contents are kept as long as the overlay, and most are much shorter than the buffer.
        bytes.shrink_to_fit();
        io::Result::Ok(bytes)
    };
    let bytes = read().map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > FILE_MAX {
        Err(OverlayErrorKind::TooLarge { max: FILE_MAX })
    } else {
        Ok(bytes)
    }
}

fn unreadable(error: &io::Error) -> OverlayErrorKind {
    OverlayErrorKind::Unreadable {
        why: error.to_string(),
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::{super::tests::Folder, *};
    use std::sync::atomic::AtomicBool;

    fn names(folder: &Folder) -> Vec<String> {
        read(folder.as_ref())
            .unwrap()
            .into_keys()
            .map(|name| name.into_string().unwrap())
            .collect()
    }

    #[test]
    fn what_describes_no_tool_is_passed_over() {
        let folder = Folder::new(&[
            ("log.json", "{}"),
            (".hidden.json", "{}"),
            (".pd-export.record", "{}"),
            ("log.json~", "{}"),
            ("log.json.swp", "{}"),
            ("README.md", "# Tools"),
        ]);
        fs::create_dir(folder.path("old.json")).unwrap();
        assert_eq!(names(&folder), ["log.json"]);
    }

    #[test]
    fn a_file_may_have_a_mebibyte() {
        let folder = Folder::new(&[
            ("fits.json", &" ".repeat(1 << 20)),
            ("over.json", &" ".repeat((1 << 20) + 1)),
        ]);
        let files = read(folder.as_ref()).unwrap();
        assert!(files[&OsString::from("fits.json")].is_ok());
        assert_eq!(
            files[&OsString::from("over.json")],
            Err(OverlayErrorKind::TooLarge { max: 1 << 20 })
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_within_the_directory_only() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new(&[]);
        let outside = Folder::new(&[("secret.json", "{}")]);
        fs::create_dir(folder.path("..2026")).unwrap();
        folder.write("..2026/log.json", "{\"description\": \"mounted\"}");
        symlink("..2026", folder.path("..data")).unwrap();
        symlink("..data/log.json", folder.path("log.json")).unwrap();
        symlink(outside.path("secret.json"), folder.path("out.json")).unwrap();
        symlink("nowhere.json", folder.path("broken.json")).unwrap();
        symlink("..data", folder.path("directory.json")).unwrap();
        let files = read(folder.as_ref()).unwrap();
        assert_eq!(
            files[&OsString::from("log.json")],
            Ok(b"{\"description\": \"mounted\"}".to_vec())
        );
        assert_eq!(
            files[&OsString::from("out.json")],
            Err(OverlayErrorKind::Outside)
        );
        for unreadable in ["broken.json", "directory.json"] {
            assert!(
                matches!(
                    files[&OsString::from(unreadable)],
                    Err(OverlayErrorKind::Unreadable { .. })
                ),
                "{unreadable}"
            );
        }
    }

    #[test]
    fn a_directory_that_is_not_there_cannot_be_read() {
        let folder = Folder::new(&[]);
        assert!(matches!(
            read(&folder.path("no")),
            Err(OverlayErrorKind::Unreadable { .. })
        ));
    }

    /// A writer moves eight files, one after the other, to the next number. A reader without the
    /// second pass would see numbers that were never in the directory together.
    #[test]
    fn files_are_read_as_they_stood_at_one_moment() {
        let folder = Folder::new(&[]);
        let path = |file: usize| folder.path(&format!("{file}.json"));
        let write = |number: u32, file: usize| {
            fs::write(folder.path("new"), number.to_string()).unwrap();
            fs::rename(folder.path("new"), path(file)).unwrap();
        };
        (0..8).for_each(|file| write(0, file));
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1.. {
                    (0..8).for_each(|file| write(number, file));
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    // Without pauses, no two passes would ever be equal.
                    thread::sleep(Duration::from_millis(u64::from(number % 4) * 2));
                }
            });
            let mut seen = 0;
            for _ in 0..200 {
                let Ok(files) = read(folder.as_ref()) else {
                    continue;
                };
                let numbers: Vec<u32> = files
                    .into_values()
                    .map(|text| String::from_utf8(text.unwrap()).unwrap().parse().unwrap())
                    .collect();
                let stood = numbers.windows(2).all(|pair| pair[0] >= pair[1])
                    && numbers[0] - numbers[7] <= 1;
                seen += u32::from(stood);
                if !stood {
                    is_over.store(true, Ordering::Relaxed);
                    assert!(stood, "{numbers:?}");
                }
            }
            is_over.store(true, Ordering::Relaxed);
            assert!(seen > 20, "{seen} of 200 looks found anything");
        });
    }
}
