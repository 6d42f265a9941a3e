//! JSON-RPC by hand in every era, over a connection in memory or HTTP: what rmcp's client would decode as something else.

use super::{client::Era, line::Line, post::Post, site::Site};
use pd_runtime::PdServer;
use rmcp::ServerHandler;
use serde_json::{Value, json};

/// A client that knows nothing but JSON.
pub(crate) enum Raw {
    /// In memory.
    Line(Box<Line>),
    /// Over HTTP.
    Post(
        Post,
        #[expect(dead_code, reason = "it is served while it lives")] Site,
    ),
}

impl Raw {
    /// Opens a connection of this era.
    pub(crate) async fn connect<S, H>(era: Era, shared: &PdServer<S, H>) -> Self
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        Self::connect_as(era, shared, "nobody").await
    }

    /// The same; over HTTP by this bearer, which names the principal and scopes.
    pub(crate) async fn connect_as<S, H>(era: Era, shared: &PdServer<S, H>, bearer: &str) -> Self
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let site = || Site::open(shared, era == Era::HttpSession);
        match era {
            Era::Session => Self::Line(Box::new(Line::session(shared).await)),
            Era::Inline => Self::Line(Box::new(Line::inline(shared, json!({})))),
            Era::HttpSession => {
                let site = site().await;
                Self::Post(Post::session(&site.url, Some(bearer)).await, site)
            }
            Era::HttpInline => {
                let site = site().await;
                Self::Post(Post::inline(&site.url).bearer(bearer), site)
            }
            Era::HttpStateless => {
                let site = site().await;
                Self::Post(Post::stateless(&site.url).bearer(bearer), site)
            }
        }
    }

    /// The same connection with another bearer.
    pub(crate) fn become_bearer(&mut self, bearer: &str) {
        if let Self::Post(post, _) = self {
            *post = post.bearer(bearer);
        }
    }

    /// The whole response to a request.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        match self {
            Self::Line(line) => line.request(method, params).await,
            Self::Post(post, _) => post.send(method, params).await.body,
        }
    }

    /// The result of a request.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.request(method, params).await;
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].take()
    }

    /// The error of a request, which must be about its parameters.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.request(method, params).await;
        assert_eq!(response["error"]["code"], -32602, "{method}: {response}");
        response["error"].take()
    }

    /// Describes tools by `tools/describe`, and calls one of them with what the description gave.
    pub(crate) async fn call_described(&mut self, name: &str, arguments: Value) -> Value {
        let described = self
            .result("tools/describe", json!({ "names": [name] }))
            .await;
        self.call_with(
            &described["_meta"]["dev.pd-runtime/tickets"][name],
            name,
            arguments,
        )
        .await
    }

    /// Calls a tool with a ticket in `_meta`, if there is one.
    pub(crate) async fn call_with(
        &mut self,
        ticket: &Value,
        name: &str,
        arguments: Value,
    ) -> Value {
        let mut params = json!({ "name": name, "arguments": arguments });
        if ticket.is_string() {
            params["_meta"] = json!({ "dev.pd-runtime/ticket": ticket });
        }
        self.result("tools/call", params).await
    }
}
