//! Servers that need OAuth: a login, and the tokens of each request after it.

mod authorization_server;

use super::*;
use crate::harness::{client::connect_to, code};
use authorization_server::OAuthUpstream;
use axum::http::StatusCode;
use futures::future::join_all;
use pd_gateway::{LoginError, LoginRemoval, LoginRequest, PendingLogin, StoredLogin};

const REDIRECT_URI: &str = "http://127.0.0.1:1/callback";
const LOGIN_REQUIRED: &str = "UPSTREAM_LOGIN_REQUIRED";

impl Desk {
    fn tokens(&self) -> PathBuf {
        self.0.path().join("oauth")
    }

    /// A gateway in front of `web`. All of a desk share the tokens.
    fn oauth_gateway(&self, url: &str, entry: Value) -> Gateway {
        let mut entry = entry;
        entry["url"] = url.into();
        self.gateway([("web".to_owned(), entry)])
            .with_token_directory(self.tokens())
    }

    fn token_files(&self) -> Vec<String> {
        let files = fs::read_dir(self.tokens()).into_iter().flatten();
        files
            .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
            .collect()
    }

    /// A gateway whose owner has logged in, and a client that has read the description of the tool.
    async fn logged_in(&self, upstream: &OAuthUpstream) -> (Gateway, Client) {
        let gateway = self.oauth_gateway(&upstream.url(), json!({}));
        log_in(&gateway, LoginRequest::new("web", REDIRECT_URI))
            .await
            .unwrap();
        let client = client(&gateway).await;
        (gateway, client)
    }
}

async fn client(gateway: &Gateway) -> Client {
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(gateway)).await;
    client.describe("web__whoami").await;
    client
}

async fn log_in(gateway: &Gateway, request: LoginRequest) -> Result<StoredLogin, LoginError> {
    let pending = gateway.begin_login(request).await?;
    let redirected = browse(&pending).await;
    pending.finish(&redirected).await
}

/// Opens the URL of a login as a browser does, and returns the URL that it is redirected to.
async fn browse(pending: &PendingLogin) -> String {
    let browser = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let response = browser.get(pending.url()).send().await.unwrap();
    response.headers()["location"].to_str().unwrap().to_owned()
}

async fn whoami(client: &Client) -> Value {
    client.call("web__whoami", json!({})).await
}

#[tokio::test]
async fn calls_at_once_share_one_renewal_and_each_runs_once() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let (_gateway, client) = desk.logged_in(&upstream).await;
    upstream.expire();
    let results = join_all((0..8).map(|_| whoami(&client))).await;
    let tokens: Vec<&str> = results.iter().map(text).collect();
    assert!(tokens.iter().all(|token| *token == tokens[0]), "{tokens:?}");
    assert_eq!(
        (upstream.count("refresh_token"), upstream.provider().calls),
        (1, 8)
    );
}

/// A renewal replaces the refresh token, so a second one with the old token would end the login.
#[tokio::test]
async fn gateways_that_share_tokens_renew_them_in_turn() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let (_one, one) = desk.logged_in(&upstream).await;
    let other = desk.oauth_gateway(&upstream.url(), json!({}));
    let other = client(&other).await;
    for renewals in 1..4 {
        upstream.expire();
        let (one, other) = tokio::join!(whoami(&one), whoami(&other));
        assert_eq!(text(&one), text(&other));
        assert_eq!(upstream.count("refresh_token"), renewals);
    }
}

#[tokio::test]
async fn a_token_is_renewed_before_it_expires() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    upstream.provider().life = Some(2);
    let (_gateway, client) = desk.logged_in(&upstream).await;
    let first = text(&whoami(&client).await).to_owned();
    sleep(Duration::from_millis(2_100)).await;
    let seen = upstream.provider().authorizations.len();
    let then = whoami(&client).await;
    assert_ne!(text(&then), first);
    // The server still takes the old token, but the gateway does not send it.
    let later = upstream.provider().authorizations.split_off(seen);
    assert!(
        !later.contains(&Some(format!("Bearer {first}"))),
        "{later:?}"
    );
}

#[tokio::test]
async fn a_revoked_login_is_one_clear_error_and_no_failure() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let (gateway, client) = desk.logged_in(&upstream).await;
    upstream.revoke();
    for _ in 0..2 {
        let refused = whoami(&client).await;
        assert_eq!(code(&refused), LOGIN_REQUIRED, "{refused}");
        let message = told(&refused)["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains("run `pd-gateway login web`"), "{message}");
    }
    assert_eq!(
        (upstream.count("refresh_token"), desk.token_files().len()),
        (1, 0),
        "the tokens are dropped"
    );
    // Another gateway, which has to start the connection, is told the same and does not pause.
    let other = desk.oauth_gateway(&upstream.url(), json!({}));
    other.refresh_all().await;
    let status = &other.status()[0];
    assert!(status.needs_login && !status.is_failing, "{status:?}");
    log_in(&gateway, LoginRequest::new("web", REDIRECT_URI))
        .await
        .unwrap();
    assert!(text(&whoami(&client).await).starts_with("access-"));
    other.refresh_all().await;
    assert!(
        other.status()[0].is_running && other.status()[0].last_error.is_none(),
        "{:?}",
        other.status()
    );
}

