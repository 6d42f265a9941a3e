//! Writes whole files: never in part, and readable by nobody else than before.

#[cfg(feature = "cli")]
use std::time::SystemTime;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// The number of the next unfinished file of this process.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);
/// The most backups of one second.
#[cfg(feature = "cli")]
const BACKUPS_MAX: u32 = 100;

/// The permissions of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileReaders {
    /// Only the owner can read it.
    Owner,
    /// The permissions of the process's other files.
    #[cfg(feature = "lock")]
    Default,
}

/// Replaces the content of a file. A reader sees the old content or the new one. The permissions
/// of the file stay. Only the owner can read a new file. A link stays a link.
///
/// # Errors
///
/// Returns an error if the file cannot be written. The old content is then still there.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    write_atomically(path, text, FileReaders::Owner)
}

/// Replaces the content of a file as [`write_private`] does. Others may read a new file.
///
/// # Errors
///
/// Returns the errors of [`write_private`].
#[cfg(feature = "lock")]
pub(crate) fn write_public(path: &Path, text: &str) -> io::Result<()> {
    write_atomically(path, text, FileReaders::Default)
}

/// Creates a file with this content, which only its owner can read. A reader sees the whole
/// content.
///
/// # Errors
///
/// Returns an error if the file cannot be written, or exists already.
pub(crate) fn create_private(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = unfinished_path(path);
    let written = create(&unfinished, FileReaders::Owner).and_then(|file| write(file, text, None));
    // A link fails if the path exists. To rename would replace what another process has created.
    let linked = written.and_then(|()| fs::hard_link(&unfinished, path));
    // The link keeps the content, so this name is removed in both cases.
    drop(fs::remove_file(&unfinished));
    linked
}

/// Creates a directory and its parents, if they do not exist. Only the owner can enter new ones.
///
/// # Errors
///
/// Returns the errors of the file system.
pub fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

fn unfinished_path(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    // Another thread may write the same file.
    let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    target.with_file_name(name)
}

fn write_atomically(path: &Path, text: &str, readers: FileReaders) -> io::Result<()> {
    // The rename must replace the file that a link leads to, and not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let unfinished = unfinished_path(&target);
    let file = create(&unfinished, readers)?;
    let written = write(file, text, fs::metadata(&target).ok())
        .and_then(|()| fs::rename(&unfinished, &target));
    // The error of the write is the one to report, so an error of the removal is dropped.
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

fn write(mut file: File, text: &str, old: Option<fs::Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        // Before the content is written, so that no other user can read it in between.
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    // The content must be on the disk before the rename. After a crash the file could be empty.
    file.sync_all()
}

/// Opens a file at its end for writing. Only its owner can read a new file.
///
/// # Errors
///
/// Returns the errors of the file system.
pub(crate) fn append_private(path: &Path) -> io::Result<File> {
    options(FileReaders::Owner)
        .append(true)
        .create(true)
        .open(path)
}

/// Creates an empty file that only its owner can read.
///
/// # Errors
///
/// Returns an error if anything is at the path, also a link that leads nowhere.
#[cfg(feature = "lock")]
pub(super) fn create_new_private(path: &Path) -> io::Result<File> {
    create(path, FileReaders::Owner)
}

fn create(path: &Path, readers: FileReaders) -> io::Result<File> {
    // `create_new` fails if an attacker has put a link at the path, and does not follow it.
    options(readers).write(true).create_new(true).open(path)
}

fn options(readers: FileReaders) -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    if readers == FileReaders::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    options
}

/// Creates an empty directory for a test.
#[cfg(test)]
pub(crate) fn test_directory() -> PathBuf {
    let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
    let directory =
        std::env::temp_dir().join(format!("pd-runtime-test-{}-{number}", std::process::id()));
    drop(fs::remove_dir_all(&directory));
    create_private_directory(&directory).unwrap_or_default();
    directory
}

/// Copies a file to `FILE.bak-TIME` beside it, and returns the path of the copy.
///
/// # Errors
///
/// Returns an error if the file cannot be copied. No file is overwritten.
#[cfg(feature = "cli")]
pub fn back_up(path: &Path) -> io::Result<PathBuf> {
    let time = chrono::DateTime::<chrono::Utc>::from(SystemTime::now()).format("%Y%m%dT%H%M%SZ");
    let text = super::regular_file::read(path)?;
    for number in 1..=BACKUPS_MAX {
        // Two changes within one second would need the same name.
        let suffix = if number == 1 {
            String::new()
        } else {
            format!("-{number}")
        };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".bak-{time}{suffix}"));
        let copy = path.with_file_name(name);
        let mut file = match create(&copy, FileReaders::Owner) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        file.write_all(&text)?;
        // The caller overwrites the original next, so the copy must be on the disk.
        file.sync_all()?;
        return Ok(copy);
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        "there are too many backups of this second",
    ))
}
