//! The HTTP client that fetches keys from issuers.

use super::{
    error::{JwtKeyError, KeyFetchError},
    refresh::FetchedKeys,
};
use reqwest::{Client, Url, redirect};
use serde::Deserialize;

/// The limit on a fetched document, in bytes.
const LONGEST: usize = 256 * 1024;

/// The members of an issuer's metadata that are read (RFC 8414, section 2).
#[derive(Deserialize)]
struct IssuerMetadata {
    issuer: String,
    jwks_uri: String,
}

pub(super) fn from_url(url: &str) -> Result<FetchedKeys, JwtKeyError> {
    let client = client()?;
    let url = safe(url)?;
    Ok(FetchedKeys::new(move || {
        let client = client.clone();
        let url = url.clone();
        async move { text(&client, url).await }
    }))
}

pub(super) fn from_issuer(issuer: &str) -> Result<FetchedKeys, JwtKeyError> {
    let client = client()?;
    let url = safe(issuer)?;
    let issuer = issuer.to_owned();
    Ok(FetchedKeys::new(move || {
        let client = client.clone();
        let url = url.clone();
        let issuer = issuer.clone();
        async move {
            let keys = keys_url(&client, &url, &issuer).await?;
            text(&client, keys).await
        }
    }))
}

/// Creates a client that follows no redirects: keys come from the operator's URL only.
fn client() -> Result<Client, JwtKeyError> {
    Client::builder()
        .redirect(redirect::Policy::none())
        .build()
        .map_err(|error| JwtKeyError::NoClient(error.into()))
}

/// Parses a URL over which keys can be fetched safely. An attacker who replaces keys in transit can
/// issue tokens for anyone.
fn safe(url: &str) -> Result<Url, JwtKeyError> {
    let parsed = Url::parse(url).ok().filter(|url| match url.scheme() {
        "https" => true,
        "http" => matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")),
        _ => false,
    });
    parsed.ok_or_else(|| JwtKeyError::NoSafeUrl(url.to_owned()))
}

/// Returns the URL of the issuer's keys from its metadata. A document about another issuer is not
/// acceptable (RFC 8414, section 3.3).
async fn keys_url(client: &Client, url: &Url, issuer: &str) -> Result<Url, KeyFetchError> {
    let mut failure: KeyFetchError = "the issuer's URL cannot have metadata".into();
    for place in metadata_urls(url) {
        let metadata = text(client, place)
            .await
            .and_then(|text| Ok(serde_json::from_str::<IssuerMetadata>(&text)?));
        match metadata {
            Ok(metadata) if metadata.issuer == issuer => return published(&metadata, url),
            Ok(metadata) => {
                failure = format!(
                    "{url} has the metadata of another issuer, {:?}",
                    metadata.issuer
                )
                .into()
            }
            // The metadata is at one of the places, so a failure at another one is normal. The last
            // one is reported.
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Checks the URL of the keys. Metadata over https must not name a URL over plain http: that is
/// another process on this machine, for which only an issuer on this machine can vouch.
fn published(metadata: &IssuerMetadata, issuer: &Url) -> Result<Url, KeyFetchError> {
    let keys = safe(&metadata.jwks_uri)?;
    if issuer.scheme() == "https" && keys.scheme() != "https" {
        return Err(
            format!("{issuer} names {keys} as the URL of its keys; the keys of an issuer over https must be served over https, too").into()
        );
    }
    Ok(keys)
}

/// Returns the possible URLs of the metadata, in the order in which MCP clients try them.
fn metadata_urls(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut places = vec![
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    // Without a path, the second and the third place are the same.
    places.dedup();
    places
        .iter()
        .filter_map(|place| issuer.join(place).ok())
        .collect()
}

async fn text(client: &Client, url: Url) -> Result<String, KeyFetchError> {
    let mut answer = client
        .get(url.clone())
        .header("accept", "application/json")
        .send()
        .await?;
    if !answer.status().is_success() {
        return Err(format!("{url} answered with {}", answer.status()).into());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        // Checked per chunk: `Content-Length` may be missing or wrong.
        if body.len() > LONGEST {
            return Err(format!("{url} answered with more than {} KiB", LONGEST / 1024).into());
        }
    }
    Ok(String::from_utf8(body)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn keys_come_over_a_safe_way_only() {
        for good in [
            "https://id.example/jwks",
            "http://127.0.0.1:8080/jwks",
            "http://[::1]/x",
            "http://localhost/x",
        ] {
            assert!(safe(good).is_ok(), "{good}");
        }
        for bad in [
            "http://id.example/jwks",
            "file:///etc/jwks",
            "id.example",
            "",
            "http://127.0.0.1.example/",
        ] {
            assert!(from_url(bad).is_err() && from_issuer(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_issuer_elsewhere_names_no_keys_on_this_machine() {
        let of = |issuer: &str, keys: &str| {
            let metadata = IssuerMetadata {
                issuer: issuer.to_owned(),
                jwks_uri: keys.to_owned(),
            };
            published(&metadata, &Url::parse(issuer).unwrap()).is_ok()
        };
        assert!(of("https://id.example", "https://keys.example/jwks"));
        assert!(of("http://127.0.0.1:8080", "http://localhost:8080/jwks"));
        assert!(of("http://localhost", "https://keys.example/jwks"));
        assert!(!of("https://id.example", "http://127.0.0.1:8080/jwks"));
        assert!(!of("https://localhost", "http://localhost/jwks"));
        assert!(!of("http://localhost", "http://keys.example/jwks"));
    }

    #[test]
    fn metadata_is_looked_for_where_mcp_clients_look() {
        let of = |url| {
            metadata_urls(&Url::parse(url).unwrap())
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        let root = "https://id.example/.well-known";
        assert_eq!(
            of("https://id.example/"),
            [
                format!("{root}/oauth-authorization-server"),
                format!("{root}/openid-configuration")
            ]
        );
        assert_eq!(
            of("https://id.example/shop"),
            [
                format!("{root}/oauth-authorization-server/shop"),
                format!("{root}/openid-configuration/shop"),
                "https://id.example/shop/.well-known/openid-configuration".to_owned(),
            ]
        );
    }
}
