//! The new tools of an upstream that wait for a person's approval, as callers read of them.

use crate::{config::names, lists::cached_lists::CachedLists, upstream::Upstream};
use pd_runtime::upstream::CallerAuthority;
use serde_json::Value;

/// The new tools that wait, as far as a caller may know of them.
pub(crate) struct WaitingTools {
    /// The names that they will have.
    pub(crate) names: Vec<String>,
    /// Whether the upstream has other tools, which are offered.
    pub(crate) has_others: bool,
}

impl Upstream {
    /// Returns whether a new tool waits. It is asked with every request.
    pub(crate) fn has_waiting_tools(&self) -> bool {
        self.lists()
            .is_some_and(|lists| self.waiting_names(&lists).next().is_some())
    }

    /// Returns the new tools that wait, or `None` if there are none for this caller.
    pub(crate) fn waiting_tools(&self, caller: &CallerAuthority) -> Option<WaitingTools> {
        let lists = self.lists()?;
        let settings = &self.entry.settings;
        let prefix = self.prefix();
        // A tool with its own scopes is none for callers who may lack them.
        let waiting = self.waiting_names(&lists).filter(|name| {
            let own = settings.tools.get(*name);
            *caller == CallerAuthority::Owner || own.is_none_or(|own| own.scopes.is_empty())
        });
        let waiting: Vec<String> = waiting.map(|name| names::prefixed(&prefix, name)).collect();
        let offered = lists.tools.iter().enumerate().filter(|(place, tool)| {
            let held = lists.held.tools.get(place);
            held.is_none_or(|held| held.approved.is_some())
                && name_of(tool).is_some_and(|name| settings.offers(name))
        });
        let has_others = offered.count() > 0;
        (!waiting.is_empty()).then_some(WaitingTools {
            names: waiting,
            has_others,
        })
    }

    /// Returns the server's own names of the new tools that wait, and that the settings do not leave
    /// out.
    fn waiting_names<'a>(&'a self, lists: &'a CachedLists) -> impl Iterator<Item = &'a str> {
        let new = lists.held.tools.iter();
        let new = new.filter(|(_, held)| held.approved.is_none());
        let names = new.filter_map(|(place, _)| name_of(lists.tools.get(*place)?));
        names.filter(|name| self.entry.settings.offers(name))
    }
}

fn name_of(tool: &Value) -> Option<&str> {
    tool.get("name")?.as_str()
}
