//! One HTTP connection that is kept: requests go over it one after another.

use super::Failure;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header::HOST};
use http_body_util::{BodyExt, Full};
use hyper::{
    body::{Bytes, Incoming},
    client::conn::http1::{SendRequest, handshake},
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A connection to one endpoint.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    host: HeaderValue,
    path: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) session: Option<HeaderValue>,
    pub(crate) body: Bytes,
}

impl Connection {
    /// Connects to `http://HOST:PORT/PATH`.
    ///
    /// # Errors
    ///
    /// Nobody listens there.
    pub(crate) async fn open(url: &str) -> Result<Self, Failure> {
        let rest = url
            .strip_prefix("http://")
            .ok_or("the URL must begin with http://")?;
        let (host, path) = rest.split_once('/').ok_or("the URL must have a path")?;
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        let (sender, driving) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(driving);
        Ok(Self {
            sender,
            host: host.parse()?,
            path: format!("/{path}"),
        })
    }

    /// Sends one request, and reads its answer to the end.
    ///
    /// # Errors
    ///
    /// The connection is closed.
    pub(crate) async fn send(
        &mut self,
        method: Method,
        headers: HeaderMap,
        body: impl Into<Bytes>,
    ) -> Result<Answer, Failure> {
        let response = self.response(method, headers, body.into()).await?;
        let (status, session) = (
            response.status(),
            response.headers().get("mcp-session-id").cloned(),
        );
        Ok(Answer {
            status,
            session,
            body: response.into_body().collect().await?.to_bytes(),
        })
    }

    /// Sends one request, and leaves its answer to be read. Nothing else goes over the connection until that is done.
    ///
    /// # Errors
    ///
    /// The connection is closed, or the status tells of a failure.
    pub(crate) async fn begin(
        &mut self,
        method: Method,
        headers: HeaderMap,
        body: impl Into<Bytes>,
    ) -> Result<Incoming, Failure> {
        let response = self.response(method, headers, body.into()).await?;
        let status = response.status();
        if status.is_success() {
            Ok(response.into_body())
        } else {
            Err(status.to_string().into())
        }
    }

    async fn response(
        &mut self,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Failure> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.path.parse()?;
        *request.headers_mut() = headers;
        request.headers_mut().insert(HOST, self.host.clone());
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }
}

impl Answer {
    /// The text of the body.
    ///
    /// # Errors
    ///
    /// The status tells of a failure, or the body is no text.
    pub(crate) fn text(&self) -> Result<&str, Failure> {
        let text = std::str::from_utf8(&self.body)?;
        if self.status.is_success() {
            Ok(text)
        } else {
            Err(format!("{}: {text}", self.status).into())
        }
    }
}
