//! The resources of a server that clients get.

use crate::{
    lists::list::RESOURCES,
    message::{
        definition_text::check_text,
        odd_entry::{check_type, without_name},
        resource_uri::UriKey,
    },
};
use rmcp::model::Resource;
use serde_json::Value;
use std::collections::HashSet;

/// The resources of a list that are offered, and why others are not.
#[derive(Debug, Clone, Default)]
pub(crate) struct OfferedResources {
    /// The places in the list.
    pub(crate) places: Vec<usize>,
    uris: HashSet<UriKey>,
    /// The URIs that are left out. They are not read either.
    withheld: HashSet<UriKey>,
    /// Each URI that is left out, with the reason.
    pub(crate) left_out: Vec<(String, String)>,
}

impl OfferedResources {
    pub(crate) fn new(resources: &[Value]) -> Self {
        let mut offered = Self::default();
        for (place, resource) in resources.iter().enumerate() {
            let Some(uri) = resource.get("uri").and_then(Value::as_str) else {
                offered
                    .left_out
                    .push(without_name("resource", RESOURCES.name));
                continue;
            };
            let key = UriKey::new(uri);
            let checked = match key.is_own() {
                true => Err("this server has a resource with this URI itself".to_owned()),
                false => check_text(resource).and_then(|()| check_type::<Resource>(resource)),
            };
            match checked {
                Ok(()) => {
                    offered.places.push(place);
                    offered.uris.insert(key);
                }
                Err(reason) => {
                    offered.left_out.push((format!("resource {uri}"), reason));
                    offered.withheld.insert(key);
                }
            }
        }
        offered
    }

    /// Returns whether the server lists a resource.
    pub(crate) fn contains(&self, uri: &UriKey) -> bool {
        self.uris.contains(uri)
    }

    /// Returns whether the server lists a resource that is left out.
    pub(crate) fn withholds(&self, uri: &UriKey) -> bool {
        // A server can list one URI twice, and one entry that passes the check is enough.
        self.withheld.contains(uri) && !self.contains(uri)
    }
}
