//! The state of each server, for its owner.

use crate::{
    Gateway,
    config::LeftOutServer,
    gateway::{resources, tools},
    upstream::server_state::{ServerState, StateReader},
};
use std::time::Duration;

/// The state of one server of a gateway.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The name of its entry.
    pub name: String,
    /// The name in the configuration, in one line of at most 64 visible characters.
    pub label: String,
    /// The MCP version that it speaks, if it ever answered.
    pub version: Option<String>,
    /// The number of tools that it lists.
    pub tools: usize,
    /// The tools that are not offered, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// At most 20 prompts, resources and templates that are not offered, each with the reason.
    pub left_out_resources: Vec<(String, String)>,
    /// The tools that are offered and not checked in full, each with what is not checked: the
    /// server lists schemas that JSON Schema does not allow.
    pub unchecked: Vec<(String, String)>,
    /// Its state, as a person reads it.
    pub state: ServerState,
    /// Whether it is running.
    pub is_running: bool,
    /// Whether its last five starts failed.
    pub is_failing: bool,
    /// How long its latest start took.
    pub started_in: Option<Duration>,
    /// Whether its entry has a mistake, or needs a value that the environment lacks. The error has
    /// each mistake with its line and key. Such a server is not started.
    pub is_left_out: bool,
    /// Whether a person must log in. The error has the command.
    pub needs_login: bool,
    /// Whether its entry in a project's file waits for `pd-gateway approve`. The error has the
    /// command.
    pub awaits_approval: bool,
    /// Why it failed last.
    pub last_error: Option<String>,
    /// What is wrong with its lists, such as that one ends early.
    pub notes: Vec<String>,
}

impl ServerStatus {
    fn from_left_out(server: &LeftOutServer) -> Self {
        Self {
            name: server.name.clone(),
            label: server.label.clone(),
            version: None,
            tools: 0,
            left_out: Vec::new(),
            left_out_resources: Vec::new(),
            unchecked: Vec::new(),
            notes: Vec::new(),
            state: ServerState::Failed {
                reason: server.reason.clone(),
                retry_in: Duration::ZERO,
            },
            is_running: false,
            is_failing: false,
            started_in: None,
            is_left_out: true,
            awaits_approval: false,
            needs_login: false,
            last_error: Some(server.reason.clone()),
        }
    }
}

impl Gateway {
    /// Returns the servers without known lists, each with the reason. Unlike
    /// [`status`](Self::status), this checks no tools.
    #[cfg(feature = "cli")]
    pub(crate) fn missing_lists(&self) -> Vec<(String, String)> {
        let upstreams = self.upstreams();
        // Servers that wait for approval are reported elsewhere, with their commands.
        let unknown = upstreams
            .iter()
            .filter(|upstream| upstream.lists().is_none() && !upstream.awaits_approval());
        unknown
            .filter_map(|upstream| {
                Some((
                    upstream.name().to_owned(),
                    upstream.health().last_error?.whole(),
                ))
            })
            .collect()
    }

    /// Returns the state of each server, and then of each entry that is left out.
    pub fn status(&self) -> Vec<ServerStatus> {
        let upstreams = self.groups();
        let groups = tools::groups::<()>(&upstreams);
        let resources = resources::left_out(upstreams.iter().map(|(_, upstream)| upstream));
        let listed = upstreams.iter().zip(groups).zip(resources);
        let listed = listed.map(|(((_, upstream), (_, left_out)), resources)| {
            let lists = upstream.lists();
            let health = upstream.health();
            let last_error = health.last_error.as_ref().map(|error| error.whole());
            ServerStatus {
                name: upstream.name().to_owned(),
                label: upstream.label(),
                version: lists.as_ref().map(|lists| lists.era.version().to_owned()),
                tools: lists.as_ref().map_or(0, |lists| lists.tools.len()),
                notes: lists
                    .as_ref()
                    .map(|lists| lists.notes.clone())
                    .unwrap_or_default(),
                left_out: left_out
                    .into_iter()
                    .map(|left| (left.tool, left.reason))
                    .collect(),
                left_out_resources: resources,
                unchecked: tools::notes(upstream),
                state: upstream.state(StateReader::Operator),
                is_running: upstream.is_running(),
                is_failing: health.is_failing(),
                started_in: health.started_in,
                is_left_out: false,
                needs_login: health.needs_login.is_some(),
                awaits_approval: upstream.awaits_approval(),
                // An entry that waits has not been started, so its approval comes before any error.
                last_error: upstream
                    .check_approval()
                    .err()
                    .map(|error| error.to_string())
                    .or(last_error),
            }
        });
        let left_out = self.left_out.load();
        listed
            .chain(left_out.iter().map(ServerStatus::from_left_out))
            .collect()
    }
}
