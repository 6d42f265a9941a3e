//! The contracts of several servers in one file, which several processes may update.

use super::{
    ContractLock, LockError, ToolContract,
    file::{parse_members, render_members, unwritable, write_target},
};
use crate::{
    parallel,
    text::{
        escape::one_line,
        file_lock::{FileLock, LockTimes},
        regular_file,
        write_file::write_public,
    },
};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

/// The largest file, in bytes.
const FILE_MAX: u64 = 64 * 1024 * 1024;
/// The times of the lock that writers of the file have. A write takes much less than ten seconds.
const WRITERS: LockTimes = LockTimes {
    abandoned: Duration::from_secs(10),
    patience: Duration::from_secs(2),
    pause: Duration::from_millis(5),
};

/// The contracts of servers, by the server's name.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct ServerLocks {
    servers: BTreeMap<String, ServerContracts>,
}

/// The contracts of one server.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerContracts {
    /// The approved tools.
    pub tools: ContractLock,
    /// Its other texts, such as prompts. `None` if the file is from before they were part of it.
    pub texts: Option<ContractLock>,
    /// Whether icons are part of the contracts. `false` if the file is from before they were.
    pub has_icons: bool,
}

impl ServerContracts {
    /// Reads the contracts of a server in a file.
    fn from_member(mut server: Value) -> Result<Self, String> {
        let tools = read_lock(&mut server, "tools")?
            .ok_or_else(|| "its `tools` are not an object".to_owned())?;
        let has_icons = server.get("icons").is_some_and(|icons| *icons == true);
        Ok(Self {
            tools,
            texts: read_lock(&mut server, "texts")?,
            has_icons,
        })
    }

    /// Returns the contracts of a server, each with the server's name.
    fn all<'a>(
        (name, server): (&'a String, &'a Self),
    ) -> impl Iterator<Item = (&'a str, &'a ToolContract)> {
        let texts = server.texts.iter().flat_map(|texts| &texts.tools);
        server
            .tools
            .tools
            .iter()
            .chain(texts)
            .map(move |contract| (name.as_str(), contract))
    }

    fn to_member(&self) -> Value {
        let mut member =
            JsonObject::from_iter([("tools".to_owned(), Value::Object(self.tools.to_members()))]);
        let texts = self
            .texts
            .as_ref()
            .map(|texts| ("texts".to_owned(), Value::Object(texts.to_members())));
        member.extend(texts);
        if self.has_icons {
            member.insert("icons".to_owned(), true.into());
        }
        Value::Object(member)
    }
}

/// Takes the contracts in a member of a server. Returns `None` if the server lacks the member.
fn read_lock(server: &mut Value, key: &str) -> Result<Option<ContractLock>, String> {
    match server.get_mut(key).map(Value::take) {
        None => Ok(None),
        Some(Value::Object(members)) => {
            let mut lock = ContractLock::from_members(members)?;
            // A merge in version control may have changed the order, and `get` searches by halves.
            lock.sort();
            Ok(Some(lock))
        }
        Some(_) => Err(format!("its `{key}` are not an object")),
    }
}

impl ServerLocks {
    /// Returns what is approved of a server.
    pub fn get(&self, server: &str) -> Option<&ServerContracts> {
        self.servers.get(server)
    }

