//! What an upstream listed when it last ran, kept on disk. Lists, search and descriptions need no
//! running process.

#[cfg(feature = "cli")]
use crate::config::file_stamp::FileStamp;
use crate::{
    connection::era::{Era, ServerFacts},
    lists::{
        list::{self, ENTRIES_MAX},
        offered_resources::OfferedResources,
        raw_lists::RawLists,
    },
    message::resource_uri::UriKey,
    trust::lock::{HeldLists, OfferedTexts, SentDefinitions, text_definitions::ListedTexts},
};
use pd_runtime::{
    store::Digest,
    upstream::text::{
        regular_file, unix_time, user_directory::user_cache, write_file::write_private,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::HashSet,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// The version of the file format. Files of another version are ignored.
const FORMAT: u32 = 1;
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 64 * 1024 * 1024;

/// The largest file with an era, in bytes.
const ERA_MAX: u64 = 1_000;

/// The lists of one upstream, as it wrote them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CachedLists {
    format: u32,
    pub(crate) server: String,
    /// A hash of the entry's command or URL. Another entry of the same name must not use the lists.
    fingerprint: String,
    pub(crate) era: Era,
    pub(crate) facts: ServerFacts,
    pub(crate) tools: Vec<Value>,
    pub(crate) prompts: Vec<Value>,
    pub(crate) resources: Vec<Value>,
    pub(crate) templates: Vec<Value>,
    /// The names of tools that the upstream lists twice, with different definitions.
    #[serde(default)]
    pub(crate) repeated: Vec<String>,
    /// What a person should know of the reading.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// A hash of the lists.
    pub(crate) digest: String,
    /// Seconds since 1970, when the upstream sent the lists.
    pub(crate) fetched: u64,
    /// What the server sent before of definitions that are held now.
    #[serde(default)]
    pub(crate) sent: SentDefinitions,
    /// What waits for a person's approval.
    #[serde(skip)]
    pub(crate) held: HeldLists,
    /// Made on first use of what is listed and held.
    #[serde(skip)]
    offered: OnceLock<OfferedTexts>,
    /// Made on first use, too.
    #[serde(skip)]
    offered_resources: OnceLock<OfferedResources>,
}

/// One tool of a list.
#[derive(Debug, Clone)]
pub(crate) struct ListedTool {
    pub(crate) lists: Arc<CachedLists>,
    /// Its place in the list.
    pub(crate) place: usize,
}

impl ListedTool {
    /// Returns the definition that the upstream sent.
    pub(crate) fn definition(&self) -> &Value {
        self.lists.tools.get(self.place).unwrap_or(&Value::Null)
    }

    /// Returns the upstream's own name for the tool.
    pub(crate) fn name(&self) -> &str {
        self.definition()
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

impl RawLists {
    /// Adds what is missing of a list that ends because the server failed.
    pub(crate) fn complete_partial(&mut self, former: &CachedLists) {
        for (list, former, kind) in [
            (&mut self.tools, &former.tools, list::TOOLS),
            (&mut self.prompts, &former.prompts, list::PROMPTS),
            (&mut self.resources, &former.resources, list::RESOURCES),
            (&mut self.templates, &former.templates, list::TEMPLATES),
        ] {
            if self.partial.contains(&kind.key) && list.len() < former.len() {
                keep_missing(list, former, kind.name);
            }
        }
    }

    /// Adds what the server has listed for another client: it may list less for a client with fewer
    /// rights.
    pub(crate) fn keep_missing(&mut self, former: &CachedLists) {
        keep_missing(&mut self.tools, &former.tools, "name");
        keep_missing(&mut self.prompts, &former.prompts, "name");
        keep_missing(&mut self.resources, &former.resources, "uri");
        keep_missing(&mut self.templates, &former.templates, "uriTemplate");
    }
}

fn keep_missing(list: &mut Vec<Value>, former: &[Value], key: &str) {
    let listed: HashSet<_> = list
        .iter()
        .filter_map(|entry| entry.get(key))
        .map(Value::to_string)
        .collect();
    let missing = former.iter().filter(|entry| {
        entry
            .get(key)
            .is_some_and(|name| !listed.contains(&name.to_string()))
    });
    let missing: Vec<_> = missing.cloned().collect();
    // The bound of one list holds for the entries of all clients together, too.
    list.extend(
        missing
            .into_iter()
            .take(ENTRIES_MAX.saturating_sub(listed.len())),
    );
}

impl CachedLists {
    pub(crate) fn new(
        server: &str,
        fingerprint: &str,
        era: Era,
        facts: ServerFacts,
        lists: RawLists,
    ) -> Self {
        let RawLists {
            tools,
            prompts,
            resources,
            templates,
            repeated,
            notes,
            ..
        } = lists;
        let digest = digest(&[&tools, &prompts, &resources, &templates]);
        let fetched = unix_time::seconds();
        Self {
            format: FORMAT,
            server: server.to_owned(),
            fingerprint: fingerprint.to_owned(),
            era,
            facts,
            tools,
            prompts,
            resources,
            templates,
            repeated,
            notes,
            digest,
            fetched,
            sent: SentDefinitions::default(),
            held: HeldLists::default(),
            offered: OnceLock::new(),
            offered_resources: OnceLock::new(),
        }
    }

    /// Returns the same lists with other definitions held.
    pub(crate) fn with_held(&self, held: HeldLists) -> Self {
        // The texts depend on what is held, so they are made anew. Resources are never held.
        Self {
            held,
            offered: OnceLock::new(),
            ..self.clone()
        }
    }

    /// Returns the prompts, templates and texts of the server, as it sent them.
    pub(crate) fn texts(&self) -> ListedTexts<'_> {
        ListedTexts {
            server: &self.server,
            info: &self.facts.info,
            instructions: self.facts.instructions.as_deref(),
            prompts: &self.prompts,
            templates: &self.templates,
        }
    }

    /// Returns the resources that clients get.
    pub(crate) fn offered_resources(&self) -> &OfferedResources {
        self.offered_resources
            .get_or_init(|| OfferedResources::new(&self.resources))
    }

    /// Returns the resources that clients get, each with its URI in one spelling.
    pub(crate) fn offered_entries(&self) -> impl Iterator<Item = (UriKey, &Value)> {
        let entries = self
            .offered_resources()
            .places
            .iter()
            .filter_map(|place| self.resources.get(*place));
        entries.filter_map(|entry| Some((UriKey::new(entry.get("uri")?.as_str()?), entry)))
    }

    /// Returns the prompts, templates and texts of the server that clients get.
    pub(crate) fn offered(&self) -> &OfferedTexts {
        self.offered
            .get_or_init(|| OfferedTexts::new(self.texts(), &self.held.texts))
    }
}

fn digest(lists: &[&Vec<Value>]) -> String {
    // The order of a list has no meaning for its tools, but the texts do: no sorting, no rounding.
    let text = serde_json::to_string(lists).unwrap_or_default();
    Digest::from_bytes(text.as_bytes()).to_string()
}

/// The directory of the cached lists.
#[derive(Debug, Clone)]
pub(crate) struct ListCache(PathBuf);

impl ListCache {
    pub(crate) fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// Returns the user's directory: `$XDG_CACHE_HOME/pd-gateway`, or `~/.cache/pd-gateway`.
    pub(crate) fn of_user() -> Option<Self> {
        Some(Self(user_cache()?.join("pd-gateway")))
    }

    fn path(&self, server: &str, fingerprint: &str) -> PathBuf {
        self.path_with_ending(server, fingerprint, "json")
    }

    /// Returns the file of the columns that were seen in results.
    pub(crate) fn columns_path(&self, server: &str, fingerprint: &str) -> PathBuf {
        self.path_with_ending(server, fingerprint, "columns.json")
    }

    /// Reads the era of an upstream. It is remembered apart from the lists, which may never be
    /// read.
    pub(crate) fn read_era(&self, server: &str, fingerprint: &str) -> Option<Era> {
        let path = self.path_with_ending(server, fingerprint, "era.json");
        serde_json::from_slice(&read_bounded(&path, ERA_MAX).ok()?).ok()
    }

    pub(crate) fn write_era(&self, server: &str, fingerprint: &str, era: &Era) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        write_private(
            &self.path_with_ending(server, fingerprint, "era.json"),
            &serde_json::to_string(era)?,
        )
    }

    fn path_with_ending(&self, server: &str, fingerprint: &str, ending: &str) -> PathBuf {
        let hex = fingerprint.trim_start_matches("sha256:");
        // A part is enough to distinguish entries of one name, and `read` compares all of it.
        let short = hex.get(..12).unwrap_or(hex);
        self.0.join(format!("{server}-{short}.{ending}"))
    }

    /// Returns the path of a file for all upstreams. Its name ends otherwise than those of
    /// upstreams.
    #[cfg(feature = "cli")]
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns what changes when the lists of an upstream are written.
    #[cfg(feature = "cli")]
    pub(super) fn stamp(&self, server: &str, fingerprint: &str) -> Option<FileStamp> {
        FileStamp::read(&self.path(server, fingerprint))
    }

    /// Reads the lists of an upstream. A file that cannot be read counts as none.
    pub(crate) fn read(&self, server: &str, fingerprint: &str) -> Option<CachedLists> {
        let path = self.path(server, fingerprint);
        let lists = match read_file(&path) {
            Ok(lists) => lists,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "ignored a file of cached lists");
                return None;
            }
        };
        // Another format or entry is not a failure, because the next reading replaces the file.
        (lists.format == FORMAT && lists.fingerprint == fingerprint).then_some(lists)
    }

    /// Writes the lists. A reader sees the old file or the new one, never a part.
    pub(crate) fn write(&self, lists: &CachedLists) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        write_private(
            &self.path(&lists.server, &lists.fingerprint),
            &serde_json::to_string(lists)?,
        )
    }
}

