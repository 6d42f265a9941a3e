//! The requests to one HTTP server, with its headers and access tokens.

use super::{
    redirect::{Redirects, is_redirect},
    shared_clients::SharedClients,
    transport_failure::{explain, explain_build},
};
use crate::{
    config::{HttpServer, SecretText},
    failure::{failure_text::FailureText, secret_filter::SecretFilter},
    oauth::AccessTokens,
    transport::link::LinkEvent,
};
use pd_runtime::upstream::text::truncate::first_chars;
use reqwest::{
    Client, Method, RequestBuilder, Response, StatusCode, Url,
    header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, InvalidHeaderValue, RETRY_AFTER},
};
use std::sync::Arc;

/// The characters of an error's body that its message contains.
const BODY_SHOWN: usize = 500;
/// The bytes of the body that are searched for secrets before it is cut.
const BODY_READ: usize = 64 * 1024;
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The HTTP client for one server and one owner of access tokens.
pub(super) struct HttpClient {
    client: Client,
    url: Url,
    headers: HeaderMap,
    /// What the entry sends as credentials, by name.
    credentials: String,
    /// The tokens of the header `Authorization`, unless `headers` has it.
    tokens: Option<Arc<AccessTokens>>,
    redirects: Redirects,
    secrets: Arc<SecretFilter>,
}

impl HttpClient {
    pub(super) fn new(
        clients: &SharedClients,
        server: &HttpServer,
        tokens: Option<Arc<AccessTokens>>,
        secrets: Arc<SecretFilter>,
    ) -> Result<Self, FailureText> {
        let url = Url::parse(&server.url)
            .map_err(|error| unusable(format!("{} is not a URL: {error}", server.origin())))?;
        let mut own = HeaderMap::new();
        let token = server
            .bearer_token
            .as_ref()
            .map(|token| format!("Bearer {}", token.expose()));
        let headers = server
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.expose()));
        for (name, value) in headers.chain(token.as_deref().map(|token| ("authorization", token))) {
            let key: reqwest::header::HeaderName = name.parse().map_err(|_| bad_header(name))?;
            own.insert(key, sensitive(value).map_err(|_| bad_header(name))?);
        }
        let client = clients
            .client(&url)
            .map_err(|error| unusable(explain_build(&error)))?;
        let credentials = server.credential_names().join(", ");
        Ok(Self {
            client,
            url,
            headers: own,
            credentials,
            tokens,
            redirects: Redirects::default(),
            secrets,
        })
    }

    pub(super) const fn url(&self) -> &Url {
        &self.url
    }

    /// Returns where requests to a URL of this server go.
    pub(super) fn target(&self, url: &Url) -> Url {
        self.redirects.target(url)
    }

    /// Returns the latest token, also one that has expired.
    pub(super) fn latest_bearer(&self) -> Option<SecretText> {
        self.tokens
            .as_ref()
            .and_then(|tokens| tokens.latest_bearer())
    }

    /// Creates a request to this server. The URL must have its origin, because the headers are
    /// secrets.
    pub(super) fn request(
        &self,
        method: Method,
        url: &Url,
        bearer: Option<&SecretText>,
    ) -> RequestBuilder {
        let request = self
            .client
            .request(method, self.target(url))
            .headers(self.headers.clone());
        // A client must accept both (MCP 2025-11-25, transports, sending messages).
        let request = request.header(ACCEPT, format!("application/json, {EVENT_STREAM}"));
        let Some(bearer) = bearer else { return request };
        // A token with a character that no header may have is left out: no server takes it.
        let value = sensitive(&format!("Bearer {}", bearer.expose()));
        value.into_iter().fold(request, |request, value| {
            request.header(AUTHORIZATION, value)
        })
    }

    /// Sends a request with an access token. A request that met with 401 did not run, so it is sent
    /// once more with another token.
    pub(super) async fn send_authorized(
        &self,
        id: Option<u64>,
        request: impl Fn(Option<&SecretText>) -> RequestBuilder,
    ) -> Result<Response, LinkEvent> {
        let send = async |bearer: Option<&SecretText>| self.send(id, || request(bearer)).await;
        let Some(tokens) = &self.tokens else {
            return send(None).await;
        };
        let bearer = tokens
            .bearer()
            .await
            .map_err(|error| LinkEvent::Unauthorized { id, error })?;
        let mut response = send(bearer.as_ref()).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            // A 401 about the credential of the entry is reported as it is. A login would not help.
            if bearer.is_none() && !tokens.are_wanted(&response).await {
                return Ok(response);
            }
            let other = tokens
                .renew(bearer.as_ref())
                .await
                .map_err(|error| LinkEvent::Unauthorized { id, error })?;
            response = send(Some(&other)).await?;
        }
        match tokens.refusal(&response) {
            Some(error) => Err(LinkEvent::Unauthorized { id, error }),
            None => Ok(response),
        }
    }

    /// Sends a request, and follows one redirect within the server's origin.
    async fn send(
        &self,
        id: Option<u64>,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<Response, LinkEvent> {
        let mut is_first = true;
        loop {
            let response = request().send().await.map_err(|error| unsent(id, &error))?;
            if !is_redirect(response.status()) {
                return Ok(response);
            }
            let followed = self.redirects.follow(&self.url, &response, is_first);
            followed.map_err(|reason| match response.status() {
                // Its target describes the result of the request, which has run (RFC 9110, section
                // 15.4.4).
                StatusCode::SEE_OTHER => LinkEvent::Lost {
                    id,
                    reason: reason.into(),
                },
                _ => LinkEvent::NotRun {
                    id,
                    reason: reason.into(),
                },
            })?;
            // `follow` has remembered the target, which `request` uses now.
            is_first = false;
        }
    }
}

