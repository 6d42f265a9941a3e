//! Describing tools: takes known descriptions from the lists and the cache, and fetches the others
//! with one request to each server where its route allows it.

use super::{
    Client, cache::CacheEntry, describe_result::Descriptions, error::ClientError,
    names::ServerToolId,
};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

/// The largest number of names that one request describes. Further names are ignored.
const NAMES_MAX: usize = 500;

impl Client {
    /// Returns the full descriptions of these tools. The conversation counts them as shown:
    /// [`Client::tools`] and the providers' `tools` contain them from now on.
    ///
    /// Descriptions that were fetched before cost no round trip until the server reports a change
    /// of its tools. The result lists unknown names in [`Descriptions::unknown`].
    ///
    /// # Errors
    ///
    /// Returns an error if a server does not answer, or if its answer does not follow the protocol
    /// of its route.
    pub async fn describe<N: Into<String>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Descriptions, ClientError> {
        let mut seen = HashSet::new();
        // Models repeat names. Each is described once, in the order of the request.
        let names = names
            .into_iter()
            .map(Into::into)
            .filter(|name: &String| seen.insert(name.clone()));
        let names: Vec<String> = names.take(NAMES_MAX).collect();
        self.describe_each(names).await
    }

    /// Returns the full descriptions of all tools that the servers list.
    ///
    /// Use it for agents with a provider that has its own search: all tools are then deferred, and
    /// none is left out.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Client::describe`].
    pub async fn describe_all(&self) -> Result<Descriptions, ClientError> {
        self.refresh().await?;
        let mut described = Descriptions {
            descriptions: Vec::new(),
            unknown: Vec::new(),
        };
        for (index, server) in self.servers.iter().enumerate() {
            let names: Vec<ServerToolId> = server
                .tool_list()
                .summaries()
                .map(|tool| (index, tool.name.to_string()))
                .collect();
            let entries = self.fetch_entries(names.iter()).await?;
            described.descriptions.extend(
                names
                    .iter()
                    .filter_map(|name| self.record_shown(name, entries.get(name)?)),
            );
        }
        Ok(described)
    }

    async fn describe_each(&self, names: Vec<String>) -> Result<Descriptions, ClientError> {
        let resolved: Vec<(String, Option<ServerToolId>)> = names
            .into_iter()
            .map(|name| (name.clone(), self.resolve(&name)))
            .collect();
        let entries = self
            .fetch_entries(resolved.iter().filter_map(|(_, key)| key.as_ref()))
            .await?;
        let mut described = Descriptions {
            descriptions: Vec::new(),
            unknown: Vec::new(),
        };
        for (name, key) in &resolved {
            let entry = key.as_ref().and_then(|key| Some((key, entries.get(key)?)));
            if let Some(description) = entry.and_then(|(key, entry)| self.record_shown(key, entry))
            {
                described.descriptions.push(description);
                continue;
            }
            // A tool comes before a group of the same name.
            match self.open_group(key.as_ref()).await? {
                tools if tools.is_empty() => {
                    let unknown = self.suggest_after(described.unknown.len(), name);
                    described.unknown.push(unknown);
                }
                tools => described.descriptions.extend(tools),
            }
        }
        Ok(described)
    }

    /// Returns all tools of a group with this name, or nothing if no such group exists.
    async fn open_group(
        &self,
        key: Option<&ServerToolId>,
    ) -> Result<Vec<(String, Arc<super::Description>)>, ClientError> {
        let Some((index, name)) = key else {
            return Ok(Vec::new());
        };
        let Some(server) = self.servers.get(*index) else {
            return Ok(Vec::new());
        };
        let entries = server.open_group(name, &self.cache).await?;
        Ok(entries
            .iter()
            .filter_map(|entry| {
                self.record_shown(&(*index, entry.description.name().to_owned()), entry)
            })
            .collect())
    }

    /// Records a description as shown. Returns the tool's name and description as the model sees
    /// them.
    pub(super) fn record_shown(
        &self,
        key: &ServerToolId,
        entry: &CacheEntry,
    ) -> Option<(String, Arc<super::Description>)> {
        let (index, own) = key;
        self.record_description(*index, self.servers.get(*index)?, &entry.description);
        let state = self.state();
        let tool = state.shown_tool(*index, own)?;
        Some((tool.name.clone(), tool.description.clone()))
    }

    /// Returns the known entries for these tools, and fetches the missing ones.
    pub(super) async fn fetch_entries(
        &self,
        keys: impl Iterator<Item = &ServerToolId>,
    ) -> Result<HashMap<ServerToolId, CacheEntry>, ClientError> {
        // A `BTreeMap` keeps the order of requests the same on every run.
        let mut by_server: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
        keys.for_each(|(index, own)| by_server.entry(*index).or_default().push(own));
        let mut entries = HashMap::new();
        for (index, names) in by_server {
            let Some(server) = self.servers.get(index) else {
                continue;
            };
            let tool_list = server.current_list(&self.cache).await?;
            let mut missing = Vec::new();
            for name in names {
                match server.known_entry(name, &tool_list, &self.cache) {
                    Some(entry) => _ = entries.insert((index, name.clone()), entry),
                    // A cached group has this name, so it is not a tool. `open_group` returns its
                    // tools.
                    None if server.cached_group(name, &tool_list, &self.cache).is_some() => {}
                    None => missing.push(name.clone()),
                }
            }
            if !missing.is_empty() {
                let fetched = server.describe(missing, None, &self.cache).await?;
                entries.extend(
                    fetched
                        .into_iter()
                        .map(|entry| ((index, entry.description.name().to_owned()), entry)),
                );
            }
        }
        Ok(entries)
    }
}
