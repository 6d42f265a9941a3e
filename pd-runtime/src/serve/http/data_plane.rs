//! The data plane over HTTP: `POST /s2sp/data/TOKEN` gives rows to whoever has the token, once (MCP-SD 0.1). It asks for no other
//! proof, and tells browsers nothing of other origins.

mod row_query;
mod row_stream;

use super::{
    body::{BodyReader, Unread},
    proxies::TrustedProxies,
};
use crate::{
    disclosure::caller,
    selective::{
        data_plane::{self, Plane, Taking, Token, Untaken},
        table::{Picked, Table},
    },
    server::erased_server::Host,
};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
    routing::{any, get},
};
use http::{
    HeaderValue, Method, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, RETRY_AFTER},
};
use row_query::Question;
use row_stream::{EMPTY, Pieces};
use std::sync::Arc;

/// Whether a data plane is served here.
const HEALTH: &str = "/s2sp/health";
/// How large a question may be, in bytes: about 40,000 rows' numbers.
const QUESTION_MAX: usize = 256 * 1024;

#[derive(Clone)]
struct Data {
    host: Arc<dyn Host>,
    bodies: BodyReader,
    proxies: TrustedProxies,
}

/// What a consumer is told instead of rows. Neither texts nor numbers here hold a token.
#[derive(Debug)]
struct Refusal {
    status: StatusCode,
    /// As metrics have it.
    word: &'static str,
    told: String,
    header: Option<(HeaderName, &'static str)>,
}

/// The routes beside the endpoint, if there is a data plane.
pub(super) fn routes(host: &Arc<dyn Host>, bodies: &BodyReader, proxies: &TrustedProxies) -> Router {
    if !host.served().plane.is_on() {
        return Router::new();
    }
    let path = format!("{}{{token}}", data_plane::PATH);
    let data = Data { host: host.clone(), bodies: bodies.at_most(QUESTION_MAX), proxies: proxies.clone() };
    Router::new().route(&path, any(answer).with_state(data)).route(HEALTH, get(health))
}

async fn health() -> Response {
    json(StatusCode::OK, Body::from(r#"{"status":"ok"}"#))
}

async fn answer(State(data): State<Data>, request: Request) -> Response {
    let plane = &data.host.served().plane;
    let given = give(plane, &data, request).await;
    given.unwrap_or_else(|refusal| {
        plane.refused(refusal.word);
        refusal.into_response()
    })
}

/// # Errors
///
/// What the consumer is told instead; the rows can then still be taken.
async fn give(plane: &Plane, data: &Data, request: Request) -> Result<Response, Refusal> {
    if request.method() != Method::POST {
        return Err(Refusal::method());
    }
    // First: nothing is read for a stranger. Tokens have no characters that would be escaped.
    let token = request.uri().path().rsplit('/').next().and_then(Token::read).ok_or(Untaken::Unknown)?;
    let (mut parts, body) = request.into_parts();
    data.proxies.resolve(&mut parts);
    let payer = || caller::payer_over_http(&parts.extensions);
    let asked = data.bodies.read(body, payer).await.map_err(|unread| Refusal::unread(&unread))?;
    let question = Question::read(&asked).map_err(Refusal::bad_request)?;
    let (table, taking) = plane.take(&token).await?;
    let picked = question.pick(table).map_err(Refusal::bad_request)?;
    // Nobody has had anything, so it is given back.
    if picked.len() == 0 {
        return Ok(json(StatusCode::OK, Body::from(EMPTY)));
    }
    Ok(rows(picked, taking))
}

fn rows(picked: Picked<Arc<Table>>, taking: Taking) -> Response {
    let (pieces, delivery) = Pieces::new(picked, taking);
    let mut response = json(StatusCode::OK, Body::new(pieces));
    delivery.carry(response.extensions_mut());
    response
}

fn json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Refusal {
    fn new(status: StatusCode, word: &'static str, told: impl Into<String>) -> Self {
        Self { status, word, told: told.into(), header: None }
    }

    fn bad_request(told: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", told)
    }

    fn method() -> Self {
        let told = "ask for rows with POST, and a JSON object that says which";
        Self { header: Some((ALLOW, "POST")), ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "bad_request", told) }
    }

    fn unread(unread: &Unread) -> Self {
        let (status, told) = unread.told();
        let word = if matches!(unread, Unread::NoRoom(_)) { "busy" } else { "bad_request" };
        // The rest of the body would be taken for the next request.
        Self { header: Some((CONNECTION, "close")), ..Self::new(status, word, told) }
    }

    fn into_response(self) -> Response {
        let told = serde_json::json!({ "error": self.told }).to_string();
        let mut response = json(self.status, Body::from(told));
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

impl From<Untaken> for Refusal {
    fn from(untaken: Untaken) -> Self {
        match untaken {
            // The reference implementation's words, which consumers may know.
            Untaken::Unknown => Self::new(StatusCode::NOT_FOUND, "unknown", "Unknown or expired resource"),
            Untaken::Busy => {
                let told = "somebody else is reading these rows; if that breaks off, they can be had again";
                Self { header: Some((RETRY_AFTER, "1")), ..Self::new(StatusCode::CONFLICT, "busy", told) }
            }
            Untaken::Failed => {
                let told = "the store of rows does not answer; try again";
                let refusal = Self::new(StatusCode::SERVICE_UNAVAILABLE, "failed", told);
                Self { header: Some((RETRY_AFTER, "5")), ..refusal }
            }
        }
    }
}

#[cfg(test)]
mod tests;
