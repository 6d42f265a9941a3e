//! Files that a person names by path. Opening a pipe waits until somebody writes to it, and a
//! device may have no end, so only regular files are opened. Links are followed.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Opens a file to be read.
///
/// # Errors
///
/// The path leads to no regular file, or the system refuses.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Asked before the file is opened, because opening a pipe is what waits.
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory, not a file"));
    }
    if !kind.is_file() {
        let advice = "it is a pipe, a socket or a device; write its content to a regular file, and name that";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, advice));
    }
    File::open(path)
}

/// Reads a whole file.
///
/// # Errors
///
/// Those of [`open`].
#[cfg(any(feature = "cli", feature = "semantic"))]
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a whole file as text.
///
/// # Errors
///
/// Those of [`open`], or a byte that is not UTF-8.
pub(crate) fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
