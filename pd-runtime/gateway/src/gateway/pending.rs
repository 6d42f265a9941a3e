//! The servers without known tools, as callers read of them, and the wait for such a server.

use crate::{
    Gateway,
    config::names::{default_prefix, group_name},
    gateway::tools,
    upstream::{
        Upstream,
        server_state::{ServerState, StateReader},
        upstream_error::{AWAITS_APPROVAL, LOGIN_REQUIRED, UNAVAILABLE},
    },
};
use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use pd_runtime::{
    CallContext, ToolError,
    upstream::{CallerAuthority, GroupLine, MissingTools, ToolSource},
};
use std::{
    collections::HashSet,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};
use tokio::time::timeout;

/// How long a call waits for the start of its server. The start goes on after that.
const START_WAIT: Duration = Duration::from_secs(10);
/// The states of servers that one error contains.
const STATES_MAX: usize = 5;
/// How long a search waits for servers that have just begun to start.
const SETTLE_WAIT: Duration = Duration::from_secs(2);
/// How long a caller waits for a registry with the new tools. It is made within a moment.
const SERVED_WAIT: Duration = Duration::from_secs(2);

impl ToolSource for Gateway {
    fn is_complete(&self) -> bool {
        !self.is_unread()
            && self.left_out.load().is_empty()
            && self
                .upstreams()
                .iter()
                .all(|upstream| upstream.lists().is_some() && !upstream.has_waiting_tools())
    }

    fn missing(&self, caller: &CallerAuthority) -> Vec<MissingTools> {
        let groups = self.groups();
        // Until they are served, lists that are read already lead to no tool.
        let is_unread = self.is_unread();
        let visible = groups
            .into_iter()
            .filter(|(_, upstream)| upstream.is_visible(caller));
        let unknown = visible.filter_map(|(group, upstream)| {
            let first_lines = upstream.lists.first_lines();
            if is_unread && !first_lines.is_empty() {
                return Some(unread_tools(group, &upstream, first_lines));
            }
            match upstream.lists() {
                None => Some(missing_tools(group, &upstream, caller)),
                Some(_) => waiting_tools(group, &upstream, caller),
            }
        });
        unknown.chain(self.left_out_entries(caller)).collect()
    }

    fn wait<'a>(&'a self, set: &'a MissingTools) -> BoxFuture<'a, ()> {
        self.wait_for(std::slice::from_ref(set), START_WAIT).boxed()
    }

    fn settle<'a>(&'a self, sets: &'a [MissingTools]) -> BoxFuture<'a, ()> {
        self.settle_new(sets).boxed()
    }

    fn reserve(&self, names: HashSet<String>, has_taken: bool) {
        self.shared.reserved.store(Arc::new(names));
        if !has_taken {
            return;
        }
        // The registry was made before the names were known, so its reasons lack them.
        let upstreams = self.groups();
        let groups = tools::groups::<()>(&upstreams);
        for ((_, upstream), (_, left_out)) in upstreams.iter().zip(groups) {
            upstream.lists.set_left_out(upstream.name(), left_out);
        }
    }
}

/// Returns the tools of an upstream whose lists are being read from disk.
fn unread_tools(group: String, upstream: &Upstream, lines: &[GroupLine]) -> MissingTools {
    let name = upstream.name().to_owned();
    MissingTools {
        group,
        state: format!("the tools of `{name}` are being read; try again in a moment"),
        prefix: upstream.prefix(),
        name,
        code: UNAVAILABLE,
        lines: lines.to_vec(),
        names: Vec::new(),
    }
}

fn missing_tools(group: String, upstream: &Upstream, caller: &CallerAuthority) -> MissingTools {
    let state = upstream.state(StateReader::Caller(caller));
    let code = match state {
        ServerState::NeedsLogin { .. } => LOGIN_REQUIRED,
        ServerState::AwaitsApproval => AWAITS_APPROVAL,
        _ => UNAVAILABLE,
    };
    let name = upstream.name().to_owned();
    MissingTools {
        group,
        state: state.sentence(&name, caller),
        prefix: upstream.prefix(),
        name,
        code,
        lines: Vec::new(),
        names: Vec::new(),
    }
}

