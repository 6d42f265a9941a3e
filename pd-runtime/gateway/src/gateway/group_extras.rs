//! The title of an upstream's group, its prompts and its resources, for clients of the Groups
//! extension.

use crate::{
    gateway::{offered_name::prompt_name, server_line::one_line},
    message::resource_uri::UriKey,
    upstream::Upstream,
};
use pd_runtime::Group;
use serde_json::Value;
use std::collections::HashSet;

/// What the groups before have. A name or URI belongs to the first upstream that lists it, as in
/// the lists.
#[derive(Default)]
pub(crate) struct GroupExtras {
    prompts: HashSet<String>,
    resources: HashSet<UriKey>,
}

impl GroupExtras {
    /// Adds what an upstream offers beside tools to its group.
    pub(crate) fn add<S>(&mut self, mut group: Group<S>, upstream: &Upstream) -> Group<S> {
        // The texts of an entry that is not approved are not shown.
        let Some(lists) = upstream.lists().filter(|_| !upstream.awaits_approval()) else {
            return group;
        };
        if let Some(title) = lists.offered().server_text("title").and_then(one_line) {
            group = group.title(title);
        }
        let names = lists
            .offered()
            .prompts
            .iter()
            .filter_map(|prompt| prompt.get("name").and_then(Value::as_str));
        for name in names.map(|name| prompt_name(upstream, name)) {
            if self.prompts.insert(name.clone()) {
                group = group.prompt(name);
            }
        }
        for (key, entry) in upstream.listed_resources(&lists) {
            let uri = entry.get("uri").and_then(Value::as_str).unwrap_or_default();
            if self.resources.insert(key) {
                group = group.resource(uri.to_owned());
            }
        }
        group
    }
}