#[tokio::test]
async fn tokens_outlast_an_outage_of_the_authorization_server() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let (_gateway, client) = desk.logged_in(&upstream).await;
    upstream.expire();
    upstream.provider().outage = Some(StatusCode::SERVICE_UNAVAILABLE);
    let refused = whoami(&client).await;
    assert_eq!(code(&refused), "UPSTREAM_UNAVAILABLE", "{refused}");
    upstream.provider().outage = None;
    assert!(text(&whoami(&client).await).starts_with("access-"));
}

#[tokio::test]
async fn a_login_takes_no_answer_but_its_own() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let gateway = desk.oauth_gateway(&upstream.url(), json!({}));
    let request = || LoginRequest::new("web", REDIRECT_URI);
    let outcome = async || log_in(&gateway, request()).await.unwrap_err().to_string();
    upstream.provider().wrong_issuer = Some("https://evil.example");
    let error = outcome().await;
    assert!(error.contains("https://evil.example"), "{error}");
    upstream.provider().denied = Some("access_denied");
    assert!(matches!(
        log_in(&gateway, request()).await,
        Err(LoginError::Refused { .. })
    ));
    (upstream.provider().wrong_issuer, upstream.provider().denied) = (None, None);
    let pending = gateway.begin_login(request()).await.unwrap();
    let redirected = browse(&gateway.begin_login(request()).await.unwrap()).await;
    assert!(!pending.matches(&redirected));
    assert!(matches!(
        pending.finish(&redirected).await,
        Err(LoginError::Redirect { .. })
    ));
    assert_eq!(
        (
            upstream.count("authorization_code"),
            desk.token_files().len()
        ),
        (0, 0),
        "no code was sent"
    );
}

/// The metadata is that of a server, which may name hosts that only this machine can reach.
#[tokio::test]
async fn metadata_leads_to_no_other_place_of_this_machine_or_network() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let gateway = desk.oauth_gateway(&upstream.url(), json!({}));
    for elsewhere in [
        "https://169.254.169.254",
        "http://10.0.0.1",
        "http://metadata.google.internal",
        "file:///etc",
    ] {
        upstream.provider().elsewhere = Some(elsewhere.to_owned());
        let began = Instant::now();
        let error = gateway
            .begin_login(LoginRequest::new("web", REDIRECT_URI))
            .await
            .unwrap_err();
        assert!(
            matches!(error, LoginError::Failed { .. }),
            "{elsewhere}: {error:?}"
        );
        assert!(began.elapsed() < Duration::from_secs(2), "{elsewhere}");
    }
    assert_eq!(upstream.provider().registrations, 0);
}

#[tokio::test]
async fn missing_scopes_are_named_with_the_command_and_added_by_the_next_login() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let (gateway, client) = desk.logged_in(&upstream).await;
    upstream.provider().missing_scope = Some("notes:write $(reboot)");
    let refused = whoami(&client).await;
    assert_eq!(code(&refused), LOGIN_REQUIRED, "{refused}");
    let message = told(&refused)["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        message.contains("run `pd-gateway login web --scope notes:write --scope '$(reboot)'`"),
        "{message}"
    );
    let further = LoginRequest::new("web", REDIRECT_URI).with_scopes(["notes:write".to_owned()]);
    assert_eq!(
        log_in(&gateway, further).await.unwrap().scopes,
        ["notes", "notes:write"]
    );
}

#[tokio::test]
async fn a_client_with_a_secret_needs_no_login() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let client_of = |secret: &str| json!({ "clientId": "robot", "clientSecret": secret, "grant": "client_credentials" });
    let gateway = desk.oauth_gateway(
        &upstream.url(),
        json!({ "pd": { "oauth": client_of("robot-secret") } }),
    );
    let client = client(&gateway).await;
    let first = text(&whoami(&client).await).to_owned();
    upstream.expire();
    assert_ne!(text(&whoami(&client).await), first);
    assert_eq!(
        (
            upstream.count("client_credentials"),
            upstream.provider().registrations
        ),
        (2, 0)
    );
    assert!(
        !desk.token_files().concat().contains("robot-secret"),
        "the secret stays in the configuration"
    );
}

#[tokio::test]
async fn the_callers_own_token_is_never_forwarded() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    desk.logged_in(&upstream).await;
    // All callers act for the owner, because the entry says so.
    let gateway = desk.oauth_gateway(&upstream.url(), json!({ "pd": { "share": "process" } }));
    gateway.refresh().await;
    let site = Site::open(&serve(&gateway), true).await;
    for era in [Era::HttpSession, Era::HttpInline] {
        let client = connect_to(era, &site.url, Some("alice"), json!({})).await;
        assert!(
            text(&client.call_described("web__whoami", json!({})).await).starts_with("access-"),
            "{era:?}"
        );
    }
    let seen = upstream.provider().authorizations.clone();
    assert!(
        seen.iter()
            .flatten()
            .all(|header| header.starts_with("Bearer access-")),
        "{seen:?}"
    );
}

