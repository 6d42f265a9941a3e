//! The protocol generation that an upstream speaks, and the handshake that finds it.

use crate::{
    connection::{
        Connection, RequestError,
        client_requests::{declare_relay, declared_capabilities},
        named_versions::NamedVersions,
        start_error::StartError,
    },
    message::log_level::{self, LogLevel},
};
use rmcp::model::{JsonObject, ProtocolVersion};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// The version of self-contained requests.
static MODERN: ProtocolVersion = ProtocolVersion::V_2026_07_28;
/// The version that `initialize` requests. A server answers with its own.
static LEGACY: ProtocolVersion = ProtocolVersion::LATEST_WITH_INITIALIZE;
/// How long a server may take to answer `server/discover`. Servers before 2026-07-28 answer with an
/// error, and some not at all.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a process may take for `initialize` after it has answered `server/discover`.
const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(5);
/// The prefix of the keys in `_meta` that belong to one hop.
pub(crate) const HOP_PREFIX: &str = "io.modelcontextprotocol/";

/// The protocol generation of one upstream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Era {
    /// Before the handshake.
    Unknown,
    /// `initialize`, in this version.
    Legacy(String),
    /// Self-contained requests, MCP 2026-07-28.
    Modern,
}

/// What an upstream says about itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ServerFacts {
    /// `serverInfo`, as the upstream wrote it.
    pub(crate) info: Value,
    pub(crate) capabilities: Value,
    pub(crate) instructions: Option<String>,
}

/// What a handshake begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandshakeOrder {
    DiscoverFirst,
    InitializeFirst,
}

impl HandshakeOrder {
    pub(crate) const fn from_era(era: Option<&Era>) -> Self {
        match era {
            Some(Era::Legacy(_)) => Self::InitializeFirst,
            _ => Self::DiscoverFirst,
        }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::DiscoverFirst => Self::InitializeFirst,
            Self::InitializeFirst => Self::DiscoverFirst,
        }
    }
}

impl Era {
    pub(crate) fn version(&self) -> &str {
        match self {
            Self::Unknown | Self::Modern => MODERN.as_str(),
            Self::Legacy(version) => version,
        }
    }

    pub(crate) const fn is_modern(&self) -> bool {
        matches!(self, Self::Modern)
    }

    /// Replaces the metadata of the hop to the gateway with metadata for the hop to the upstream.
    /// The capabilities and the level of log messages come from the client.
    pub(crate) fn set_meta(
        &self,
        params: &mut JsonObject,
        progress_token: Option<u64>,
        mut capabilities: JsonObject,
        log_level: Option<LogLevel>,
    ) {
        let mut meta = match params.remove("_meta") {
            Some(Value::Object(meta)) => meta,
            _ => JsonObject::new(),
        };
        // The token of the client is between the client and the gateway.
        meta.retain(|key, _| !key.starts_with(HOP_PREFIX) && key != "progressToken");
        if let Some(token) = progress_token {
            meta.insert("progressToken".to_owned(), token.into());
        }
        // Also before the handshake, because `server/discover` is a request of 2026-07-28.
        if !matches!(self, Self::Legacy(_)) {
            meta.insert(
                format!("{HOP_PREFIX}protocolVersion"),
                MODERN.as_str().into(),
            );
            meta.insert(format!("{HOP_PREFIX}clientInfo"), client_info());
            declare_relay(&mut capabilities);
            meta.insert(
                format!("{HOP_PREFIX}clientCapabilities"),
                Value::Object(capabilities),
            );
            meta.extend(
                log_level.map(|level| (log_level::META_KEY.to_owned(), level.as_str().into())),
            );
        }
        if !meta.is_empty() {
            params.insert("_meta".to_owned(), Value::Object(meta));
        }
    }
}

/// Finds the era of an upstream.
pub(crate) async fn shake_hands(
    connection: &mut Connection,
    order: HandshakeOrder,
    is_process: bool,
) -> Result<ServerFacts, StartError> {
    // A server that was legacy may have been updated, so only the order depends on the memory.
    // Servers on the Python SDK 2 refuse `initialize` after `server/discover`, but not the other
    // way round.
    let mut is_answered = false;
    let mut named = NamedVersions::default();
    if order == HandshakeOrder::DiscoverFirst {
        let discovered = timeout(DISCOVER_TIMEOUT, discover(connection, &mut named)).await;
        is_answered = discovered.is_ok();
        if let Ok(Some(facts)) = discovered {
            connection.set_era(Era::Modern);
            return Ok(facts);
        }
    }
    // A process that has answered one request is ready for the next. If it is silent then, it takes
    // no `initialize` after another request.
    let initialized = match is_process && is_answered {
        true => timeout(INITIALIZE_TIMEOUT, initialize(connection)).await,
        false => Ok(initialize(connection).await),
    };
    match initialized.unwrap_or(Err(StartError::Silent(INITIALIZE_TIMEOUT))) {
        // A server that speaks 2026-07-28 alone, and started too slowly to answer `server/discover`
        // in time, or was remembered as an older one. Each has another code or status for this.
        Err(error) if may_be_modern(&error, order) => {
            connection.set_era(Era::Modern);
            let facts = discover(connection, &mut named).await;
            // The versions say more than the refusal, which can be an unknown method.
            facts.ok_or_else(|| match (error, named.only_unknown()) {
                (StartError::Initialize(RequestError::Refused(_)), Some(versions)) => {
                    StartError::Version(versions)
                }
                (error, _) => error,
            })
        }
        outcome => outcome,
    }
}