/// Returns the new tools of an upstream that wait for a person's approval. Their texts and names
/// are not approved, so no caller reads them here.
fn waiting_tools(
    group: String,
    upstream: &Upstream,
    caller: &CallerAuthority,
) -> Option<MissingTools> {
    let waiting = upstream.waiting_tools(caller)?;
    let name = upstream.name().to_owned();
    let tools = match waiting.has_others {
        true => "further tools",
        false => "the tools",
    };
    let state = match caller {
        CallerAuthority::Owner => format!(
            "{tools} of `{name}` wait for approval: ask the user to run `pd-gateway approve {name}`"
        ),
        CallerAuthority::Remote(_) => format!(
            "{tools} of `{name}` are not offered before the owner of this gateway has approved them"
        ),
    };
    Some(MissingTools {
        group,
        state,
        prefix: upstream.prefix(),
        name,
        code: ToolError::HELD,
        lines: Vec::new(),
        names: match waiting.has_others {
            true => waiting.names,
            // Then every name of the server is one of them.
            false => Vec::new(),
        },
    })
}

impl Gateway {
    /// Returns the entries that have a mistake. Their words are for their owner, so a model reads
    /// the name alone. The scopes of such an entry are not known, so no remote caller reads of it.
    fn left_out_entries(&self, caller: &CallerAuthority) -> Vec<MissingTools> {
        if *caller != CallerAuthority::Owner {
            return Vec::new();
        }
        let left_out = self.left_out.load();
        let upstreams = self.upstreams();
        let names = left_out
            .iter()
            .map(|server| &server.name)
            .filter(|name| !name.is_empty());
        // An entry without a mistake can have the name, and then its tools are not missing.
        let free = names.filter(|name| {
            upstreams
                .iter()
                .all(|upstream| upstream.name() != name.as_str())
        });
        let sets = free.map(|name| MissingTools {
            group: group_name(name),
            prefix: default_prefix(name),
            state: format!(
                "`{name}` is not available, because its entry in the configuration has a mistake: ask the user to run \
                 `pd-gateway doctor`"
            ),
            name: name.clone(),
            code: UNAVAILABLE,
            lines: Vec::new(),
            names: Vec::new(),
        });
        sets.collect()
    }

    /// Returns whether the lists of the servers are not read and served yet.
    pub(crate) fn is_unread(&self) -> bool {
        *self.shared.unread.borrow()
    }

    /// Waits until the lists of the servers are served, for a request.
    pub(crate) async fn until_read(&self) {
        if self.is_unread() {
            drop(timeout(START_WAIT, self.until_all_read()).await);
        }
    }

    /// Waits until the lists of the servers are served, however long it takes.
    pub(crate) async fn until_all_read(&self) {
        let mut unread = self.shared.unread.subscribe();
        drop(unread.wait_for(|is_unread| !is_unread).await);
    }

    /// Waits until the lists of these servers are known and served, or cannot be read now.
    pub(crate) async fn wait_for(&self, sets: &[MissingTools], limit: Duration) {
        self.until_read().await;
        let upstreams = self.upstreams();
        let meant = upstreams
            .iter()
            .filter(|upstream| upstream.lists().is_none())
            .filter(|upstream| sets.iter().any(|set| set.name == upstream.name()));
        let startable =
            meant.filter(|upstream| upstream.state(StateReader::Operator).may_answer_soon());
        let readings = startable.map(|upstream| {
            let upstream = upstream.clone();
            // Its own task: the start must go on when nobody waits for it any more.
            tokio::spawn(async move { drop(upstream.read_lists().await) })
        });
        let readings = futures::future::join_all(readings);
        // The tools are in the registry a moment later, when `follow` has replaced it.
        if timeout(limit, readings).await.is_ok() {
            self.until_served().await;
        }
    }

