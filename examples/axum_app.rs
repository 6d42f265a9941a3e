//! MCP inside an axum application: one port, one state, one stack of middleware.
//! `pd-runtime/docs/axum.md` explains this file.
//!
//! ```sh
//! cargo run --example axum_app
//! curl --header 'authorization: Bearer reader' http://127.0.0.1:3000/orders/1
//! ```

use axum::{
    Json, Router,
    extract::{Path, Request, State},
    http::{
        HeaderName, HeaderValue, Method, StatusCode,
        header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE},
    },
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use pd_runtime::{
    Listing, PdServer, Principal, Registry, ToolError, pd_tool,
    serve::{self, CancellationToken, HttpOptions, bearer},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    error::Error,
    net::SocketAddr,
    sync::{Arc, PoisonError, RwLock},
};
use tokio::net::TcpListener;
use tower_http::{
    compression::CompressionLayer,
    cors::{AllowHeaders, CorsLayer},
    trace::TraceLayer,
};

/// The application's state. Handlers and tools use clones of it, which share the orders.
#[derive(Clone, Debug)]
struct Orders(Arc<RwLock<BTreeMap<u32, Order>>>);

/// An order.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Order {
    /// What was ordered.
    item: String,
    /// Whether the customer has cancelled the order.
    cancelled: bool,
}

impl Orders {
    fn new(items: &[&str]) -> Self {
        let orders = items.iter().map(|item| Order {
            item: (*item).to_owned(),
            cancelled: false,
        });
        Self(Arc::new(RwLock::new((1..).zip(orders).collect())))
    }

    fn find(&self, id: u32) -> Option<Order> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&id)
            .cloned()
    }

    fn cancel(&self, id: u32) -> Option<Order> {
        let mut orders = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let order = orders.get_mut(&id)?;
        order.cancelled = true;
        Some(order.clone())
    }
}

/// `GET /orders/{id}`, the route that the application had before.
async fn show_order(
    State(orders): State<Orders>,
    Path(id): Path<u32>,
) -> Result<Json<Order>, StatusCode> {
    orders.find(id).map(Json).ok_or(StatusCode::NOT_FOUND)
}

impl Orders {
    /// # Examples
    ///
    /// ```json
    /// { "id": 1 }
    /// ```
    #[pd_tool(summary = "Look up what a customer ordered", read_only)]
    fn get_order(
        &self,
        /// The order's number.
        id: u32,
    ) -> Result<pd_runtime::Json<Order>, ToolError> {
        self.find(id)
            .map(pd_runtime::Json)
            .ok_or_else(|| no_such_order(id))
    }

    /// The customer gets the money back.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "id": 1 }
    /// ```
    #[pd_tool(
        summary = "Cancel a customer's order",
        scopes("orders:write"),
        related(Orders::get_order)
    )]
    fn cancel_order(
        &self,
        /// The order's number.
        id: u32,
    ) -> Result<pd_runtime::Json<Order>, ToolError> {
        self.cancel(id)
            .map(pd_runtime::Json)
            .ok_or_else(|| no_such_order(id))
    }
}

fn no_such_order(id: u32) -> ToolError {
    ToolError::new(
        "NO_SUCH_ORDER",
        format!("no order has the number {id}; ask the customer for the number"),
    )
}

fn registry() -> Registry<Orders> {
    pd_runtime::registry! {
        //! Orders of the shop.
        Orders::{get_order, cancel_order},
    }
}

/// The callers that the application knows, by their tokens.
type Callers = Arc<HashMap<String, Principal>>;

/// Refuses unknown callers, and passes the caller of other requests to routes and tools.
async fn authenticate(State(callers): State<Callers>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let caller = bearer(&parts).ok().and_then(|token| callers.get(token));
    let Some(caller) = caller.cloned() else {
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")]).into_response();
    };
    parts.extensions.insert(caller);
    next.run(Request::from_parts(parts, body)).await
}

/// The origin of the application's pages.
const ORIGIN: HeaderValue = HeaderValue::from_static("https://app.example.com");

fn cors() -> CorsLayer {
    let exposed = ["mcp-session-id", "mcp-protocol-version"].map(HeaderName::from_static);
    CorsLayer::new()
        .allow_origin(ORIGIN)
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // MCP clients send `Mcp-…` headers of their own, so a list here would soon be too short.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(
            exposed
                .into_iter()
                .chain([AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE])
                .collect::<Vec<_>>(),
        )
}

/// The whole application. Cancelling `streams` ends the streams of MCP clients.
fn app(
    server: &PdServer<Orders>,
    callers: Callers,
    streams: CancellationToken,
) -> Result<Router, Box<dyn Error>> {
    let options = HttpOptions::new()
        .allowed_hosts(["app.example.com"])
        .allowed_origins([ORIGIN.to_str()?]);
    let mcp = serve::router(server, &options, streams)?;
    let orders = Orders::clone(server.state());
    let private = Router::new()
        .route("/orders/{id}", get(show_order))
        .with_state(orders)
        .merge(mcp)
        .layer(middleware::from_fn_with_state(callers, authenticate));
    let public = Router::new().route("/health", get(|| async { "ok" }));
    // The last layer is the outermost: preflight requests have no token, so CORS precedes
    // authentication, and refused requests are in the trace, too.
    Ok(public
        .merge(private)
        .layer(CompressionLayer::new())
        .layer(cors())
        .layer(TraceLayer::new_for_http()))
}