    /// Reads a file. A file that does not exist has no servers.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or is not a lock of this version.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let mut text = String::new();
        // One byte beyond the limit tells a file at the limit from a larger one.
        match regular_file::open(path)
            .and_then(|file| file.take(FILE_MAX + 1).read_to_string(&mut text))
        {
            Ok(read) if read as u64 > FILE_MAX => Err(unreadable(path, too_large())),
            Ok(_) => Self::parse(&text, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(unreadable(path, error.to_string())),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Self, LockError> {
        let corrupt = |name: &str, why: String| LockError::Corrupt {
            path: path.to_owned(),
            why: format!("server `{name}`: {why}"),
        };
        let mut servers = BTreeMap::new();
        for (name, server) in parse_members(text, path, "servers")? {
            let contracts =
                ServerContracts::from_member(server).map_err(|why| corrupt(&name, why))?;
            servers.insert(name, contracts);
        }
        let locks = Self { servers };
        match locks.edited() {
            Some((server, edited)) => Err(corrupt(
                server,
                format!(
                    "the digest of `{}` is not that of its definition, so the file was edited",
                    one_line(edited.name())
                ),
            )),
            None => Ok(locks),
        }
    }

    /// Returns the first contract that does not have the digest of its definition, and its server.
    fn edited(&self) -> Option<(&str, &ToolContract)> {
        let contracts: Vec<(&str, &ToolContract)> =
            self.servers.iter().flat_map(ServerContracts::all).collect();
        // On all cores, because a gateway computes the digests of all tools before its first list.
        let are_own = parallel::map_items(&contracts, |(_, contract)| contract.has_own_digest());
        contracts
            .into_iter()
            .zip(are_own)
            .find_map(|(contract, is_own)| (!is_own).then_some(contract))
    }

    fn render(&self) -> String {
        let servers = self
            .servers
            .iter()
            .map(|(name, contracts)| (name.clone(), contracts.to_member()));
        // The file, `servers`, each server, its members and each tool are open.
        render_members("servers", servers.collect(), 5)
    }

    /// Replaces the contracts of one server in a file by what `change` makes of them. Other
    /// processes that do the same wait, so that no change is lost. `change` gets the contracts in
    /// the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a lock of this version, or cannot be written. It is
    /// unchanged then.
    pub fn update<T>(
        path: &Path,
        server: &str,
        change: impl FnOnce(Option<&ServerContracts>) -> (ServerContracts, T),
    ) -> Result<T, LockError> {
        Self::update_all(path, |locks| {
            let (changed, result) = change(locks.get(server));
            locks.servers.insert(server.to_owned(), changed);
            result
        })
    }

    /// Adds servers that a file does not have yet, with one write for all of them. A server that
    /// the file has by now stays as it is there.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`update`](Self::update).
    pub fn add(
        path: &Path,
        servers: impl IntoIterator<Item = (String, ServerContracts)>,
    ) -> Result<(), LockError> {
        Self::update_all(path, |locks| {
            for (server, contracts) in servers {
                locks.servers.entry(server).or_insert(contracts);
            }
        })
    }

    fn update_all<T>(path: &Path, change: impl FnOnce(&mut Self) -> T) -> Result<T, LockError> {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        directory
            // The first lock may be written into a new directory.
            .map_or(Ok(()), fs::create_dir_all)
            .map_err(|error| unwritable(path, error))?;
        let target = write_target(path)?;
        // Before the file is read: of two processes that read the same state, one would lose its
        // change.
        let _lock = FileLock::acquire(&writer_path(&target), WRITERS)
            .map_err(|error| unwritable(path, error))?;
        let mut locks = Self::read(path)?;
        let result = change(&mut locks);
        let text = locks.render();
        // A larger file could be written, but never read again.
        if text.len() as u64 > FILE_MAX {
            return Err(unwritable(path, too_large()));
        }
        write_public(&target, &text).map_err(|error| unwritable(path, error))?;
        Ok(result)
    }
}

/// Returns the path of the lock of a file's writers.
fn writer_path(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.writer"))
}

fn unreadable(path: &Path, why: String) -> LockError {
    LockError::Unreadable {
        path: path.to_owned(),
        why,
    }
}

fn too_large() -> String {
    format!("it has more than {FILE_MAX} bytes; remove the servers that you no longer use")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{super::ToolContract, *};
    use serde_json::json;

    fn contract(name: &str) -> ToolContract {
        let definition = json!({ "name": name, "description": "First line\nsecond line", "inputSchema": { "x": 1.50 } });
        ToolContract::from_definition(&definition).unwrap()
    }

    fn add(path: &Path, server: &str, tool: &str) {
        let add = |known: Option<&ServerContracts>| {
            let mut tools = known.map_or(ContractLock::new(), |known| known.tools.clone());
            tools.insert(contract(tool));
            (
                ServerContracts {
                    tools,
                    texts: known.and_then(|known| known.texts.clone()),
                    has_icons: true,
                },
                (),
            )
        };
        ServerLocks::update(path, server, add).unwrap();
    }

    #[test]
    fn processes_that_share_a_file_lose_no_update() {
        let directory =
            std::env::temp_dir().join(format!("pd-server-locks-{}", std::process::id()));
        let path = directory.join("new/upstreams.lock");
        std::thread::scope(|scope| {
            for server in ["a", "b", "c", "d"] {
                let path = &path;
                scope.spawn(move || {
                    ["2", "1", "3"]
                        .iter()
                        .for_each(|tool| add(path, server, tool))
                });
            }
        });
        let locks = ServerLocks::read(&path).unwrap();
        for server in ["a", "b", "c", "d"] {
            let lock = &locks.get(server).unwrap().tools;
            assert_eq!(lock.len(), 3, "{server}");
            assert_eq!(lock.get("2"), Some(&contract("2")));
        }
        let files: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(files.len(), 1, "{files:?}");
        fs::remove_dir_all(directory).unwrap();
    }
}