impl HttpClient {
    /// Returns why a request was refused. Only the gateway's owner reads the body.
    pub(super) fn status_failure(
        &self,
        status: StatusCode,
        pause: Option<u64>,
        body: &[u8],
    ) -> FailureText {
        let text = String::from_utf8_lossy(body.get(..BODY_READ).unwrap_or(body));
        let failure = FailureText::from(match pause {
            Some(seconds) => format!("HTTP {status}; it asks for a pause of {seconds} s"),
            None => format!("HTTP {status}"),
        });
        let failure = match status {
            StatusCode::UNAUTHORIZED if self.credentials.is_empty() => failure.with_owner_text(
                format!("HTTP {status}; set a token in the entry's `headers`"),
            ),
            StatusCode::UNAUTHORIZED => failure.with_owner_text(format!(
                "it refused the credentials of its entry (HTTP {status}); check {}",
                self.credentials
            )),
            _ => failure,
        };
        failure.with_body(&self.shown(&text))
    }

    /// Returns the beginning of a body, without secrets.
    pub(super) fn shown(&self, body: &str) -> String {
        // Hidden before the text is cut, because the beginning of a secret would stay.
        let text = self.secrets.hide_with(body, self.latest_bearer().as_ref());
        first_chars(&text, BODY_SHOWN).to_owned()
    }
}

/// The longest pause that an error names, in seconds.
const PAUSE_MAX: u64 = 86_400;

/// Returns the seconds for which a server that is busy asks to wait (RFC 9110, `Retry-After`).
pub(super) fn pause_of(response: &Response) -> Option<u64> {
    let is_busy = matches!(
        response.status(),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    );
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    // The header can also have a date, which needs the clock of the server.
    let seconds = seconds.trim().parse().ok()?;
    (is_busy && seconds <= PAUSE_MAX).then_some(seconds)
}

fn bad_header(name: &str) -> FailureText {
    unusable(format!(
        "the header {name} is not valid: a name has no spaces, and a value no line breaks"
    ))
}

/// Returns the failure of an entry that cannot be used at all. The reason quotes the entry, which
/// is for the owner alone.
fn unusable(why: String) -> FailureText {
    FailureText::from("its entry cannot be used").with_owner_text(why)
}

/// Creates the value of a header that no log shows.
fn sensitive(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value: HeaderValue = text.parse()?;
    value.set_sensitive(true);
    Ok(value)
}

pub(super) fn lost(id: Option<u64>, reason: impl Into<FailureText>) -> LinkEvent {
    LinkEvent::Lost {
        id,
        reason: reason.into(),
    }
}

/// Returns what became of a request that has no answer.
fn unsent(id: Option<u64>, error: &reqwest::Error) -> LinkEvent {
    let reason = explain(error);
    // Without a connection, the server cannot have run the request. Otherwise it may have.
    if error.is_connect() {
        LinkEvent::Unreachable { id, reason }
    } else {
        LinkEvent::Interrupted { id, reason }
    }
}
