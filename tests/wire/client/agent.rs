//! A client of each era whose requests are counted.

use crate::harness::{client::Era, site::Site};
use pd_runtime::{
    PdServer,
    client::{Client, ClientBuilder, ListChangedHandler},
};
use rmcp::{
    ClientServiceExt, RoleClient, ServerHandler, Service, ServiceExt,
    model::{CallToolResult, JsonRpcMessage},
    service::{RunningService, RxJsonRpcMessage, TxJsonRpcMessage},
    transport::{
        IntoTransport, StreamableHttpClientTransport, Transport,
        streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use std::sync::{Arc, Mutex};

/// The methods of all requests that a client sent, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent(Arc<Mutex<Vec<String>>>);

impl Sent {
    /// What was sent since it was asked last.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A transport that writes down what it sends.
struct Counted<T>(T, Sent);

impl<T: Transport<RoleClient>> Transport<RoleClient> for Counted<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            self.1
                .0
                .lock()
                .unwrap()
                .push(request.request.method().to_owned());
        }
        self.0.send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.0.close()
    }
}

/// An rmcp client and what it sent, to make an agent of.
pub(crate) struct Connected<S: Service<RoleClient>> {
    pub(crate) running: RunningService<RoleClient, S>,
    pub(crate) sent: Sent,
    _site: Option<Site>,
}

/// An agent's tools on one server.
pub(crate) struct Agent {
    pub(crate) tools: Client,
    pub(crate) sent: Sent,
    _connected: Connected<ListChangedHandler>,
}

/// Connects any handler.
pub(crate) async fn connect<S, H, C>(era: Era, shared: &PdServer<S, H>, handler: C) -> Connected<C>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
    C: Service<RoleClient>,
{
    if era.is_http() {
        let site = Site::open(shared, era == Era::HttpSession).await;
        let connected = connect_to(era, &site.url, None, handler).await;
        return Connected {
            _site: Some(site),
            ..connected
        };
    }
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let served = shared.handler();
    tokio::spawn(async move {
        served
            .serve(theirs)
            .await
            .expect("a handshake")
            .waiting()
            .await
    });
    over(era, ours.into_transport(), handler).await
}

/// Connects to a server that is there, with a bearer token or none.
pub(crate) async fn connect_to<C: Service<RoleClient>>(
    era: Era,
    url: &str,
    token: Option<&str>,
    handler: C,
) -> Connected<C> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.auth_header = token.map(str::to_owned);
    over(
        era,
        StreamableHttpClientTransport::from_config(config),
        handler,
    )
    .await
}

async fn over<C, T>(era: Era, transport: T, handler: C) -> Connected<C>
where
    C: Service<RoleClient>,
    T: Transport<RoleClient> + 'static,
{
    let sent = Sent::default();
    let running = handler
        .serve_with_lifecycle(Counted(transport, sent.clone()), era.lifecycle())
        .await;
    let running = running.expect("a handshake");
    sent.take();
    Connected {
        running,
        sent,
        _site: None,
    }
}

/// An agent of this server.
pub(crate) async fn agent<S, H>(era: Era, shared: &PdServer<S, H>) -> Agent
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    agent_with(era, shared, |builder| builder).await
}

/// An agent with settings.
pub(crate) async fn agent_with<S, H>(
    era: Era,
    shared: &PdServer<S, H>,
    set: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Agent
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    let connected = connect(era, shared, ListChangedHandler::new()).await;
    let tools = set(Client::builder().server("shop", &connected.running))
        .build()
        .await
        .expect("a list");
    Agent {
        tools,
        sent: connected.sent.clone(),
        _connected: connected,
    }
}

/// The agent, after it has found out what a server without sessions knows of its client, which takes requests once.
pub(crate) async fn warm(agent: Agent) -> Agent {
    agent
        .tools
        .describe(["shop__nothing"])
        .await
        .expect("an answer");
    agent.sent.take();
    agent
}

/// The first text of a result.
pub(crate) fn text(result: &CallToolResult) -> &str {
    &result.content[0]
        .as_text()
        .unwrap_or_else(|| panic!("no text in {result:?}"))
        .text
}
