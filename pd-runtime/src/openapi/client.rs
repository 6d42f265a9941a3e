//! Sends requests to the server of a document, and reads its answers up to a bound.

use super::{
    answer_memory::AnswerMemory, error::OpenApiError, plain_text::plain_line,
    request::OperationRequest, response::ServerAnswer,
};
use crate::text::loopback::is_loopback_host;
use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{
        ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName,
        HeaderValue, LOCATION, RETRY_AFTER, USER_AGENT,
    },
    redirect::Policy,
};
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest call. The limits of a tool are usually shorter.
const CALL_TIMEOUT: Duration = Duration::from_secs(600);
/// The most redirects of one call.
const REDIRECTS_MAX: usize = 5;
/// The bytes of a failure's body that are read. Its message shows less.
const PROBLEM_BYTES: usize = 64 * 1024;
/// The length from which a body has the capacity of the largest one.
const GROWN_AT_ONCE: usize = 1 << 20;
const OWN_AGENT: &str = concat!("pd-runtime/", env!("CARGO_PKG_VERSION"));

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenApiFailure {
    /// The server did not get the request.
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    /// The server may have run the request.
    #[error("the connection ended before the answer: {0}; the call may have run")]
    Interrupted(String),
    /// The answer is over the bound. The request has run.
    #[error("the answer has more than {max} bytes; the call ran; ask for less at once")]
    TooLarge {
        /// The bound in bytes.
        max: usize,
    },
    /// The answer is compressed, which no request asks for. The request has run.
    #[error("the answer is compressed ({coding}), which the request did not ask for; the call ran")]
    Compressed {
        /// The name of the compression.
        coding: String,
    },
    /// Other large answers took the memory for too long. The request has run.
    #[error("other large answers took the memory for too long; the call ran")]
    Busy,
    /// The answer redirects more often than a call may.
    #[error("the server redirected more than {REDIRECTS_MAX} times")]
    Redirects,
}

/// An HTTP client with the headers of all requests.
#[derive(Debug)]
pub(super) struct RequestSender {
    client: Client,
    headers: HeaderMap,
    bytes_max: usize,
}

impl RequestSender {
    /// Creates a client for this server.
    ///
    /// # Errors
    ///
    /// Returns an error if a header is not valid, or if the system's certificates cannot be read.
    pub(super) fn new(
        server: &Url,
        headers: &[(String, String)],
        bytes_max: usize,
    ) -> Result<Self, OpenApiError> {
        let mut own = HeaderMap::new();
        own.insert(USER_AGENT, HeaderValue::from_static(OWN_AGENT));
        for (name, value) in headers {
            let (name, value) = sendable(name, value)?;
            own.insert(name, value);
        }
        Ok(Self {
            client: build_client(server)?,
            headers: own,
            bytes_max,
        })
    }

    /// Sends a request, and follows redirects within its origin.
    pub(super) async fn send(
        &self,
        request: &OperationRequest,
        accept: &str,
        memory: &mut impl AnswerMemory,
    ) -> Result<ServerAnswer, OpenApiFailure> {
        let mut url = request.url.clone();
        let mut method = method_of(request.method);
        let mut has_body = true;
        for _ in 0..=REDIRECTS_MAX {
            let response = self
                .send_once(request, &method, &url, accept, has_body)
                .await?;
            match redirect(&response, &method) {
                Some((target, next)) => {
                    has_body = next == method;
                    url = target;
                    method = next;
                }
                None => return self.answer(response, memory).await,
            }
        }
        Err(OpenApiFailure::Redirects)
    }

    async fn send_once(
        &self,
        request: &OperationRequest,
        method: &Method,
        url: &Url,
        accept: &str,
        has_body: bool,
    ) -> Result<Response, OpenApiFailure> {
        let mut headers = HeaderMap::new();
        if let Ok(accept) = HeaderValue::from_str(accept) {
            headers.insert(ACCEPT, accept);
        }
        // Without this header, a server may compress its answers.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        // In this order, so that no argument replaces a header of the operator.
        for (name, value) in &request.headers {
            if let Ok((name, value)) = sendable(name, value) {
                headers.insert(name, value);
            }
        }
        let cookies = joined_cookies(headers.get(COOKIE), self.headers.get(COOKIE));
        headers.extend(self.headers.clone());
        if let Some(cookies) = cookies {
            headers.insert(COOKIE, cookies);
        }
        let body = request.body.as_ref().filter(|_| has_body);
        if let Some(media) = body.and_then(|body| HeaderValue::from_str(&body.media).ok()) {
            headers.insert(CONTENT_TYPE, media);
        }
        let mut sent = self
            .client
            .request(method.clone(), url.clone())
            .headers(headers);
        if let Some(body) = body {
            sent = sent.body(body.bytes.clone());
        }
        sent.send().await.map_err(failure)
    }

