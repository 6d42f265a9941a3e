//! A protected resource whose tokens nothing checks.

use super::super::{Http, HttpOptions, ProtectedResource, router};
use crate::{PdServer, Registry, serve::ServeError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn server() -> PdServer<()> {
    PdServer::builder(Registry::builder().build().unwrap(), ())
        .build()
        .unwrap()
}

fn unguarded() -> HttpOptions {
    let resource = ProtectedResource::new("https://shop.example/mcp", ["https://id.example"]);
    HttpOptions {
        protected_resource: Some(resource),
        ..HttpOptions::default()
    }
}

#[tokio::test]
async fn a_server_that_announces_tokens_and_checks_none_does_not_start() {
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let server = server();
    let serving = Duration::from_secs(5);
    let ended = tokio::time::timeout(serving, http.serve(&server, unguarded()))
        .await
        .expect("it does not serve");
    assert!(matches!(ended, Err(ServeError::Unguarded)), "{ended:?}");
    let error = router(&server, &unguarded(), CancellationToken::new()).unwrap_err();
    assert!(error.to_string().contains("set `authenticate`"), "{error}");
    assert!(router(&server, &HttpOptions::default(), CancellationToken::new()).is_ok());
}
