//! Describing tools: from what is known where it is, else from their server, each server asked once.

use super::{Client, cache::Entry, describe_result::Described, error::ClientError};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

/// The most names that one request describes; the rest are not looked at.
const NAMES_MAX: usize = 500;

/// A tool, as its server and its own name.
type Place = (usize, String);

impl Client {
    /// Full descriptions of these tools. They count as shown to this conversation: the set of tools has them from now on.
    ///
    /// What was fetched before costs no round trip, until the server says that its tools changed. Unknown names are told in
    /// the answer ([`Described::unknown`]).
    ///
    /// # Errors
    ///
    /// A server does not answer, or not as its wire promises.
    pub async fn describe<N: Into<String>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Described, ClientError> {
        let mut seen = HashSet::new();
        let names = names.into_iter().map(Into::into).filter(|name: &String| seen.insert(name.clone()));
        let names: Vec<String> = names.take(NAMES_MAX).collect();
        self.describe_each(names).await
    }

    /// Full descriptions of all tools that the servers list.
    ///
    /// For agents whose provider searches by itself: everything is deferred, nothing is left out.
    ///
    /// # Errors
    ///
    /// As [`Client::describe`].
    pub async fn describe_all(&self) -> Result<Described, ClientError> {
        self.refresh().await?;
        let mut described = Described { given: Vec::new(), unknown: Vec::new() };
        for (place, server) in self.servers.iter().enumerate() {
            let names: Vec<Place> = server.listed().summaries().map(|tool| (place, tool.name.to_string())).collect();
            let entries = self.entries(names.iter()).await?;
            described.given.extend(names.iter().filter_map(|name| self.show(name, entries.get(name)?)));
        }
        Ok(described)
    }

    async fn describe_each(&self, names: Vec<String>) -> Result<Described, ClientError> {
        let resolved: Vec<(String, Option<Place>)> =
            names.into_iter().map(|name| (name.clone(), self.resolve(&name))).collect();
        let entries = self.entries(resolved.iter().filter_map(|(_, place)| place.as_ref())).await?;
        let mut described = Described { given: Vec::new(), unknown: Vec::new() };
        for (name, place) in &resolved {
            let entry = place.as_ref().and_then(|place| Some((place, entries.get(place)?)));
            if let Some(given) = entry.and_then(|(place, entry)| self.show(place, entry)) {
                described.given.push(given);
                continue;
            }
            match self.group(place.as_ref()).await? {
                tools if tools.is_empty() => {
                    let unknown = self.unknown_after(described.unknown.len(), name);
                    described.unknown.push(unknown);
                }
                tools => described.given.extend(tools),
            }
        }
        Ok(described)
    }

    /// All tools of a group that is called so.
    async fn group(&self, place: Option<&Place>) -> Result<Vec<(String, Arc<super::Description>)>, ClientError> {
        let Some((index, name)) = place else { return Ok(Vec::new()) };
        let Some(server) = self.servers.get(*index) else { return Ok(Vec::new()) };
        let entries = server.open(name, &self.cache).await?;
        let tool = |entry: &Entry| self.show(&(*index, entry.description.name().to_owned()), entry);
        Ok(entries.iter().filter_map(tool).collect())
    }

    /// Counts a description as shown, and gives what the model has of it, under the name that it knows.
    fn show(&self, place: &Place, entry: &Entry) -> Option<(String, Arc<super::Description>)> {
        let (index, own) = place;
        self.note(*index, self.servers.get(*index)?, &entry.description);
        let state = self.state();
        let shown = state.shown_of(*index, own)?;
        Some((shown.name.clone(), shown.description.clone()))
    }

    /// What is known of these tools, after asking for what was not.
    pub(super) async fn entries(
        &self,
        places: impl Iterator<Item = &Place>,
    ) -> Result<HashMap<Place, Entry>, ClientError> {
        let mut by_server: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
        places.for_each(|(place, own)| by_server.entry(*place).or_default().push(own));
        let mut entries = HashMap::new();
        for (place, names) in by_server {
            let Some(server) = self.servers.get(place) else { continue };
            let listed = server.refreshed(&self.cache).await?;
            let mut missing = Vec::new();
            for name in names {
                match server.known(name, &listed, &self.cache) {
                    Some(entry) => _ = entries.insert((place, name.clone()), entry),
                    None if server.opened(name, &listed, &self.cache).is_some() => {}
                    None => missing.push(name.clone()),
                }
            }
            if !missing.is_empty() {
                let fetched = server.describe(missing, None, &self.cache).await?;
                entries.extend(fetched.into_iter().map(|entry| ((place, entry.description.name().to_owned()), entry)));
            }
        }
        Ok(entries)
    }
}