    async fn answer(
        &self,
        mut response: Response,
        memory: &mut impl AnswerMemory,
    ) -> Result<ServerAnswer, OpenApiFailure> {
        let status = response.status();
        let max = if status.is_success() {
            self.bytes_max
        } else {
            PROBLEM_BYTES
        };
        let text = |name: HeaderName| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_owned)
        };
        let media = text(CONTENT_TYPE).unwrap_or_default();
        let media = media.split(';').next().unwrap_or_default().trim();
        let mut url = response.url().clone();
        url.set_query(None);
        let coding = text(CONTENT_ENCODING).filter(|coding| !is_identity(coding));
        let mut answer = ServerAnswer {
            status: status.as_u16(),
            media: media.to_ascii_lowercase(),
            body: Vec::new(),
            retry_after: text(RETRY_AFTER),
            location: text(LOCATION),
            url: url.to_string(),
        };
        loop {
            let piece = memory.wait(response.chunk()).await;
            let piece = match piece.ok_or(OpenApiFailure::Busy)? {
                Ok(piece) => piece,
                // The status alone explains a failure whose body breaks off.
                Err(_) if !status.is_success() => break,
                Err(error) => return Err(failure(error)),
            };
            let Some(piece) = piece else { break };
            if let Some(coding) = &coding
                && !piece.is_empty()
            {
                if status.is_success() {
                    let coding = plain_line(coding, 40);
                    return Err(OpenApiFailure::Compressed { coding });
                }
                // The status alone explains the failure.
                break;
            }
            // Not doubled step by step: the steps of a large vector stay with the allocator. The rest
            // of the capacity takes no memory before it is written.
            let length = answer.body.len() + piece.len();
            if length > GROWN_AT_ONCE && length > answer.body.capacity() {
                let rest = max.saturating_sub(answer.body.len());
                answer.body.reserve_exact(rest.max(piece.len()));
            }
            answer.body.extend_from_slice(&piece);
            if answer.body.len() > max {
                if status.is_success() {
                    return Err(OpenApiFailure::TooLarge { max });
                }
                answer.body.truncate(max);
                break;
            }
            if !memory.cover(&answer.body, false).await {
                return Err(OpenApiFailure::Busy);
            }
        }
        if !memory.cover(&answer.body, true).await {
            return Err(OpenApiFailure::Busy);
        }
        Ok(answer)
    }
}

/// Returns the client for the server of this URL.
///
/// # Errors
///
/// Returns an error if the system's certificates cannot be read.
fn build_client(server: &Url) -> Result<Client, OpenApiError> {
    let mut client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(CALL_TIMEOUT)
        // A redirect could send credentials to another server.
        .redirect(Policy::none())
        // Another crate of the same program may switch these on, and then an answer would be larger
        // than what the server sent.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate();
    // A proxy would connect to the loopback address of the machine that it runs on.
    if server.host_str().is_some_and(is_loopback_host) {
        client = client.no_proxy();
    }
    client
        .build()
        .map_err(|error| OpenApiError::Client(error.to_string()))
}

/// Returns a header that can be sent. No log shows its value.
///
/// # Errors
///
/// Returns an error that names the header.
pub(super) fn sendable(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), OpenApiError> {
    let unsendable = |why| OpenApiError::Unsendable {
        name: format!("the header `{name}`"),
        why,
    };
    let parsed = name
        .parse::<HeaderName>()
        .map_err(|_| unsendable("its name has a character that no header has"))?;
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| unsendable("its value has a line break or another character of control"))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

/// Returns the cookies of a request beside those of the operator. A cookie of the operator replaces
/// one of the same name. Returns `None` if one of them has no cookies.
fn joined_cookies(
    request: Option<&HeaderValue>,
    operator: Option<&HeaderValue>,
) -> Option<HeaderValue> {
    let pairs = |value: &HeaderValue| {
        let pairs = value.to_str().ok()?.split(';').map(str::trim);
        Some(pairs.map(str::to_owned).collect::<Vec<_>>())
    };
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let mut joined = pairs(operator?)?;
    let known: Vec<_> = joined.iter().map(|pair| name(pair)).collect();
    joined.extend(
        pairs(request?)?
            .into_iter()
            .filter(|pair| !known.contains(&name(pair))),
    );
    let mut value = HeaderValue::from_str(&joined.join("; ")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn is_identity(coding: &str) -> bool {
    coding.is_empty() || coding.eq_ignore_ascii_case("identity")
}

fn method_of(method: &str) -> Method {
    Method::from_bytes(method.to_ascii_uppercase().as_bytes()).unwrap_or(Method::GET)
}

/// Returns the URL and the method of a redirect that is followed: one within the origin that
/// repeats the request, or reads its result.
fn redirect(response: &Response, method: &Method) -> Option<(Url, Method)> {
    let next = match response.status() {
        StatusCode::SEE_OTHER => Method::GET,
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT => method.clone(),
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND
            if matches!(*method, Method::GET | Method::HEAD) =>
        {
            method.clone()
        }
        _ => return None,
    };
    let location = response.headers().get(LOCATION)?.to_str().ok()?;
    let target = response.url().join(location).ok()?;
    (target.origin() == response.url().origin()).then_some((target, next))
}

fn failure(error: reqwest::Error) -> OpenApiFailure {
    // The URL can have a credential in its query.
    let is_connect = error.is_connect();
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    // The innermost reason says most, such as a refused connection.
    while let Some(inner) = source {
        text = inner.to_string();
        source = inner.source();
    }
    if is_connect {
        OpenApiFailure::Unreachable(text)
    } else {
        OpenApiFailure::Interrupted(text)
    }
}
