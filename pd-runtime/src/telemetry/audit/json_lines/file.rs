//! The file that audit events are written to.

use std::{
    fs::{self, File, Metadata, OpenOptions},
    io,
    path::Path,
};

/// Opens a file for appending. Only the owner can read the file: a new one is created that way, and
/// the mode of an existing one is changed.
///
/// # Errors
///
/// Returns an error if the file cannot be opened or is not a regular file.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // Opening a FIFO blocks until it has a reader, and each write to it may block as well.
    if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
        return Err(not_regular());
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let known = file.metadata()?;
    // The path may have been replaced between the first check and the opening.
    if !known.is_file() {
        return Err(not_regular());
    }
    tighten(path, &file, &known);
    Ok(file)
}

fn not_regular() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidInput,
        "it is not a regular file; name a regular file, or one that does not exist",
    )
}

/// Revokes the permissions of the file's group and of others, because events can contain personal
/// data.
#[cfg(unix)]
fn tighten(path: &Path, file: &File, known: &Metadata) {
    use std::os::unix::fs::PermissionsExt;
    let mode = known.permissions().mode() & 0o777;
    if mode & 0o077 == 0 {
        return;
    }
    let path = path.display();
    let before = format!("{mode:04o}");
    match file.set_permissions(PermissionsExt::from_mode(0o600)) {
        Ok(()) => {
            tracing::warn!(%path, before, "the audit file was open to other users; its mode is 0600 now")
        }
        Err(error) => {
            tracing::warn!(%path, before, %error, "the audit file is open to other users; set its mode to 0600")
        }
    }
}

#[cfg(not(unix))]
fn tighten(_: &Path, _: &File, _: &Metadata) {}
