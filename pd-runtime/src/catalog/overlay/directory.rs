//! A directory's files as they all stood at one moment, or nothing.

use super::error::OverlayFault;
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

/// The largest file, in bytes.
const FILE_MAX: u64 = 1 << 20;
/// What a file seldom exceeds, in bytes: one that fits is read at once, and nobody is asked how long it is.
const USUAL: usize = 8 << 10;
/// The most files, and the most bytes of all of them.
const FILES_MAX: usize = 10_000;
const BYTES_MAX: usize = 64 << 20;
/// How often it is looked whether the directory is still as it was read; it is read anew each time that it is not.
const TRIES_MAX: usize = 20;
/// How long it is left alone after that.
const PAUSE: Duration = Duration::from_millis(5);

/// The files by their names: what stands in each, or why that is not known.
pub(super) type Files = BTreeMap<OsString, Result<Vec<u8>, OverlayFault>>;

/// All descriptions in a directory: its `*.json`, without those whose names begin with a dot, and without what stands in
/// directories inside.
///
/// Two looks in succession that find the same, byte by byte, find what was there between them, at one moment. No file's time
/// or length is trusted.
///
/// # Errors
///
/// The directory cannot be read, holds too much, or is never found twice the same.
pub(super) fn read(directory: &Path) -> Result<Files, OverlayFault> {
    let mut files = look(directory)?;
    for _ in 0..TRIES_MAX {
        if is_still(&files, directory)? {
            return Ok(files);
        }
        files = look(directory)?;
        thread::sleep(PAUSE);
    }
    Err(OverlayFault::Unsettled)
}

fn look(directory: &Path) -> Result<Files, OverlayFault> {
    let entries = descriptions(directory)?;
    let bytes = AtomicUsize::new(0);
    let is_room = |more| bytes.fetch_add(more, Ordering::Relaxed) + more <= BYTES_MAX;
    let read = |entry: &DirEntry| {
        let read = is_room(0).then(|| read_entry(directory, entry))?;
        is_room(read.as_ref().map_or(0, Vec::len)).then(|| (entry.file_name(), read))
    };
    parallel::each(&entries, read).into_iter().collect::<Option<Files>>().ok_or_else(too_much)
}

/// Looks again, and whether all is as it was.
fn is_still(files: &Files, directory: &Path) -> Result<bool, OverlayFault> {
    let entries = descriptions(directory)?;
    let is_same = |entry: &DirEntry| files.get(&entry.file_name()) == Some(&read_entry(directory, entry));
    Ok(entries.len() == files.len() && parallel::each(&entries, is_same).into_iter().all(|is_same| is_same))
}

fn descriptions(directory: &Path) -> Result<Vec<DirEntry>, OverlayFault> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| unreadable(&error))? {
        let entry = entry.map_err(|error| unreadable(&error))?;
        if is_description(&entry.file_name()) && !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            entries.push(entry);
        }
        if entries.len() > FILES_MAX {
            return Err(too_much());
        }
    }
    Ok(entries)
}

fn too_much() -> OverlayFault {
    OverlayFault::TooMuch { max: format!("{FILES_MAX} files, or {} MiB", BYTES_MAX >> 20) }
}

/// Whether a file of this name describes a tool.
fn is_description(name: &OsString) -> bool {
    let name = name.as_encoded_bytes();
    name.ends_with(b".json") && !name.starts_with(b".")
}

fn read_entry(directory: &Path, entry: &DirEntry) -> Result<Vec<u8>, OverlayFault> {
    let kind = entry.file_type().map_err(|error| unreadable(&error))?;
    let path = if kind.is_symlink() { linked(directory, &entry.path())? } else { entry.path() };
    // Opening a pipe would wait for somebody to write to it.
    if !kind.is_file() && !path.is_file() {
        return Err(OverlayFault::Unreadable { why: "it is no file".to_owned() });
    }
    read_file(&path)
}

/// Where a link leads, if that is inside the directory: as Kubernetes mounts a `ConfigMap`, say.
fn linked(directory: &Path, link: &Path) -> Result<PathBuf, OverlayFault> {
    let real = |path: &Path| fs::canonicalize(path).map_err(|error| unreadable(&error));
    let (directory, target) = (real(directory)?, real(link)?);
    if target.starts_with(directory) { Ok(target) } else { Err(OverlayFault::Outside) }
}

fn read_file(path: &Path) -> Result<Vec<u8>, OverlayFault> {
    let read = || {
        let mut bytes = Vec::with_capacity(USUAL);
        File::open(path)?.take(FILE_MAX + 1).read_to_end(&mut bytes)?;
        bytes.shrink_to_fit();
        io::Result::Ok(bytes)
    };
    let bytes = read().map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > FILE_MAX { Err(OverlayFault::TooLarge { max: FILE_MAX }) } else { Ok(bytes) }
}

fn unreadable(error: &io::Error) -> OverlayFault {
    OverlayFault::Unreadable { why: error.to_string() }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::{super::tests::Folder, *};
    use std::sync::atomic::AtomicBool;

    fn names(folder: &Folder) -> Vec<String> {
        read(folder.as_ref()).unwrap().into_keys().map(|name| name.into_string().unwrap()).collect()
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
        let folder = Folder::new(&[("fits.json", &" ".repeat(1 << 20)), ("over.json", &" ".repeat((1 << 20) + 1))]);
        let files = read(folder.as_ref()).unwrap();
        assert!(files[&OsString::from("fits.json")].is_ok());
        assert_eq!(files[&OsString::from("over.json")], Err(OverlayFault::TooLarge { max: 1 << 20 }));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_within_the_directory_only() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (Folder::new(&[]), Folder::new(&[("secret.json", "{}")]));
        fs::create_dir(folder.path("..2026")).unwrap();
        folder.write("..2026/log.json", "{\"description\": \"mounted\"}");
        symlink("..2026", folder.path("..data")).unwrap();
        symlink("..data/log.json", folder.path("log.json")).unwrap();
        symlink(outside.path("secret.json"), folder.path("out.json")).unwrap();
        symlink("nowhere.json", folder.path("broken.json")).unwrap();
        symlink("..data", folder.path("directory.json")).unwrap();
        let files = read(folder.as_ref()).unwrap();
        assert_eq!(files[&OsString::from("log.json")], Ok(b"{\"description\": \"mounted\"}".to_vec()));
        assert_eq!(files[&OsString::from("out.json")], Err(OverlayFault::Outside));
        for unreadable in ["broken.json", "directory.json"] {
            assert!(matches!(files[&OsString::from(unreadable)], Err(OverlayFault::Unreadable { .. })), "{unreadable}");
        }
    }

    #[test]
    fn a_directory_that_is_not_there_cannot_be_read() {
        let folder = Folder::new(&[]);
        assert!(matches!(read(&folder.path("no")), Err(OverlayFault::Unreadable { .. })));
    }

    /// A writer keeps eight files one after the other at the next number. Whoever reads them one by one sees numbers that never
    /// stood there together.
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
                    // Or nothing is ever found twice the same.
                    thread::sleep(Duration::from_millis(u64::from(number % 4) * 2));
                }
            });
            let mut seen = 0;
            for _ in 0..200 {
                let Ok(files) = read(folder.as_ref()) else { continue };
                let number = |text: Result<Vec<u8>, _>| String::from_utf8(text.unwrap()).unwrap().parse().unwrap();
                let numbers: Vec<u32> = files.into_values().map(number).collect();
                let stood = numbers.windows(2).all(|pair| pair[0] >= pair[1]) && numbers[0] - numbers[7] <= 1;
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
