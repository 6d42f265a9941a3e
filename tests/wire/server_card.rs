//! The server card over HTTP: who reads it, what it contains, and how it is cached.

use crate::harness::{
    issuer::{AUDIENCE, Issuer},
    post::Post,
    shop,
};
use pd_runtime::{
    PdServer, Registry,
    serve::{
        self, CancellationToken, CardError, Http, HttpOptions, Jwt, JwtKeys, ServeError,
        ServerCard, axum,
    },
};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::sync::Arc;

const NAME: &str = "example.shop/orders";

fn card() -> ServerCard {
    ServerCard::new(NAME).description("Orders of a shop.")
}

/// Serves the shop with these options, and returns its server and the URL of its endpoint.
async fn open(options: HttpOptions) -> (String, PdServer<shop::Shop>) {
    let server = shop::server().build().unwrap();
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let (url, served) = (http.url(), server.clone());
    tokio::spawn(async move { http.serve(&served, options).await });
    (url, server)
}

fn request(method: Method, url: &str) -> RequestBuilder {
    reqwest::Client::new().request(method, format!("{url}/server-card"))
}

async fn get(url: &str) -> Response {
    request(Method::GET, url).send().await.unwrap()
}

async fn document(url: &str) -> Value {
    let answer = get(url).await;
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_card_is_what_the_server_says_of_itself() {
    let (url, _server) = open(HttpOptions::new().server_card(card())).await;
    let known = Post::inline(&url)
        .send("server/discover", json!({}))
        .await
        .body["result"]
        .clone();
    let card = document(&url).await;
    // The one name is that of registries, the other one that of the protocol.
    assert_eq!(card["name"], NAME);
    let info = &known["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert!(info["version"].is_string());
    assert_eq!(card["version"], info["version"], "{known}");
    assert_eq!(
        card["remotes"],
        json!([{
            "type": "streamable-http",
            "url": url,
            "supportedProtocolVersions": known["supportedVersions"],
        }])
    );
    let keys: Vec<_> = card
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        ["$schema", "name", "description", "version", "remotes"],
        "no tool, and no capability"
    );
}

#[tokio::test]
async fn a_client_that_has_the_card_gets_304() {
    let (url, server) = open(HttpOptions::new().server_card(card())).await;
    let first = get(&url).await;
    assert_eq!(
        header(&first, "content-type"),
        "application/mcp-server-card+json"
    );
    assert_eq!(header(&first, "cache-control"), "public, max-age=3600");
    let tag = header(&first, "etag").to_owned();
    assert!(
        tag.starts_with('"') && tag.ends_with('"') && tag.len() > 10,
        "{tag}"
    );
    let length = first.content_length();
    assert_eq!(length, Some(first.bytes().await.unwrap().len() as u64));

    let with = |value: &str| {
        request(Method::GET, &url)
            .header("if-none-match", value)
            .send()
    };
    for known in [tag.clone(), format!("\"x\", W/{tag}"), "*".to_owned()] {
        let same = with(&known).await.unwrap();
        assert_eq!(
            (same.status().as_u16(), header(&same, "etag")),
            (304, tag.as_str())
        );
        assert_eq!(header(&same, "cache-control"), "public, max-age=3600");
        assert_eq!(same.bytes().await.unwrap().len(), 0);
    }
    assert_eq!(with("\"other\"").await.unwrap().status(), 200);

    let head = request(Method::HEAD, &url).send().await.unwrap();
    assert_eq!(
        (head.status().as_u16(), header(&head, "etag")),
        (200, tag.as_str())
    );
    assert_eq!(header(&head, "content-length"), length.unwrap().to_string());
    assert_eq!(head.bytes().await.unwrap().len(), 0);

    let other = Registry::builder()
        .name("shop")
        .version("9.9.9")
        .build()
        .unwrap();
    server.replace(other).unwrap();
    let changed = with(&tag).await.unwrap();
    assert_eq!(changed.status(), 200);
    assert_ne!(header(&changed, "etag"), tag);
    assert_eq!(changed.json::<Value>().await.unwrap()["version"], "9.9.9");
}

#[tokio::test]
async fn pages_of_every_origin_may_read_it() {
    let (url, _server) = open(HttpOptions::new().server_card(card())).await;
    let page = |method| request(method, &url).header("origin", "https://any.example");
    let answer = page(Method::GET).send().await.unwrap();
    assert_eq!(header(&answer, "access-control-allow-origin"), "*");
    assert_eq!(header(&answer, "access-control-expose-headers"), "etag");
    let preflight = page(Method::OPTIONS)
        .header("access-control-request-method", "GET")
        .header("access-control-request-headers", "if-none-match")
        .send()
        .await
        .unwrap();
    assert_eq!(preflight.status(), 200);
    assert_eq!(header(&preflight, "access-control-allow-origin"), "*");
    assert_eq!(header(&preflight, "access-control-allow-methods"), "GET");
    assert_eq!(
        header(&preflight, "access-control-allow-headers"),
        "if-none-match"
    );
    for method in [Method::POST, Method::PUT, Method::DELETE] {
        assert_eq!(request(method, &url).send().await.unwrap().status(), 405);
    }
    let mcp = reqwest::Client::new()
        .post(&url)
        .header("origin", "https://any.example");
    assert_eq!(
        mcp.send().await.unwrap().status(),
        403,
        "the endpoint itself is not open"
    );
}

#[tokio::test]
async fn a_host_is_not_believed() {
    let (url, _server) = open(
        HttpOptions::new()
            .allowed_hosts(["shop.example"])
            .server_card(card()),
    )
    .await;
    let remotes = async |host: &str| {
        let answer = request(Method::GET, &url)
            .header("host", host)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{host}");
        answer.json::<Value>().await.unwrap()["remotes"].clone()
    };
    for host in [
        "evil.example",
        "shop.example",
        "localhost.evil.example",
        "127.0.0.1@evil.example",
    ] {
        assert_eq!(remotes(host).await, Value::Null, "{host}");
    }
    assert_eq!(
        remotes("localhost:81").await[0]["url"],
        "http://localhost:81/mcp"
    );

    let (url, _server) = open(HttpOptions::new().server_card(card().url(AUDIENCE))).await;
    for host in ["evil.example", "localhost"] {
        let answer = request(Method::GET, &url)
            .header("host", host)
            .send()
            .await
            .unwrap();
        let card: Value = answer.json().await.unwrap();
        assert_eq!(card["remotes"][0]["url"], AUDIENCE);
    }
}

#[tokio::test]
async fn it_is_public_where_the_endpoint_needs_a_token() {
    let issuer = Issuer::open().await;
    let keys = JwtKeys::from_issuer(&issuer.url).unwrap();
    let jwt = Jwt::new(AUDIENCE, &issuer.url, keys);
    let options = HttpOptions::new()
        .protected_resource(jwt.protected_resource())
        .authenticate(Arc::new(jwt))
        .server_card(card());
    let (url, _server) = open(options).await;
    let refused = Post::inline(&url).send("server/discover", json!({})).await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        document(&url).await["remotes"][0]["url"],
        AUDIENCE,
        "the URL of the tokens"
    );
    assert_eq!(issuer.asked(), 0, "nothing of it costs the issuer anything");
}

