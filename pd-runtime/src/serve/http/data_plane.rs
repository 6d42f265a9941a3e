//! The data plane over HTTP: `POST /s2sp/data/TOKEN` returns rows to the holder of the token, once
//! (MCP-SD 0.1). It requires no other proof, and sends no CORS headers.

mod row_query;
mod row_stream;

use super::{
    body::{BodyError, BodyReader},
    proxies::TrustedProxies,
};
use crate::{
    disclosure::caller,
    selective::{
        data_plane::{self, DataPlaneRuntime, RowToken, TakeError, TakenRows},
        table::{PickedRows, Table},
    },
    server::erased_server::ErasedServer,
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
use row_query::RowQuery;
use row_stream::{EMPTY, RowStream};
use std::sync::Arc;

/// The path at which consumers check that a data plane is served here.
const HEALTH: &str = "/s2sp/health";
/// The limit on a query, in bytes: about 40,000 row numbers.
const QUESTION_MAX: usize = 256 * 1024;

#[derive(Clone)]
struct DataPlaneState {
    host: Arc<dyn ErasedServer>,
    bodies: BodyReader,
    proxies: TrustedProxies,
}

/// A refusal to a consumer. Neither texts nor metrics contain a token.
#[derive(Debug)]
struct DataRefusal {
    status: StatusCode,
    /// The label in metrics.
    label: &'static str,
    message: String,
    header: Option<(HeaderName, &'static str)>,
}

/// Returns the routes beside the endpoint, if a data plane is configured.
pub(super) fn routes(
    host: &Arc<dyn ErasedServer>,
    bodies: &BodyReader,
    proxies: &TrustedProxies,
) -> Router {
    if !host.served().plane.is_on() {
        return Router::new();
    }
    let path = format!("{}{{token}}", data_plane::PATH);
    let data = DataPlaneState {
        host: host.clone(),
        bodies: bodies.at_most(QUESTION_MAX),
        proxies: proxies.clone(),
    };
    Router::new()
        // All methods, so that the refusal of another one is JSON, too, and is counted.
        .route(&path, any(answer).with_state(data))
        .route(HEALTH, get(health))
}

async fn health() -> Response {
    json(StatusCode::OK, Body::from(r#"{"status":"ok"}"#))
}

async fn answer(State(data): State<DataPlaneState>, request: Request) -> Response {
    let plane = &data.host.served().plane;
    let answer_or_refusal = deliver(plane, &data, request).await;
    answer_or_refusal.unwrap_or_else(|refusal| {
        plane.refused(refusal.label);
        refusal.into_response()
    })
}

/// Answers a consumer with the rows that it asks for.
///
/// # Errors
///
/// Returns a refusal. The rows can then still be taken.
async fn deliver(
    plane: &DataPlaneRuntime,
    data: &DataPlaneState,
    request: Request,
) -> Result<Response, DataRefusal> {
    if request.method() != Method::POST {
        return Err(DataRefusal::method());
    }
    // The token comes first, so that the server reads no body of a stranger. Tokens contain no
    // characters that would be percent-encoded.
    let token = request
        .uri()
        .path()
        .rsplit('/')
        .next()
        .and_then(RowToken::parse)
        .ok_or(TakeError::Unknown)?;
    let (mut parts, body) = request.into_parts();
    data.proxies.resolve(&mut parts);
    let body = data
        .bodies
        .read(body, || caller::payer_over_http(&parts.extensions))
        .await
        .map_err(|unread| DataRefusal::unread(&unread))?;
    let question = RowQuery::parse(&body).map_err(DataRefusal::bad_request)?;
    // After parsing the query: a malformed one must not use up the token.
    let (table, taking) = plane.take(&token).await?;
    let selected_rows = question.pick(table).map_err(DataRefusal::bad_request)?;
    // No row was delivered, so dropping the lease here returns the rows to the store.
    if selected_rows.len() == 0 {
        return Ok(json(StatusCode::OK, Body::from(EMPTY)));
    }
    Ok(rows(selected_rows, taking))
}

fn rows(selected_rows: PickedRows<Arc<Table>>, taking: TakenRows) -> Response {
    let (pieces, delivery) = RowStream::new(selected_rows, taking);
    let mut response = json(StatusCode::OK, Body::new(pieces));
    delivery.attach_to(response.extensions_mut());
    response
}

fn json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // Rows are returned once. A cache could return them again to a caller without the token.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl DataRefusal {
    fn new(status: StatusCode, label: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            label,
            message: message.into(),
            header: None,
        }
    }

    fn bad_request(message: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    fn method() -> Self {
        let message = "ask for rows with POST, and a JSON object that selects them";
        Self {
            header: Some((ALLOW, "POST")),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "bad_request", message)
        }
    }

    fn unread(unread: &BodyError) -> Self {
        let (status, message) = unread.status_and_message();
        let label = if matches!(unread, BodyError::NoRoom(_)) {
            "busy"
        } else {
            "bad_request"
        };
        // The unread rest of the body would be parsed as the next request.
        Self {
            header: Some((CONNECTION, "close")),
            ..Self::new(status, label, message)
        }
    }

    fn into_response(self) -> Response {
        let message = serde_json::json!({ "error": self.message }).to_string();
        let mut response = json(self.status, Body::from(message));
        if let Some((name, value)) = self.header {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

impl From<TakeError> for DataRefusal {
    fn from(untaken: TakeError) -> Self {
        match untaken {
            // The reference implementation's text, which consumers may recognize.
            TakeError::Unknown => Self::new(
                StatusCode::NOT_FOUND,
                "unknown",
                "Unknown or expired resource",
            ),
            TakeError::Busy => {
                let message =
                    "another reader is fetching these rows; if it fails, they are available again";
                Self {
                    header: Some((RETRY_AFTER, "1")),
                    ..Self::new(StatusCode::CONFLICT, "busy", message)
                }
            }
            TakeError::Failed => {
                let message = "the store of rows does not answer; try again";
                let refusal = Self::new(StatusCode::SERVICE_UNAVAILABLE, "failed", message);
                Self {
                    header: Some((RETRY_AFTER, "5")),
                    ..refusal
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
