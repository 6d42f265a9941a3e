//! The start of an upstream: its transport, and the handshake in the order that it takes.
//!
//! Some processes end at a first request other than `initialize`: each server on rmcp 1 with the
//! usual `main` does. Others end at `initialize`. So a process that fails at the handshake is
//! started once more, and gets the requests in the other order. The order that worked is
//! remembered.

use crate::{
    config::{FirstRequest, ServerTransport},
    connection::{
        Connection, RequestError,
        era::{Era, HandshakeOrder, ServerFacts, shake_hands},
        pool::ConnectionClient,
        start_error::StartError,
    },
    oauth::AccessTokens,
    transport::{
        QUEUE,
        http::{HttpLink, SseLink},
        link::Link,
        openapi::OpenApiLink,
        spawn_failure,
        stdio::{ChildLink, StderrTail},
    },
    upstream::Upstream,
};
use parking_lot::Mutex;
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::timeout};

/// The part of the time for a start after which a process that is silent gets a second one beside
/// it. Package runners need long, so the first one goes on.
const FIRST_PART: u32 = 2;

/// A connection after the handshake, with what the server says about itself.
type Started = (Connection, ServerFacts);

/// Whether another order of the handshake may help.
const fn depends_on_order(error: &StartError) -> bool {
    matches!(
        error,
        StartError::Silent(_)
            | StartError::Initialize(
                RequestError::Closed(_)
                    | RequestError::Ended(_)
                    | RequestError::InputFull
                    | RequestError::InputClosed
                    | RequestError::Refused(_)
            )
    )
}

impl Upstream {
    /// Starts the upstream for a client, within the time of the entry.
    pub(crate) async fn start(&self, client: &ConnectionClient) -> Result<Started, StartError> {
        let limit = self.start_timeout();
        let stderr = Mutex::default();
        let started = timeout(limit, self.start_in_either_order(client, limit, &stderr)).await;
        let (connection, facts) =
            started.unwrap_or_else(|_| Err(StartError::Timeout(limit, stderr.lock().text())))?;
        self.remember_era(connection.era());
        Ok((connection, facts))
    }

    async fn start_in_either_order(
        &self,
        client: &ConnectionClient,
        limit: Duration,
        stderr: &Mutex<StderrTail>,
    ) -> Result<Started, StartError> {
        let order = match self.entry.settings.handshake {
            Some(FirstRequest::Discover) => HandshakeOrder::DiscoverFirst,
            Some(FirstRequest::Initialize) => HandshakeOrder::InitializeFirst,
            None => HandshakeOrder::from_era(self.remembered_era().as_ref()),
        };
        let first = self.start_once(client, order, stderr);
        // Over HTTP, one connection can try both: a server does not end at a request.
        if !matches!(self.entry.transport, ServerTransport::Stdio(_)) {
            return first.await;
        }
        // Nothing starts before this is awaited.
        let second = self.start_once(client, order.other(), stderr);
        let mut first = pin!(first);
        match timeout(limit / FIRST_PART, &mut first).await {
            Ok(Err(error)) if depends_on_order(&error) => {
                tracing::debug!(server = self.name(), %error, "an upstream is started in the other order");
                second.await
            }
            Ok(outcome) => outcome,
            Err(_) => {
                let mut second = pin!(second);
                // The start that is not taken is dropped, which ends its process.
                tokio::select! {
                    outcome = &mut first => match outcome {
                        Ok(started) => Ok(started),
                        Err(_) => second.await,
                    },
                    outcome = &mut second => match outcome {
                        Ok(started) => Ok(started),
                        Err(_) => first.await,
                    },
                }
            }
        }
    }

    async fn start_once(
        &self,
        client: &ConnectionClient,
        order: HandshakeOrder,
        stderr: &Mutex<StderrTail>,
    ) -> Result<Started, StartError> {
        let (events, queue) = mpsc::channel(QUEUE);
        let (link, is_process): (Arc<dyn Link>, _) = match &self.entry.transport {
            ServerTransport::Stdio(server) => {
                let child = ChildLink::start(
                    server,
                    &self.entry.settings.inherit_env,
                    self.secrets.clone(),
                    events,
                    self.bounds(),
                    self.shared.processes.clone(),
                );
                let child = child.map_err(|error| {
                    StartError::Unusable(spawn_failure::explain(server, &error))
                })?;
                // The lines of the latest process explain a start that takes too long.
                *stderr.lock() = child.stderr().clone();
                (Arc::new(child), true)
            }
            ServerTransport::Http(server) | ServerTransport::Sse(server) => {
                let tokens = AccessTokens::from_entry(
                    &self.entry,
                    client.subject(),
                    self.shared.token_directory(),
                );
                if let Some(tokens) = &tokens {
                    // A renewal may take longer than a server has for the first answer of the
                    // handshake.
                    tokens.bearer().await?;
                }
                let clients = &self.shared.clients;
                let secrets = self.secrets.clone();
                let bounds = self.bounds();
                let link: Arc<dyn Link> = match self.is_legacy_sse() {
                    true => Arc::new(
                        SseLink::start(clients, server, tokens, secrets, events, bounds)
                            .map_err(StartError::Unusable)?,
                    ),
                    false => Arc::new(
                        HttpLink::new(clients, server, tokens, secrets, events, bounds)
                            .map_err(StartError::Unusable)?,
                    ),
                };
                (link, false)
            }
            ServerTransport::OpenApi(server) => {
                let link =
                    OpenApiLink::start(server, self.secrets.clone(), events, self.bounds()).await;
                (Arc::new(link.map_err(StartError::Unusable)?), false)
            }
        };
        let mut connection = Connection::new(link, queue, self.event_target(client));
        // No version since 2025-03-26 has the transport HTTP+SSE.
        let order = if self.is_legacy_sse() {
            HandshakeOrder::InitializeFirst
        } else {
            order
        };
        match shake_hands(&mut connection, order, is_process).await {
            Ok(facts) => {
                connection.set_capabilities(&facts.capabilities);
                Ok((connection, facts))
            }
            Err(StartError::Initialize(
                error @ (RequestError::InputFull | RequestError::InputClosed),
            )) => {
                let reason = connection.noticed_end().await;
                let error = reason.map_or(error, RequestError::Closed);
                Err(StartError::Initialize(error))
            }
            Err(error) => Err(error),
        }
    }

    const fn is_legacy_sse(&self) -> bool {
        matches!(self.entry.transport, ServerTransport::Sse(_))
    }

    /// Returns the era of the latest start, also of an earlier run.
    fn remembered_era(&self) -> Option<Era> {
        self.lists
            .era()
            .or_else(|| self.lists().map(|lists| lists.era.clone()))
    }

    /// Remembers the era, also if the lists cannot be read afterwards.
    fn remember_era(&self, era: &Era) {
        let former = self.remembered_era();
        self.lists.set_era(era.clone());
        // The next start needs the order alone, so another legacy version is not written.
        let is_known =
            HandshakeOrder::from_era(former.as_ref()) == HandshakeOrder::from_era(Some(era));
        if let Some(cache) = self.shared.cache.as_ref().filter(|_| !is_known)
            && let Err(error) = cache.write_era(self.name(), &self.fingerprint, era)
        {
            tracing::warn!(server = self.name(), %error, "could not remember the MCP version of an upstream");
        }
    }
}