#[tokio::test]
async fn an_audience_that_is_no_url_is_in_no_card() {
    let issuer = Issuer::open().await;
    let keys = JwtKeys::from_issuer(&issuer.url).unwrap();
    let jwt = Jwt::new("orders", &issuer.url, keys);
    let options = HttpOptions::new()
        .protected_resource(jwt.protected_resource())
        .authenticate(Arc::new(jwt))
        .server_card(card());
    let (url, _server) = open(options).await;
    assert_eq!(document(&url).await["remotes"][0]["url"], url);
}

#[tokio::test]
async fn nothing_is_published_unless_it_is_set() {
    let (url, _server) = open(HttpOptions::new()).await;
    assert_eq!(get(&url).await.status(), 404);
}

#[tokio::test]
async fn a_server_with_a_wrong_card_does_not_start() {
    let server = PdServer::builder(Registry::builder().build().unwrap(), ())
        .build()
        .unwrap();
    let refused = |card: ServerCard| {
        let options = HttpOptions::new().server_card(card);
        match serve::router(&server, &options, CancellationToken::new()) {
            Err(ServeError::Card(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        refused(ServerCard::new("shop")),
        CardError::Name("shop".to_owned())
    );
    assert_eq!(refused(ServerCard::new(NAME)), CardError::NoDescription);
    let insecure = "http://shop.example/mcp";
    assert_eq!(
        refused(card().url(insecure)),
        CardError::NoTls(insecure.to_owned())
    );
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let options = HttpOptions::new().server_card(ServerCard::new(NAME));
    let error = http.serve(&server, options).await.unwrap_err().to_string();
    assert!(
        error.starts_with("the server card cannot be published: a card needs a description"),
        "{error}"
    );
}

#[tokio::test]
async fn an_application_serves_it_below_the_path_of_the_endpoint() {
    let server = shop::server().build().unwrap();
    let options = HttpOptions::new().server_card(card());
    let stop = CancellationToken::new();
    let router = serve::router_at("/tools/mcp", &server, &options, stop).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/tools/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    assert_eq!(document(&url).await["remotes"][0]["url"], url);
}
