//! The state of docs-mcp without a network: a middleware answers every request from recorded texts.

use docs_mcp::{cache::DiskCache, tools::AppState};
use http::Extensions;
use reqwest_middleware::{ClientBuilder, Error, Middleware, Next};
use serde_json::Value;

/// One crate of an invented registry: its index, its pages and its rustdoc JSON, by URL.
const RESPONSES: &str = include_str!("responses.json");

/// The URL whose body docs.rs compresses.
const COMPRESSED: &str = "https://docs.rs/crate/pd-sample/1.1.0/json";

/// Builds the state. The cache directory is that of the process: set `XDG_CACHE_HOME`.
///
/// # Errors
///
/// Returns an error if the cache directory cannot be made, or the recorded texts are not JSON.
pub async fn open() -> Result<AppState, Box<dyn std::error::Error + Send + Sync>> {
    let client = ClientBuilder::new(reqwest::Client::new())
        .with(Recorded(serde_json::from_str(RESPONSES)?))
        .build();
    Ok(AppState {
        client,
        cache: DiskCache::new()?,
    })
}

/// Answers from recorded texts, and 404 otherwise. No request reaches the network.
struct Recorded(Value);

#[async_trait::async_trait]
impl Middleware for Recorded {
    async fn handle(
        &self,
        request: reqwest::Request,
        _: &mut Extensions,
        _: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let url = request.url().as_str();
        let (status, body) = match self.0.get(url) {
            Some(recorded) => (200, body(url, recorded)?),
            None => (404, Vec::new()),
        };
        let response = http::Response::builder().status(status).body(body);
        Ok(response.map_err(Error::middleware)?.into())
    }
}

/// A recorded string is the body itself; an array is one JSON document a line; anything else is JSON.
fn body(url: &str, recorded: &Value) -> Result<Vec<u8>, Error> {
    let text = match recorded {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        json => json.to_string(),
    };
    if url == COMPRESSED {
        return zstd::encode_all(text.as_bytes(), 1).map_err(Error::middleware);
    }
    Ok(text.into_bytes())
}
