//! By which names callers may mean a tool of a server: the words of its entry that no other server
//! has.

use std::{collections::HashMap, sync::Arc};

/// The words that distinguish the names of one server from the names of another one.
#[derive(Debug)]
pub(crate) struct ServerWords {
    prefix: String,
    /// Its name, its label and the name of its group.
    sources: Vec<String>,
}

impl ServerWords {
    pub(crate) fn new(name: &str, label: &str, group: &str, prefix: String) -> Self {
        let mut sources = vec![name.to_owned()];
        for other in [label, group] {
            if !sources.iter().any(|known| known == other) {
                sources.push(other.to_owned());
            }
        }
        Self { prefix, sources }
    }
}

/// The words of all servers, by word: thousands of tools are compared with those of all servers.
#[derive(Debug)]
pub(crate) struct AllServerWords<'w> {
    servers: &'w [ServerWords],
    prefixes: HashMap<&'w str, WordOwners>,
    sources: HashMap<&'w str, WordOwners>,
}

/// The servers that have a word.
#[derive(Debug, Clone, Copy)]
struct WordOwners {
    /// The place of the first server.
    first: usize,
    has_others: bool,
}

impl WordOwners {
    fn add<'w>(owners: &mut HashMap<&'w str, Self>, word: &'w str, place: usize) {
        let new = Self {
            first: place,
            has_others: false,
        };
        owners
            .entry(word)
            .and_modify(|known| known.has_others |= known.first != place)
            .or_insert(new);
    }

    const fn has_other_than(self, place: usize) -> bool {
        self.has_others || self.first != place
    }
}

impl<'w> AllServerWords<'w> {
    pub(crate) fn new(servers: &'w [ServerWords]) -> Self {
        let mut prefixes = HashMap::new();
        let mut sources = HashMap::new();
        for (place, words) in servers.iter().enumerate() {
            WordOwners::add(&mut prefixes, &words.prefix, place);
            for source in &words.sources {
                WordOwners::add(&mut sources, source, place);
            }
        }
        Self {
            servers,
            prefixes,
            sources,
        }
    }

    /// Returns the sources of the tools of the server at this place, by which callers name them. A
    /// label or group that another server has as a name is left out.
    pub(crate) fn sources(&self, place: usize) -> Arc<[Box<str>]> {
        let own = self.servers.get(place).map(|words| words.sources.iter());
        let own = own.into_iter().flatten().enumerate();
        // The first one is the name of the entry, which no other entry has.
        let own = own.filter(|(index, source)| *index == 0 || !self.is_of_other(source, place));
        own.map(|(_, source)| Box::from(source.as_str())).collect()
    }

    fn is_of_other(&self, source: &str, place: usize) -> bool {
        let owners = self.sources.get(source);
        owners.is_some_and(|owners| owners.has_other_than(place))
    }

    /// Returns the names without a source by which callers may mean a tool of the server at this
    /// place, beside the one that is offered.
    ///
    /// A name that reads as a name of another server is left out. Otherwise a server could take the
    /// place of a tool that another server no longer lists.
    pub(crate) fn names_alone(&self, name: &str, place: usize) -> Vec<Box<str>> {
        let prefix = self.servers.get(place).map_or("", |words| &words.prefix);
        // Also with the prefix, because a name that was changed is offered with a hash.
        let names = [name.to_owned(), format!("{prefix}{name}")];
        let unclaimed = names
            .into_iter()
            .filter(|name| !self.is_claimed_by_other(name, place));
        unclaimed.map(Box::from).collect()
    }

    /// Returns whether a name reads as if it were one of another server's: it begins with the
    /// prefix, or with a source and a separator.
    fn is_claimed_by_other(&self, name: &str, place: usize) -> bool {
        let is_of_other = |words: &HashMap<&str, WordOwners>, beginning: &str| {
            words
                .get(beginning)
                .is_some_and(|owners| owners.has_other_than(place))
        };
        let separated = name.match_indices(['.', '/', ':']);
        let mut sources = separated.filter_map(|(end, _)| name.get(..end));
        let ends = name.char_indices().map(|(end, _)| end).chain([name.len()]);
        let mut beginnings = ends.filter_map(|end| name.get(..end));
        sources.any(|source| is_of_other(&self.sources, source))
            || beginnings.any(|beginning| is_of_other(&self.prefixes, beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(name: &str, label: &str, prefix: &str) -> ServerWords {
        ServerWords::new(name, label, name, prefix.to_owned())
    }

    #[test]
    fn words_of_other_servers_name_no_tool() {
        let servers = [
            words("git", "Git", "git__"),
            words("hub", "git", "hub__"),
            words("web", "Web", ""),
            words("två", "två", "två__"),
        ];
        let all = AllServerWords::new(&servers);
        let sources = |place| {
            all.sources(place)
                .iter()
                .map(|source| source.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(sources(0), ["git", "Git"]);
        // `git` is the name of another entry.
        assert_eq!(sources(1), ["hub"]);
        assert_eq!(sources(9), Vec::<String>::new());
        let without_empty = AllServerWords::new(&servers[..2]);
        let alone = |name, place| without_empty.names_alone(name, place).len();
        assert_eq!(alone("log", 0), 2);
        for name in ["hub__log", "hub.log", "hub/log", "hub:log"] {
            assert_eq!(alone(name, 0), 1, "{name}");
        }
        assert_eq!(alone("hubs_log", 0), 2);
        // The empty prefix of another server claims every name.
        assert_eq!(all.names_alone("log", 0).len(), 0);
        assert_eq!(
            AllServerWords::new(&servers[3..])
                .names_alone("två__å", 0)
                .len(),
            2
        );
    }
}