/// Returns whether a server that did not take `initialize` may take `server/discover`.
fn may_be_modern(error: &StartError, order: HandshakeOrder) -> bool {
    match error {
        StartError::Initialize(RequestError::Refused(_)) => true,
        StartError::Initialize(RequestError::NotRun(_) | RequestError::Lost(_)) => {
            matches!(order, HandshakeOrder::InitializeFirst)
        }
        // `initialize` cannot agree on this version.
        StartError::Version(version) => version == MODERN.as_str(),
        _ => false,
    }
}

/// Requests what a server of 2026-07-28 says about itself, and adds the versions that it names.
async fn discover(connection: &Connection, named: &mut NamedVersions) -> Option<ServerFacts> {
    let result = match connection
        .request("server/discover", JsonObject::new())
        .await
    {
        Ok(result) => result,
        Err(RequestError::Refused(error)) => {
            *named = NamedVersions::from_error(&error, MODERN.as_str());
            return None;
        }
        Err(_) => return None,
    };
    // An answer alone is not enough, because it may name other versions only.
    named.add(result.get("supportedVersions")?);
    let speaks_modern = named.contains(MODERN.as_str());
    let info = result
        .pointer("/_meta/io.modelcontextprotocol~1serverInfo")
        .or_else(|| result.get("serverInfo"));
    let facts = ServerFacts {
        info: info.cloned().unwrap_or_default(),
        capabilities: result.get("capabilities").cloned().unwrap_or_default(),
        instructions: result
            .get("instructions")
            .and_then(Value::as_str)
            .map(str::to_owned),
    };
    speaks_modern.then_some(facts)
}

/// Requests the latest version, and then one that the server names in its refusal.
async fn initialize(connection: &mut Connection) -> Result<ServerFacts, StartError> {
    match initialize_in(connection, LEGACY.as_str()).await {
        Err(StartError::Initialize(RequestError::Refused(error))) => {
            let named = NamedVersions::from_error(&error, LEGACY.as_str());
            let other = named.latest_with_initialize();
            match other.filter(|other| *other != LEGACY.as_str()) {
                Some(other) => initialize_in(connection, other).await,
                None => Err(match named.only_unknown() {
                    Some(versions) => StartError::Version(versions),
                    None => StartError::Initialize(RequestError::Refused(error)),
                }),
            }
        }
        outcome => outcome,
    }
}

async fn initialize_in(
    connection: &mut Connection,
    requested: &str,
) -> Result<ServerFacts, StartError> {
    // Before the request, because `initialize` has none of the metadata of 2026-07-28.
    connection.set_era(Era::Legacy(requested.to_owned()));
    let params = json!({ "protocolVersion": requested, "capabilities": declared_capabilities(connection.is_of_session()), "clientInfo": client_info() });
    let Value::Object(params) = params else {
        // Never reached, because `json!` has made an object.
        return Err(StartError::NoVersion);
    };
    let mut result = match connection.request("initialize", params).await {
        Ok(result) => result,
        Err(error) => return Err(StartError::Initialize(error)),
    };
    let version = result
        .get("protocolVersion")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let mut known = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .filter(|known| known.has_initialize());
    if !known.any(|known| known.as_str() == version) {
        let mut named = NamedVersions::default();
        named.add(&version.into());
        return Err(named
            .render()
            .map_or(StartError::NoVersion, StartError::Version));
    }
    // Before the notification, which names this version in its header over HTTP.
    connection.set_era(Era::Legacy(version));
    connection
        .notify("notifications/initialized", JsonObject::new())
        .map_err(StartError::Initialize)?;
    let mut take = |key: &str| result.get_mut(key).map(Value::take).unwrap_or_default();
    Ok(ServerFacts {
        info: take("serverInfo"),
        capabilities: take("capabilities"),
        instructions: take("instructions").as_str().map(str::to_owned),
    })
}

fn client_info() -> Value {
    json!({ "name": "pd-gateway", "version": env!("CARGO_PKG_VERSION") })
}
