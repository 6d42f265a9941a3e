//! Tools that come from elsewhere, and may not be known yet. A gateway's servers start, fail and
//! wait for a person; until they have listed their tools, callers read that instead of "no such
//! tool".

use super::bundle::prefixed;
use crate::tool::principal::CallerAuthority;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, fmt, sync::Arc};

/// Where the tools of a server come from.
pub trait ToolSource: Send + Sync {
    /// Returns whether all tools are known. It is asked with every request, so it must be quick.
    fn is_complete(&self) -> bool;

    /// Returns the sets of tools that are not known yet, as far as the caller may know of them.
    fn missing(&self, caller: &CallerAuthority) -> Vec<MissingTools>;

    /// Waits until the tools of this set are served, or until waiting is useless.
    fn wait<'a>(&'a self, set: &'a MissingTools) -> BoxFuture<'a, ()>;

    /// Waits a moment for sets that have just begun to start.
    fn settle<'a>(&'a self, sets: &'a [MissingTools]) -> BoxFuture<'a, ()>;

    /// Learns the names of the server's meta-tools. A tool of the source with one of them is left
    /// out. `has_taken` is whether the registry has such a tool.
    fn reserve(&self, names: HashSet<String>, has_taken: bool) {
        drop((names, has_taken));
    }
}

/// A source of a registry, and the prefix that the registry has put before all names.
#[derive(Clone)]
pub(crate) struct RegistrySource {
    source: Arc<dyn ToolSource>,
    prefix: String,
}

impl fmt::Debug for RegistrySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistrySource")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl RegistrySource {
    pub(crate) fn new(source: Arc<dyn ToolSource>) -> Self {
        Self {
            source,
            prefix: String::new(),
        }
    }

    pub(super) fn add_prefix(&mut self, prefix: &str) {
        // The latest prefix comes first, as for the names of tools.
        self.prefix.insert_str(0, prefix);
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.source.is_complete()
    }

    /// Passes names of meta-tools on, without the prefix that the registry has put before the names
    /// of the source.
    pub(super) fn reserve(&self, names: &HashSet<String>, has_taken: bool) {
        let own = names
            .iter()
            .filter_map(|name| name.strip_prefix(&self.prefix))
            .map(str::to_owned);
        self.source.reserve(own.collect(), has_taken);
    }

    /// Returns the sets of tools that are not known yet, under the names that they will have.
    pub(crate) fn missing(&self, caller: &CallerAuthority) -> Vec<MissingTools> {
        let mut sets = self.source.missing(caller);
        for set in sets.iter_mut().filter(|_| !self.prefix.is_empty()) {
            set.group = prefixed(&self.prefix, &set.group);
            // The names on a path are groups, so each has the prefix.
            for line in &mut set.lines {
                let names = line.path.split('/');
                let names = names.map(|name| prefixed(&self.prefix, name));
                line.path = names.collect::<Vec<_>>().join("/");
            }
            set.prefix.insert_str(0, &self.prefix);
            for name in &mut set.names {
                name.insert_str(0, &self.prefix);
            }
        }
        sets
    }

    pub(crate) async fn wait(&self, set: &MissingTools) {
        self.source.wait(set).await;
    }

    pub(crate) async fn settle(&self, sets: &[MissingTools]) {
        self.source.settle(sets).await;
    }
}

/// The tools of one group that are not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTools {
    /// The name of the group that the tools will have.
    pub group: String,
    /// The name that the source has for it.
    pub name: String,
    /// The beginning of the tools' names.
    pub prefix: String,
    /// Why they are not known, in a sentence with what to do.
    pub state: String,
    /// The code of the error of a call.
    pub code: &'static str,
    /// The groups that a list shows of them, as far as they are known.
    pub lines: Vec<GroupLine>,
    /// The names of the tools, if others with this prefix are known. Empty if none is.
    pub names: Vec<String>,
}

/// What a list shows of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupLine {
    /// The names of the group and of those that it is in, joined by slashes.
    pub path: String,
    /// The summary.
    pub summary: String,
    /// Whether one of its tools only reads.
    pub reads: bool,
    /// Whether one of its tools may write.
    pub writes: bool,
}

impl MissingTools {
    /// Returns whether one of the tools may only read.
    pub(crate) fn may_read(&self) -> bool {
        // Of a group that is known, the known tools decide.
        self.names.is_empty() && (self.lines.is_empty() || self.lines.iter().any(|line| line.reads))
    }

    /// Returns whether one of the tools may write.
    pub(crate) fn may_write(&self) -> bool {
        self.names.is_empty()
            && (self.lines.is_empty() || self.lines.iter().any(|line| line.writes))
    }

    /// Returns whether a name or path means one of the tools, or their group.
    pub(crate) fn claims(&self, name: &str) -> bool {
        let name = name.trim().trim_matches('/');
        if !self.names.is_empty() {
            // A path ends in the name.
            let last = name.rsplit('/').next();
            return self.names.iter().any(|own| last == Some(own));
        }
        let is_within = |group: &str| {
            name.strip_prefix(group)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        };
        is_within(&self.group)
            || is_within(&self.name)
            // The prefix can be empty. Any name may then be the name of its tool.
            || (name.starts_with(&self.prefix) && !name.is_empty())
    }

    /// Renders why a name that is claimed is not known.
    pub(crate) fn render(&self, name: &str) -> String {
        let name = name.trim().trim_matches('/');
        // The name of the group says nothing more, and the state is of these tools alone.
        if name == self.name || name == self.group || !self.names.is_empty() {
            return self.state.clone();
        }
        format!("`{name}` is not known yet: {}", self.state)
    }

    /// Returns whether a text, such as a program, has a name of the tools in it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        if !self.names.is_empty() {
            return self.names.iter().any(|name| text.contains(name));
        }
        // A program may name a tool by its group, too: `tools.history.log`.
        self.prefix.is_empty()
            || text.contains(&self.prefix)
            || text.contains(&format!("{}.", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_of_the_tools_are_claimed() {
        let set = |prefix: &str| MissingTools {
            group: "my-slow".to_owned(),
            name: "my_slow".to_owned(),
            prefix: prefix.to_owned(),
            state: String::new(),
            code: "",
            lines: Vec::new(),
            names: Vec::new(),
        };
        let slow = set("my_slow__");
        for name in [
            "my_slow__echo",
            "my_slow.echo",
            "my_slow/echo",
            "/my-slow",
            "my-slow.echo",
            "/my-slow/my_slow__x",
        ] {
            assert!(slow.claims(name), "{name}");
        }
        for name in ["", "fast__echo", "my_slowest", "echo"] {
            assert!(!slow.claims(name), "{name}");
        }
        assert!(
            set("").claims("echo")
                && slow.is_in("await tools.my_slow__echo({})")
                && !slow.is_in("return 1")
        );
        let some = MissingTools {
            names: vec!["my_slow__new".to_owned()],
            ..slow
        };
        assert!(some.claims("my_slow__new") && some.claims("/my-slow/my_slow__new"));
        assert!(!some.claims("my_slow__echo") && !some.claims("/my-slow"));
        assert!(some.is_in("tools.my_slow__new()") && !some.is_in("tools.my_slow__echo()"));
    }
}
