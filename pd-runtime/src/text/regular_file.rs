//! Reads files that a person names by path. Opening a pipe blocks until another process writes to
//! it, and a device may have no end, so only regular files are opened. Links are followed.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// Opens a file for reading.
///
/// # Errors
///
/// Returns an error if the path does not lead to a regular file, or the system refuses access.
pub fn open(path: &Path) -> io::Result<File> {
    // Checked before the file is opened, because opening a pipe is the step that blocks.
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a directory, not a file",
        ));
    }
    if !kind.is_file() {
        let advice = "it is a pipe, a socket or a device; write its content to a regular file, and name that";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, advice));
    }
    File::open(path)
}

/// Opens a file that nobody else may write, because what it says is trusted.
///
/// # Errors
///
/// Returns the errors of [`open`], and an error if the group or others may write the file.
pub fn open_private(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    // Checked on the open file, which cannot be exchanged for another one in between.
    // The mask is the write permission of the group, and of others.
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions()) & 0o022 != 0 {
        let why = format!(
            "others may write it; check what it has, and run `chmod go-w {}`",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(file)
}

/// Reads a whole file.
///
/// # Errors
///
/// Returns the errors of [`open`], and errors of reading.
#[cfg(any(feature = "cli", feature = "semantic"))]
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    use io::Read;
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole file as text.
///
/// # Errors
///
/// Returns the errors of [`open`], errors of reading, and an error if the file is not UTF-8.
#[cfg(any(
    feature = "cli",
    feature = "code",
    feature = "export",
    feature = "lock"
))]
pub fn read_to_string(path: &Path) -> io::Result<String> {
    use io::Read;
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
