//! The generation of MCP that an upstream spoke last, in a file. It decides the first request of the
//! next handshake, also when no lists could be read.

use super::era::{Era, FirstRequest};
use crate::text::write_file::write_private;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The key of the file's only member.
const KEY: &str = "firstRequest";
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 1_024;

/// What is remembered of one upstream.
#[derive(Debug)]
pub(super) struct EraMemory {
    file: Option<PathBuf>,
    first: Mutex<FirstRequest>,
}

impl EraMemory {
    /// Reads the file. Without one, the era of the cached lists counts.
    pub(super) fn open(file: Option<PathBuf>, listed: Option<&Era>) -> Self {
        let first = file.as_deref().and_then(read).or_else(|| listed.map(first_request));
        Self { file, first: Mutex::new(first.unwrap_or(FirstRequest::Discover)) }
    }

    /// Returns the request with which the next handshake begins.
    pub(super) fn first_request(&self) -> FirstRequest {
        *self.first.lock()
    }

    /// Sets the first request of the next handshake, until this process ends.
    pub(super) fn try_next(&self, first: FirstRequest) {
        *self.first.lock() = first;
    }

    /// Remembers the era of a connection.
    pub(super) fn remember(&self, era: &Era) {
        let (first, mut former) = (first_request(era), self.first.lock());
        let Some(file) = self.file.as_ref().filter(|file| *former != first || read(file) != Some(first)) else {
            *former = first;
            return;
        };
        *former = first;
        if let Err(error) = write(file, first) {
            tracing::warn!(path = %file.display(), %error, "could not write which MCP version a server speaks");
        }
    }
}

const fn first_request(era: &Era) -> FirstRequest {
    match era {
        Era::Legacy(_) => FirstRequest::Initialize,
        Era::Modern | Era::Unknown => FirstRequest::Discover,
    }
}

fn read(file: &Path) -> Option<FirstRequest> {
    let is_small = fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= FILE_MAX);
    let text = is_small.then(|| fs::read(file).ok()).flatten()?;
    let value: Value = serde_json::from_slice(&text).ok()?;
    match value.get(KEY)?.as_str()? {
        "server/discover" => Some(FirstRequest::Discover),
        "initialize" => Some(FirstRequest::Initialize),
        _ => None,
    }
}

fn write(file: &Path, first: FirstRequest) -> io::Result<()> {
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    let method = match first {
        FirstRequest::Discover => "server/discover",
        FirstRequest::Initialize => "initialize",
    };
    write_private(file, &json!({ KEY: method }).to_string())
}