    /// Looks for what a server offers, and waits for the servers without known lists until one of
    /// them offers it.
    ///
    /// # Errors
    ///
    /// Returns the states of these servers if nothing was found, and some of them are still not
    /// known.
    pub(crate) async fn find_or_wait<T>(
        &self,
        context: &CallContext,
        is_meant: impl Fn(&Upstream) -> bool,
        find: impl Fn() -> Option<T>,
    ) -> Result<Option<T>, ToolError> {
        self.until_read().await;
        if let Some(found) = find() {
            return Ok(Some(found));
        }
        let caller = context.authority();
        let unknown = |upstream: &Arc<Upstream>| upstream.lists().is_none() && is_meant(upstream);
        let mut readings: FuturesUnordered<_> = (self.visible(caller).filter(unknown))
            .filter(|upstream| upstream.state(StateReader::Operator).may_answer_soon())
            // Its own task: the start must go on when nobody waits for it any more.
            .map(|upstream| tokio::spawn(async move { drop(upstream.read_lists().await) }))
            .collect();
        let waiting = async {
            while readings.next().await.is_some() {
                if let Some(found) = find() {
                    return Some(found);
                }
            }
            None
        };
        let waiting = context
            .cancellation()
            .run_until_cancelled(timeout(START_WAIT, waiting));
        // Once more at the end, because another request can have read the lists meanwhile.
        if let Some(found) = waiting.await.and_then(Result::ok).flatten().or_else(&find) {
            return Ok(Some(found));
        }
        let unknown: Vec<_> = self.visible(caller).filter(unknown).collect();
        let Some(first) = unknown.first() else {
            return Ok(None);
        };
        // An error has one code, so the first of the servers decides.
        let code = missing_tools(String::new(), first, caller).code;
        let states = unknown.iter().take(STATES_MAX).map(|upstream| {
            upstream
                .state(StateReader::Caller(caller))
                .sentence(upstream.name(), caller)
        });
        Err(ToolError::new(code, states.collect::<Vec<_>>().join("; ")))
    }

    /// Waits for the servers that have begun to start just now.
    async fn settle_new(&self, sets: &[MissingTools]) {
        self.until_read().await;
        let upstreams = self.upstreams();
        let mut new = Vec::new();
        let mut limit = Duration::ZERO;
        for set in sets {
            let upstream = upstreams
                .iter()
                .find(|upstream| upstream.name() == set.name && upstream.lists().is_none());
            let rest = match upstream.map(|upstream| upstream.state(StateReader::Operator)) {
                Some(ServerState::Starting { since }) => SETTLE_WAIT.saturating_sub(since),
                // Its turn to start comes in a moment.
                Some(ServerState::Idle) if self.shared.refreshing.load(Relaxed) > 0 => SETTLE_WAIT,
                _ => Duration::ZERO,
            };
            if !rest.is_zero() {
                new.push(set.clone());
                limit = limit.max(rest);
            }
        }
        if !new.is_empty() {
            self.wait_for(&new, limit).await;
        }
    }

    /// Waits until the served registry has the lists that are known now.
    async fn until_served(&self) {
        let known = *self.changed.borrow();
        let mut served = self.served.subscribe();
        // Without `follow`, the registry is never replaced, so the wait would be in vain.
        if self.changed.receiver_count() > 0 {
            drop(timeout(SERVED_WAIT, served.wait_for(|served| *served >= known)).await);
        }
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use crate::{
        config::own_environment::config_from_text,
        connection::era::{Era, ServerFacts},
        lists::{
            cached_lists::{CachedLists, ListCache},
            raw_lists::RawLists,
        },
    };
    use serde_json::json;

    #[tokio::test]
    async fn a_tool_with_the_name_of_a_renamed_meta_tool_is_left_out() {
        let directory = std::env::temp_dir().join(format!("pd-reserved-{}", std::process::id()));
        let text = r#"{"mcpServers":{"u":{"command":"u"}}}"#;
        let config = config_from_text(&directory.join("mcp.json"), text).unwrap();
        let tool = |name: &str| json!({ "name": name, "description": "Do it", "inputSchema": { "type": "object" } });
        let lists = RawLists {
            tools: vec![tool("tool"), tool("other")],
            ..RawLists::default()
        };
        let fingerprint = config.servers[0].fingerprint();
        let era = Era::Legacy("2025-11-25".into());
        let lists = CachedLists::new("u", &fingerprint, era, ServerFacts::default(), lists);
        ListCache::new(&directory).write(&lists).unwrap();
        let gateway = Gateway::with_cache(config, &directory);
        let builder = gateway.builder().call_tool_name("u__tool");
        let server = builder.build().unwrap();
        let registry = gateway.registry();
        assert_eq!(registry.names().collect::<Vec<_>>(), ["u__other"]);
        server.replace(registry).unwrap();
        let left_out = &gateway.status()[0].left_out;
        assert_eq!(left_out[0].0, "tool");
        assert!(left_out[0].1.contains("meta-tool"), "{left_out:?}");
        std::fs::remove_dir_all(directory).unwrap();
    }
}
