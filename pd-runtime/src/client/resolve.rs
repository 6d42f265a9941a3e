//! From a name that a model or a caller uses to a tool, and back.

use super::{Client, describe_result::UnknownTool, names};
use pd_schema::suggest;

/// The largest number of names that an error suggests.
const NEAREST_MAX: usize = 5;
/// The number of unknown names in one request for which suggestions are computed.
const COMPARED_MAX: usize = 10;

impl Client {
    /// Returns the server's index and the tool's own name for a name that a model or a caller uses.
    pub(super) fn resolve(&self, name: &str) -> Option<(usize, String)> {
        let state = self.state();
        // An assigned name comes first: it is the only form that is unique. A prefix is checked
        // next, for tools that no list contains yet. A bare name is the last resort.
        let assigned = state.names.resolve(name).cloned();
        let key = assigned
            .or_else(|| {
                self.servers
                    .iter()
                    .enumerate()
                    .find_map(|(server_index, server)| {
                        Some((
                            server_index,
                            names::unprefixed(server.name.as_deref(), name)?.to_owned(),
                        ))
                    })
            })
            .or_else(|| self.resolve_unprefixed(name))?;
        Some(key).filter(|key| !state.is_withdrawn(key))
    }

    /// Returns the only listed tool of this name. If a server has unlisted tools, the name may mean
    /// one of those, and its arguments must not reach another server: the result is then `None`.
    fn resolve_unprefixed(&self, name: &str) -> Option<(usize, String)> {
        let lists_are_complete = self.servers.len() == 1
            || !self
                .servers
                .iter()
                .any(|server| server.tool_list().has_unlisted());
        let mut candidates = self
            .servers
            .iter()
            .enumerate()
            .filter(|(_, server)| lists_are_complete && server.tool_list().has(name));
        candidates
            .next()
            .filter(|_| candidates.next().is_none())
            .map(|(server_index, _)| (server_index, name.to_owned()))
    }

    /// Returns the name that the model sees for a server's tool.
    pub(super) fn shown_name(&self, server_index: usize, own: &str) -> String {
        self.state()
            .names
            .shown_name(server_index, own)
            .unwrap_or(own)
            .to_owned()
    }

    /// Describes an unknown name. After [`COMPARED_MAX`] other unknown names the result has no
    /// suggestions, because each one compares the name with all known names.
    pub(super) fn suggest_after(&self, others: usize, name: &str) -> UnknownTool {
        if others < COMPARED_MAX {
            return self.suggest_for(name);
        }
        UnknownTool {
            name: name.to_owned(),
            nearest: Vec::new(),
            left_out: self.state().is_full(),
        }
    }

    pub(super) fn suggest_for(&self, name: &str) -> UnknownTool {
        let state = self.state();
        let known = state
            .names
            .iter()
            .filter(|(_, key)| !state.is_withdrawn(key));
        let mut known: Vec<&str> = known.map(|(name, _)| name).collect();
        // `all` iterates over a hash map. Sorting makes the suggestions the same on every run.
        known.sort_unstable();
        let nearest = suggest::rank(name, known.into_iter(), NEAREST_MAX);
        UnknownTool {
            name: name.to_owned(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
            left_out: state.is_full(),
        }
    }
}
