//! Writes files that contain secrets: never in part, and readable by nobody else than before.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
#[cfg(feature = "cli")]
use std::{path::PathBuf, time::SystemTime};

/// The number of the next unfinished file of this process.
static UNFINISHED: AtomicU64 = AtomicU64::new(0);
/// The most backups of one second.
#[cfg(feature = "cli")]
const BACKUPS_MAX: u32 = 100;

/// Replaces the content of a file. A reader sees the old content or the new one. The permissions
/// of the file stay, and those of a new file let only its owner read it. A link stays a link.
///
/// # Errors
///
/// Returns an error if the file cannot be written. The old content is then still there.
pub(crate) fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut name = target.file_name().unwrap_or_default().to_owned();
    // Another thread may write the same file.
    let number = UNFINISHED.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{number}.tmp", std::process::id()));
    let unfinished = target.with_file_name(name);
    let file = create_private(&unfinished)?;
    let written = write(file, text, fs::metadata(&target).ok()).and_then(|()| fs::rename(&unfinished, &target));
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

fn write(mut file: File, text: &str, old: Option<fs::Metadata>) -> io::Result<()> {
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Creates a file that only its owner can read.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Copies a file to `FILE.bak-TIME` beside it, and returns the path of the copy.
///
/// # Errors
///
/// Returns an error if the file cannot be copied. No file is overwritten.
#[cfg(feature = "cli")]
pub(crate) fn back_up(path: &Path) -> io::Result<PathBuf> {
    let time = chrono::DateTime::<chrono::Utc>::from(SystemTime::now()).format("%Y%m%dT%H%M%SZ");
    let text = fs::read(path)?;
    for number in 1..=BACKUPS_MAX {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".bak-{time}{suffix}"));
        let copy = path.with_file_name(name);
        let mut file = match create_private(&copy) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        file.write_all(&text)?;
        file.sync_all()?;
        return Ok(copy);
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "there are too many backups of this second"))
}