/// Serves until `stop` is ready, and lets calls finish.
async fn run(
    listener: TcpListener,
    orders: Orders,
    callers: Callers,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Box<dyn Error>> {
    let server = PdServer::builder(registry(), orders)
        .listing(Listing::Minimal)
        .build()?;
    let streams = CancellationToken::new();
    let app = app(&server, callers, streams.clone())?;
    let stopping = async move {
        stop.await;
        server.wait_idle(serve::SHUTDOWN_GRACE).await;
        // A client's stream has no end of its own, and axum waits for all responses to end.
        streams.cancel();
    };
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, app)
        .with_graceful_shutdown(stopping)
        .await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let callers = HashMap::from([
        ("reader".to_owned(), Principal::new("ada")),
        (
            "writer".to_owned(),
            Principal::new("grace").with_scopes(["orders:write"]),
        ),
    ]);
    let listener = TcpListener::bind("127.0.0.1:3000").await?;
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    run(
        listener,
        Orders::new(&["A teapot", "Two cups"]),
        Arc::new(callers),
        stop,
    )
    .await
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{Orders, Principal, registry, run};
    use pd_runtime::rmcp::{
        RoleClient, ServiceExt,
        model::{CallToolRequestParams, ReadResourceRequestParams},
        service::RunningService,
        transport::{
            StreamableHttpClientTransport,
            streamable_http_client::StreamableHttpClientTransportConfig as Config,
        },
    };
    use reqwest::{Method, RequestBuilder, StatusCode};
    use serde_json::{Value, json};
    use std::{sync::Arc, time::Duration};
    use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle, time::timeout};

    /// The application on a free port.
    struct Running {
        url: String,
        stop: oneshot::Sender<()>,
        ended: JoinHandle<bool>,
    }

    impl Running {
        async fn start() -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let writer = Principal::new("grace").with_scopes(["orders:write"]);
            let callers = [
                ("reader".to_owned(), Principal::new("ada")),
                ("writer".to_owned(), writer),
            ];
            let (stop, stopped) = oneshot::channel();
            let orders = Orders::new(&["A teapot"]);
            let ended = tokio::spawn(async move {
                let stopped = async { drop(stopped.await) };
                run(listener, orders, Arc::new(callers.into()), stopped)
                    .await
                    .is_ok()
            });
            Self { url, stop, ended }
        }

        fn request(&self, method: Method, path: &str) -> RequestBuilder {
            let client = reqwest::Client::builder().no_gzip().build().unwrap();
            client.request(method, format!("{}{path}", self.url))
        }

        async fn connect(&self, token: &str) -> RunningService<RoleClient, ()> {
            let config = Config::with_uri(format!("{}/mcp", self.url)).auth_header(token);
            ().serve(StreamableHttpClientTransport::from_config(config))
                .await
                .unwrap()
        }
    }

    #[test]
    fn the_registry_keeps_its_promises() {
        registry().check().unwrap();
    }

    #[tokio::test]
    async fn routes_and_tools_share_state_and_callers() {
        let app = Running::start().await;
        for (method, path) in [(Method::GET, "/orders/1"), (Method::POST, "/mcp")] {
            let refused = app.request(method, path).send().await.unwrap();
            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{path}");
        }
        let names = async |token| {
            let tools = app.connect(token).await.list_all_tools().await.unwrap();
            tools
                .into_iter()
                .map(|tool| tool.name.into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names("reader").await, ["get_order", "describe_tools"]);
        assert_eq!(
            names("writer").await,
            ["get_order", "cancel_order", "describe_tools"]
        );

        let client = app.connect("writer").await;
        let description = "resource:///tool_descriptions?tools=cancel_order";
        client
            .read_resource(ReadResourceRequestParams::new(description))
            .await
            .unwrap();
        let arguments = json!({ "id": 1 }).as_object().cloned().unwrap();
        let call = CallToolRequestParams::new("cancel_order").with_arguments(arguments);
        assert_eq!(client.call_tool(call).await.unwrap().is_error, Some(false));

        let order = app
            .request(Method::GET, "/orders/1")
            .bearer_auth("reader")
            .send()
            .await
            .unwrap();
        assert_eq!(
            order.json::<Value>().await.unwrap(),
            json!({ "item": "A teapot", "cancelled": true })
        );
    }

    #[tokio::test]
    async fn one_stack_of_middleware_serves_both() {
        let app = Running::start().await;
        for path in ["/orders/1", "/mcp"] {
            let preflight = app
                .request(Method::OPTIONS, path)
                .header("origin", "https://app.example.com");
            let preflight = preflight
                .header("access-control-request-method", "POST")
                .send()
                .await
                .unwrap();
            assert_eq!(preflight.status(), StatusCode::OK, "{path}");
            assert_eq!(
                preflight.headers()["access-control-allow-origin"],
                "https://app.example.com"
            );
        }
        let foreign = app
            .request(Method::POST, "/mcp")
            .bearer_auth("reader")
            .header("origin", "https://evil.example");
        assert_eq!(
            foreign.send().await.unwrap().status(),
            StatusCode::FORBIDDEN
        );

        let zipped = app
            .request(Method::GET, "/orders/1")
            .bearer_auth("reader")
            .header("accept-encoding", "gzip");
        assert_eq!(
            zipped.send().await.unwrap().headers()["content-encoding"],
            "gzip"
        );
    }

    /// A client of a session holds a stream open, which would keep the application running.
    #[tokio::test]
    async fn the_application_stops_while_a_client_is_connected() {
        let app = Running::start().await;
        let client = app.connect("reader").await;
        app.stop.send(()).unwrap();
        assert!(
            timeout(Duration::from_secs(10), app.ended)
                .await
                .unwrap()
                .unwrap()
        );
        client.list_all_tools().await.unwrap_err();
    }
}
