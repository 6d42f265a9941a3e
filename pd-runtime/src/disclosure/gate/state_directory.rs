//! The directory in which a server keeps what the gate needs after its process has ended.

use super::ticket::parse_key;
use crate::{
    digest::hex::Hex,
    text::{regular_file, write_file},
};
use std::{
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};

/// The file with the key that signs tickets, in the form of `--ticket-key-file`.
const TICKET_KEY: &str = "ticket-key";
/// The file with the hashes of refused calls.
const REFUSED_CALLS: &str = "refused-calls";
/// The most bytes of a key file.
const KEY_BYTES: u64 = 1_024;

/// The directory, which need not exist.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StateDirectory<'a>(&'a Path);

impl<'a> StateDirectory<'a> {
    pub(crate) fn new(path: &'a Path) -> Self {
        Self(path)
    }

    /// Returns the path of the file with the refused calls.
    pub(crate) fn refused_calls(self) -> PathBuf {
        self.0.join(REFUSED_CALLS)
    }

    /// Returns the key that all processes with this directory share, and creates it if there is
    /// none. Returns `None` if the directory cannot be used: tickets then end with the process.
    pub(crate) fn ticket_key(self) -> Option<[u8; 32]> {
        let path = self.0.join(TICKET_KEY);
        let key = read_key(&path).or_else(|error| {
            let text = new_key().ok_or(error)?;
            write_file::create_private_directory(self.0)?;
            match write_file::create_private(&path, &text) {
                // Another process may have created it meanwhile. A damaged one is replaced.
                Err(_) if read_key(&path).is_err() => write_file::write_private(&path, &text)?,
                _ => {}
            }
            // The key in the file counts, also if another process wrote it.
            read_key(&path)
        });
        key.inspect_err(
            |error| tracing::debug!(%error, path = %path.display(), "tickets end with the process"),
        )
        .ok()
    }
}

fn read_key(path: &Path) -> io::Result<[u8; 32]> {
    let mut text = String::new();
    regular_file::open(path)?
        .take(KEY_BYTES)
        .read_to_string(&mut text)?;
    parse_key(text.trim()).ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "it has no key"))
}

/// Returns the text of a new key.
fn new_key() -> Option<String> {
    let mut key = [0_u8; 32];
    getrandom::fill(&mut key).ok()?;
    Some(format!("{}\n", Hex(&key)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::text::write_file::test_directory;
    use std::fs;

    #[test]
    fn a_key_is_created_once_and_a_damaged_one_is_replaced() {
        let directory = test_directory();
        let path = directory.join("new/state");
        let key = StateDirectory::new(&path).ticket_key().unwrap();
        assert_eq!(StateDirectory::new(&path).ticket_key(), Some(key));
        fs::write(path.join(TICKET_KEY), "damaged").unwrap();
        let other = StateDirectory::new(&path).ticket_key().unwrap();
        assert_ne!(other, key);
        assert_eq!(StateDirectory::new(&path).ticket_key(), Some(other));
        assert_eq!(
            fs::read_dir(&path).unwrap().count(),
            1,
            "no unfinished files"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(path.join(TICKET_KEY))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_directory_that_cannot_be_used_gives_no_key() {
        let directory = test_directory();
        let file = directory.join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(StateDirectory::new(&file.join("state")).ticket_key(), None);
    }
}
