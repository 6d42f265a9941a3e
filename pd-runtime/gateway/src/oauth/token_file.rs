//! The files of tokens: one per server and principal, in a directory that only its owner can read.

use super::stored_tokens::StoredTokens;
use crate::{
    config::{HttpServer, file_stamp::FileStamp},
    trust::lock::state_directory,
};
use pd_runtime::{
    store::Digest,
    upstream::text::{
        file_lock::{FileLock, LockTimes},
        regular_file,
        truncate::first_chars,
        write_file::{create_private_directory, write_private},
    },
};
use serde_json::json;
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

/// The largest file that is read.
const FILE_MAX: u64 = 1024 * 1024;
/// The hex digits of a hash in a name.
const DIGITS: usize = 16;
/// The most files of a directory that are listed.
const FILES_MAX: usize = 10_000;

/// The times of the lock that renewals have, which take 45 seconds at most. The patience is over the
/// age of an abandoned lock, so a process that has died ends no renewal.
const RENEWALS: LockTimes = LockTimes {
    abandoned: Duration::from_secs(60),
    patience: Duration::from_secs(70),
    pause: Duration::from_millis(50),
};

/// The directory of the tokens.
#[derive(Debug, Clone)]
pub(crate) struct TokenDirectory(PathBuf);

/// The file of the tokens of one server and one principal. It need not exist.
#[derive(Debug, Clone)]
pub(crate) struct TokenFile(PathBuf);

impl TokenDirectory {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Returns the directory `oauth` in the user's state. Returns `None` if the user has none.
    pub(crate) fn of_user() -> Option<Self> {
        state_directory().map(|state| Self(state.join("oauth")))
    }

    /// Returns the file of a server and a principal. A server with another URL has another file, so
    /// that its tokens are sent to no other place.
    pub(crate) fn file(
        &self,
        name: &str,
        server: &HttpServer,
        principal: Option<&str>,
    ) -> TokenFile {
        // An array, so that no two pairs of name and URL are one text.
        let server_digest = digits(&json!([name, server.without_secrets()]).to_string());
        // A subject is always hashed, so a caller with the subject `owner` does not get the owner's
        // tokens.
        let principal = principal.map_or_else(|| "owner".to_owned(), digits);
        TokenFile(
            self.0
                .join(format!("{name}-{server_digest}-{principal}.json")),
        )
    }

    /// Reads all tokens. A file that cannot be read is skipped.
    pub(crate) fn read_all(&self) -> Vec<(TokenFile, StoredTokens)> {
        let mut all: Vec<_> = self
            .files()
            .filter_map(|file| {
                let tokens = file.read()?;
                Some((file, tokens))
            })
            .collect();
        // The system lists a directory in any order.
        all.sort_by(|(file, _), (other, _)| file.0.cmp(&other.0));
        all
    }

    fn files(&self) -> impl Iterator<Item = TokenFile> {
        let files = fs::read_dir(&self.0)
            .into_iter()
            .flatten()
            .flatten()
            .take(FILES_MAX);
        let paths = files.map(|file| file.path());
        paths
            .filter(|path| path.extension().is_some_and(|kind| kind == "json"))
            .map(TokenFile)
    }

    /// Returns why files are not used.
    #[cfg(feature = "cli")]
    pub(crate) fn refusals(&self) -> Vec<String> {
        self.files().filter_map(|file| file.refusal()).collect()
    }
}

fn digits(text: &str) -> String {
    let digest = Digest::from_bytes(text.as_bytes()).to_string();
    first_chars(digest.trim_start_matches("sha256:"), DIGITS).to_owned()
}

impl TokenFile {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn stamp(&self) -> Option<FileStamp> {
        FileStamp::read(&self.0)
    }

    /// Returns why the file is not used: others can write it, or it is not a regular file.
    pub(crate) fn refusal(&self) -> Option<String> {
        let error = regular_file::open_private(&self.0).err()?;
        let is_absent = error.kind() == io::ErrorKind::NotFound;
        (!is_absent).then(|| format!("{} is not used: {error}", self.0.display()))
    }

    /// Returns `None` without a file. The same applies to a damaged file, and to a file that others
    /// can write, because the tokens would be theirs.
    pub(crate) fn read(&self) -> Option<StoredTokens> {
        let mut text = String::new();
        let file = match regular_file::open_private(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(file = %self.0.display(), %error, "a file of tokens is not used");
                return None;
            }
            Ok(file) => file,
        };
        // A longer file is cut here, and counts as damaged.
        file.take(FILE_MAX).read_to_string(&mut text).ok()?;
        let tokens = serde_json::from_str(&text);
        // The error of the parser could contain a token.
        tokens
            .inspect_err(
                |_| tracing::warn!(file = %self.0.display(), "a file of tokens is damaged"),
            )
            .ok()
    }

    pub(crate) fn write(&self, tokens: &StoredTokens) -> io::Result<()> {
        self.create_directory()?;
        // A file that is replaced keeps its permissions, so one that others can write must go.
        if self.refusal().is_some() {
            self.remove()?;
        }
        write_private(&self.0, &serde_json::to_string_pretty(tokens)?)
    }

    /// Removes the tokens. That there are none is not an error.
    pub(crate) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.0) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Locks the file against other processes.
    pub(crate) async fn lock(&self) -> io::Result<FileLock> {
        self.create_directory()?;
        FileLock::acquire_later(&self.0.with_extension("lock"), RENEWALS).await
    }

    fn create_directory(&self) -> io::Result<()> {
        let Some(directory) = self.0.parent() else {
            return Ok(());
        };
        create_private_directory(directory)
    }
}
