//! The endpoint of the server card, beside that of MCP: `GET /mcp/server-card` (SEP-2127). It needs
//! no token, because clients read the card to find out how to connect.

use super::{cross_origin, request_source::AllowedHosts};
use crate::{
    card::{CardError, ServerCard},
    digest::hex::Hex,
    server::erased_server::ErasedServer,
};
use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing,
};
use http::{
    HeaderMap, StatusCode,
    header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HOST, IF_NONE_MATCH},
    uri::Authority,
};
use sha2::{Digest as _, Sha256};
use std::{future::ready, sync::Arc};

/// The path of the card, after that of the endpoint.
const BELOW_ENDPOINT: &str = "/server-card";
/// The media type of a card.
const MEDIA_TYPE: &str = "application/mcp-server-card+json";
/// The lifetime that the specification recommends. A client may then compare the ETag.
const CACHE: &str = "public, max-age=3600";
/// The bytes of the digest in an ETag. 128 bits have no accidental collision.
const TAG_BYTES: usize = 16;
/// The hosts that name the machine of the client, so that a wrong one harms nobody else.
const LOCAL_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The card of a server, and what its URL is made of.
pub(super) struct CardEndpoint {
    card: ServerCard,
    /// The endpoint's URL by the metadata of its tokens.
    resource: Option<String>,
    path: String,
    local: AllowedHosts,
    host: Arc<dyn ErasedServer>,
}

impl CardEndpoint {
    /// Returns the endpoint of this card, if it is complete.
    ///
    /// # Errors
    ///
    /// Returns an error if the server has no description or no valid version.
    pub(super) fn new(
        card: ServerCard,
        resource: Option<String>,
        path: &str,
        host: &Arc<dyn ErasedServer>,
    ) -> Result<Self, CardError> {
        // The server's own facts may change when it is replaced, so each request renders the card.
        card.document(&host.card_facts(), None)?;
        Ok(Self {
            card,
            // The audience of tokens need not be a URL.
            resource: resource.filter(|url| ServerCard::allows_url(url)),
            path: path.to_owned(),
            local: AllowedHosts::new(LOCAL_HOSTS),
            host: host.clone(),
        })
    }

    /// Returns the route of the card. It checks no host: apart from the URL of a local request, the
    /// card does not depend on the request.
    pub(super) fn routes(self) -> Router {
        let path = format!("{}{BELOW_ENDPOINT}", self.path);
        let answer = |State(endpoint): State<Arc<Self>>, request: Request| {
            ready(endpoint.answer(request.headers()))
        };
        Router::new()
            .route(&path, routing::get(answer))
            .layer(cross_origin::public().expose_headers([ETAG]))
            .with_state(Arc::new(self))
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let url = self.resource.clone().or_else(|| self.local_url(headers));
        let card = match self.card.document(&self.host.card_facts(), url.as_deref()) {
            Ok(card) => card.to_string(),
            // The server was complete when it started, and was replaced since then.
            Err(error) => {
                return (StatusCode::NOT_FOUND, format!("Not Found: {error}")).into_response();
            }
        };
        let tag = entity_tag(card.as_bytes());
        let caching = [(CACHE_CONTROL, CACHE), (ETAG, tag.as_str())];
        if is_known(headers, &tag) {
            return (StatusCode::NOT_MODIFIED, caching).into_response();
        }
        (caching, [(CONTENT_TYPE, MEDIA_TYPE)], card).into_response()
    }

    /// Returns the endpoint's URL by the host of the request, if the host is the client's own
    /// machine. Any other host may be invented, and the scheme in front of a proxy is not known.
    fn local_url(&self, headers: &HeaderMap) -> Option<String> {
        let host = Authority::try_from(headers.get(HOST)?.as_bytes()).ok()?;
        if !self.local.allow(&host) {
            return None;
        }
        let port = host
            .port_u16()
            .map_or_else(String::new, |port| format!(":{port}"));
        Some(format!("http://{}{port}{}", host.host(), self.path))
    }
}

/// Returns a strong ETag: the same for the same bytes, at each replica.
fn entity_tag(body: &[u8]) -> String {
    let digest = Sha256::digest(body);
    format!("\"{}\"", Hex(digest.get(..TAG_BYTES).unwrap_or(&digest)))
}

/// Returns whether the client has what this ETag stands for. `If-None-Match` compares weakly (RFC
/// 9110, section 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use http::HeaderValue;

    fn with(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_tag_is_known_in_any_list() {
        let tag = entity_tag(b"card");
        assert_eq!(tag.len(), 2 + 2 * TAG_BYTES);
        assert_ne!(tag, entity_tag(b"another card"));
        let weak = format!("W/{tag}");
        let list = format!("\"other\", {weak}");
        for known in [
            &[tag.as_str()][..],
            &["*"],
            &[&weak],
            &[&list],
            &["\"a\"", &tag],
        ] {
            assert!(is_known(&with(known), &tag), "{known:?}");
        }
        for other in [
            &[][..],
            &["\"other\""],
            &[tag.trim_matches('"')],
            &["W/"],
            &[""],
        ] {
            assert!(!is_known(&with(other), &tag), "{other:?}");
        }
    }
}