#[tokio::test]
async fn an_entry_with_another_url_or_with_a_token_of_its_own_has_no_stored_tokens() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    desk.logged_in(&upstream).await;
    let stranger = OAuthUpstream::start().await;
    let moved = desk.oauth_gateway(&stranger.url(), json!({}));
    moved.refresh_all().await;
    assert!(moved.status()[0].needs_login, "{:?}", moved.status());
    assert!(
        stranger
            .provider()
            .authorizations
            .iter()
            .all(Option::is_none)
    );

    let headers = json!({ "headers": { "authorization": "Bearer mine" } });
    let fixed = desk.oauth_gateway(&stranger.url(), headers);
    fixed.refresh_all().await;
    let status = &fixed.status()[0];
    assert!(
        !status.needs_login
            && status
                .last_error
                .as_ref()
                .unwrap()
                .contains("check header `authorization`"),
        "{status:?}"
    );
    assert_eq!(
        stranger.provider().authorizations.last(),
        Some(&Some("Bearer mine".to_owned()))
    );
    assert!(
        fixed
            .begin_login(LoginRequest::new("web", REDIRECT_URI))
            .await
            .is_err()
    );
    assert_eq!(stranger.provider().discoveries, 0);
}

#[tokio::test]
async fn principals_have_tokens_of_their_own() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let (gateway, _) = desk.logged_in(&upstream).await;
    let bob = LoginRequest::new("web", REDIRECT_URI).with_principal("bob");
    log_in(&gateway, bob).await.unwrap();
    let principals = || {
        gateway
            .logins()
            .into_iter()
            .map(|login| login.principal)
            .collect::<Vec<_>>()
    };
    assert_eq!(principals(), [Some("bob".to_owned()), None]);
    assert_eq!(
        gateway.remove_login("web", Some("bob")).await.unwrap(),
        LoginRemoval::Revoked
    );
    assert_eq!(
        gateway.remove_login("web", Some("bob")).await.unwrap(),
        LoginRemoval::Absent
    );
    assert_eq!(principals(), [None]);
}

#[tokio::test]
async fn each_principal_calls_with_its_own_token() {
    let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
    let gateway = desk.oauth_gateway(&upstream.url(), json!({}));
    log_in(&gateway, LoginRequest::new("web", REDIRECT_URI))
        .await
        .unwrap();
    log_in(
        &gateway,
        LoginRequest::new("web", REDIRECT_URI).with_principal("alice"),
    )
    .await
    .unwrap();
    gateway.refresh().await;
    let site = Site::open(&serve(&gateway), true).await;
    for era in [Era::HttpSession, Era::HttpInline] {
        let caller = async |name| {
            let client = connect_to(era, &site.url, Some(name), json!({})).await;
            client.call_described("web__whoami", json!({})).await
        };
        // Codes and tokens are numbered together, and those of the owner are 1 and 2.
        assert_eq!(text(&caller("alice").await), "access-4", "{era:?}");
        let refused = caller("bob").await;
        assert_eq!(code(&refused), LOGIN_REQUIRED, "{refused}");
        assert!(
            text(&refused).contains("pd-gateway login web --principal bob"),
            "{refused}"
        );
    }
    let status = &gateway.status()[0];
    assert!(
        !status.needs_login && !status.is_failing,
        "one principal without a login: {status:?}"
    );
    log_in(
        &gateway,
        LoginRequest::new("web", REDIRECT_URI).with_principal("bob"),
    )
    .await
    .unwrap();
    let bob = connect_to(Era::HttpSession, &site.url, Some("bob"), json!({})).await;
    assert_eq!(
        text(&bob.call_described("web__whoami", json!({})).await),
        "access-6"
    );
}

#[tokio::test]
async fn tools_are_offered_after_a_login_while_the_gateway_runs() {
    for has_open_handshake in [false, true] {
        let (desk, upstream) = (Desk::new(), OAuthUpstream::start().await);
        upstream.provider().has_open_handshake = has_open_handshake;
        let gateway = desk.oauth_gateway(&upstream.url(), json!({}));
        gateway.refresh().await;
        until("the refusal", || gateway.status()[0].needs_login).await;
        let server = serve(&gateway);
        gateway.follow(&server);
        log_in(&gateway, LoginRequest::new("web", REDIRECT_URI))
            .await
            .unwrap();
        until("the list", || gateway.status()[0].tools == 1).await;
        let client = connect(Era::Session, &server).await;
        let result = client.call_described("web__whoami", json!({})).await;
        assert!(text(&result).starts_with("access-"), "{result}");
    }
}