fn read_file(path: &Path) -> io::Result<CachedLists> {
    Ok(serde_json::from_slice(&read_bounded(path, FILE_MAX)?)?)
}

/// Reads a file of at most `max` bytes. A pipe in its place is an error, because it would never
/// end.
pub(super) fn read_bounded(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    // One byte more than the limit shows that the file is too large, even if it grows meanwhile.
    regular_file::open(path)?
        .take(max + 1)
        .read_to_end(&mut text)?;
    if text.len() as u64 > max {
        return Err(io::Error::other("it is too large"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn lists(fingerprint: &str) -> CachedLists {
        let tools = vec![json!({"name": "a", "inputSchema": {}, "unknownKey": [1.50, null]})];
        let lists = RawLists {
            tools,
            ..RawLists::default()
        };
        CachedLists::new(
            "one",
            fingerprint,
            Era::Legacy("2025-11-25".into()),
            ServerFacts::default(),
            lists,
        )
    }

    #[test]
    fn lists_are_read_as_they_were_written() {
        let directory = std::env::temp_dir().join(format!("pd-lists-{}", std::process::id()));
        let cache = ListCache::new(&directory);
        assert!(cache.read("one", "ffff").is_none());
        cache.write(&lists("ffff")).unwrap();
        let read = cache.read("one", "ffff").unwrap();
        assert_eq!(
            (&read.tools, &read.era),
            (&lists("ffff").tools, &Era::Legacy("2025-11-25".into()))
        );
        assert!(cache.read("one", "eeee").is_none(), "another entry");
        fs::write(cache.path("one", "ffff"), "{").unwrap();
        assert!(cache.read("one", "ffff").is_none(), "a broken file");
        fs::remove_dir_all(directory).unwrap();
    }
}
