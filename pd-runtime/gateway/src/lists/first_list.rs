//! What the first list says of each server, kept from the latest run. With it a gateway of very many
//! tools answers its first list before it has read what its servers list.
//!
//! The file is used only if nothing that the list is made of has changed since: the program, the
//! configuration, the lock, and the cached lists. If it differs all the same, as after another
//! process has written lists, clients are notified once the lists are served.

use crate::{
    config::{GatewayConfig, ServerEntry, file_stamp::FileStamp},
    lists::cached_lists::{ListCache, read_bounded},
};
use pd_runtime::{
    store::Digest,
    upstream::{GroupLine, text::write_file::write_private},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The largest file, in bytes: a thousand servers take 400 kB.
const FILE_MAX: u64 = 4 * 1024 * 1024;

/// The fewest bytes of cached lists for which the file is kept. Fewer are read at once.
const LISTS_MIN: u64 = 256 * 1024;

/// What the first list says.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FirstList {
    /// The version of the program.
    version: String,
    /// A hash of the configuration file.
    config: String,
    lock: Option<FileStamp>,
    servers: Vec<FirstServer>,
}

/// What it says of one server.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FirstServer {
    name: String,
    fingerprint: String,
    /// `None` if the server has never listed anything.
    lists: Option<FileStamp>,
    lines: Vec<GroupLine>,
}

/// The lines of servers, by name. A server without lines lists no tools.
pub(crate) type FirstLines = HashMap<String, Vec<GroupLine>>;

/// What the latest kept lines are of: the readings of lists, the changes of the served tools, and the
/// lock.
type KeptState = (usize, u64, Option<FileStamp>);

/// Where the file is, and what it is made of.
#[derive(Debug)]
pub(crate) struct FirstListFile {
    path: PathBuf,
    cache: ListCache,
    /// A hash of the configuration file as this process has read it.
    config: String,
    lock: PathBuf,
    kept: Option<KeptState>,
}

impl FirstListFile {
    /// Returns the place of the file for a configuration, a lock and a cache. Returns `None` if the
    /// configuration cannot be read once more.
    pub(crate) fn new(cache: &ListCache, config: &Path, lock: &Path) -> Option<Self> {
        // One file for each pair, so that it is replaced when the configuration changes.
        let of_paths = Digest::from_bytes(format!("{config:?} {lock:?}").as_bytes()).to_string();
        let name = of_paths.trim_start_matches("sha256:").get(..12)?.to_owned();
        Some(Self {
            path: cache.file(&format!("{name}.first-list.json")),
            cache: cache.clone(),
            config: Digest::from_bytes(&fs::read(config).ok()?).to_string(),
            lock: lock.to_owned(),
            kept: None,
        })
    }

    /// Returns whether lines that were kept may not hold any more. `readings` counts how often lists
    /// were read, and `changes` how often the served tools changed.
    pub(crate) fn is_outdated(&mut self, readings: usize, changes: u64) -> bool {
        let now = (readings, changes, FileStamp::read(&self.lock));
        self.kept.replace(now) != Some(now)
    }

    /// Reads the lines, if nothing that they are made of has changed since they were kept.
    pub(crate) fn read(&self, config: &GatewayConfig) -> Option<FirstLines> {
        let kept: FirstList =
            serde_json::from_slice(&read_bounded(&self.path, FILE_MAX).ok()?).ok()?;
        let now = self.of_entries(
            config.servers.iter().filter(|entry| !entry.is_disabled),
            HashMap::new(),
        );
        let is_current = (&kept.version, &kept.config, kept.lock)
            == (&now.version, &now.config, now.lock)
            && kept.servers.len() == now.servers.len()
            && kept.servers.iter().zip(&now.servers).all(|(kept, now)| {
                (&kept.name, &kept.fingerprint, kept.lists)
                    == (&now.name, &now.fingerprint, now.lists)
            });
        let servers = kept.servers.into_iter();
        is_current.then(|| servers.map(|server| (server.name, server.lines)).collect())
    }

    /// Keeps the lines of these servers.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(crate) fn keep<'a>(
        &self,
        entries: impl Iterator<Item = &'a ServerEntry>,
        lines: FirstLines,
    ) -> io::Result<()> {
        let list = self.of_entries(entries, lines);
        if list.size() < LISTS_MIN {
            return self.remove();
        }
        write_private(&self.path, &serde_json::to_string(&list)?)
    }

    /// Removes the file, whose lines do not apply any more.
    pub(crate) fn remove(&self) -> io::Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn of_entries<'a>(
        &self,
        entries: impl Iterator<Item = &'a ServerEntry>,
        mut lines: FirstLines,
    ) -> FirstList {
        let servers = entries.map(|entry| {
            let fingerprint = entry.fingerprint();
            FirstServer {
                lists: self.cache.stamp(&entry.name, &fingerprint),
                lines: lines.remove(&entry.name).unwrap_or_default(),
                name: entry.name.clone(),
                fingerprint,
            }
        });
        FirstList {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config: self.config.clone(),
            lock: FileStamp::read(&self.lock),
            servers: servers.collect(),
        }
    }
}

impl FirstList {
    /// Returns the size of the lists, in bytes.
    fn size(&self) -> u64 {
        let stamps = self.servers.iter().filter_map(|server| server.lists);
        stamps.map(|stamp| stamp.size()).sum()
    }
}
