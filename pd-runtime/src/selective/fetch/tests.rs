//! Fetches from a scripted server, which may violate HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod server;

use super::{FetchPolicy, RowFetcher, error::RowFetchError, resolver::HostLookup};
use crate::{CallContext, Selected, ToolError, tool::argument::Argument};
use futures::{TryStreamExt, future::BoxFuture};
use serde_json::{Value, json};
use server::{Act, Server, json_answer};
use std::{
    io,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

const TOKEN: &str = "kW3nT0kenOfFortyThreeCharactersInBase64url_";

/// Returns the error of a fetch without an answer.
async fn refusal(policy: FetchPolicy, url: &str) -> RowFetchError {
    let error = RowFetcher::new(policy)
        .post(url, "{}".to_owned())
        .await
        .map(drop)
        .unwrap_err();
    assert!(!error.to_string().contains(TOKEN), "{error}");
    error
}

/// Selected rows whose remaining columns are at this URL.
fn selected(url: &str) -> Selected<Value> {
    let chosen = json!({
        "abstract_data": r#"[{"_row_id": 4, "event": "Gale"}, {"_row_id": 1, "event": "Flood"}]"#,
        "resource_url": url,
    });
    Selected::take(&mut chosen.as_object().unwrap().clone(), "alerts").unwrap()
}

fn call(server: &Server) -> CallContext {
    CallContext::detached().fetching_by(server.policy())
}

async fn failed(server: Server) -> ToolError {
    let error = selected(&server.url(TOKEN))
        .rows(&call(&server))
        .await
        .unwrap_err();
    assert!(
        !error.message.contains(TOKEN) && !error.message.contains("/s2sp"),
        "{error}"
    );
    error
}

#[tokio::test]
async fn the_chosen_rows_alone_are_asked_for() {
    let body = json!({"body": [{"_row_id": 1, "area": "Oslo"}, {"_row_id": 4, "area": "Bergen"}], "total_rows": 2});
    let server = Server::start(vec![Act::Send(json_answer(200, &body))]).await;
    let rows = selected(&server.url(TOKEN))
        .rows(&call(&server))
        .await
        .unwrap();
    assert_eq!(
        rows,
        [
            json!({"event": "Gale", "area": "Bergen"}),
            json!({"event": "Flood", "area": "Oslo"}),
        ]
    );
    let [request] = server.requests().try_into().unwrap();
    assert!(
        request.starts_with(&format!("POST /s2sp/data/{TOKEN} HTTP/1.1\r\n")),
        "{request}"
    );
    assert!(
        request.ends_with("\r\n\r\n{\"row_ids\":[4,1]}"),
        "{request}"
    );
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "it is never made")]
struct Alert {
    event: String,
    area: String,
}

/// Joins a row with the remaining columns `{"_row_id": 1, "place": "Oslo"}`, and returns the error
/// and the number of fetches.
async fn mapped(chosen: &str, mapping: &str) -> (ToolError, usize) {
    let body = json!({"body": [{"_row_id": 1, "place": "Oslo"}]});
    let server = Server::start(vec![Act::Send(json_answer(200, &body))]).await;
    let sent = json!({ "abstract_data": chosen, "resource_url": server.url(TOKEN), "column_mapping": mapping });
    let alerts = Selected::<Alert>::take(&mut sent.as_object().unwrap().clone(), "alerts");
    let error = match alerts {
        Ok(alerts) => alerts.rows(&call(&server)).await.unwrap_err(),
        Err(error) => error,
    };
    assert_eq!(error.code, ToolError::INVALID_ARGUMENTS);
    (error, server.requests().len())
}

#[tokio::test]
async fn a_mistake_that_the_abstract_shows_takes_no_rows() {
    let cases = [
        (
            r#"[{"_row_id": 1, "event": "Gale", "type": 3}]"#,
            r#"{"type": "event"}"#,
            "two columns that become `event`",
        ),
        (
            r#"[{"_row_id": 1, "count": 3}]"#,
            r#"{"count": "event"}"#,
            "column `event`: expected a string, found an integer",
        ),
        (
            r#"[{"_row_id": 1, "event": "Gale"}]"#,
            r#"{"place": "aera"}"#,
            "`aera`, which is not a column of this tool",
        ),
    ];
    for (chosen, mapping, said) in cases {
        let (error, asked) = mapped(chosen, mapping).await;
        assert!(
            error.message.contains(said) && !error.message.contains("taken"),
            "{error}"
        );
        assert_eq!(asked, 0, "{error}");
    }
}

#[tokio::test]
async fn a_mistake_that_the_rest_shows_sends_the_model_back_to_the_other_tool() {
    let cases = [
        (
            r#"[{"_row_id": 1, "event": "Gale"}]"#,
            "missing field `area`; it has `event`, `place`",
        ),
        (
            r#"[{"_row_id": 7, "event": "Gale"}]"#,
            "none with `_row_id` 7",
        ),
    ];
    for (chosen, said) in cases {
        let (error, asked) = mapped(chosen, "").await;
        assert!(error.message.contains(said), "{error}");
        assert!(
            error
                .message
                .contains("these rows are taken, so call the other tool again first"),
            "{error}"
        );
        assert_eq!(asked, 1);
    }
}

#[tokio::test]
async fn rows_are_there_before_the_answer_ends() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = |text: &str| Act::Send(format!("{:x}\r\n{text}\r\n", text.len()));
    let server = Server::start(vec![
        Act::Send(head.to_owned()),
        chunk(r#"{"body":[{"_row_id":1},{"_ro"#),
        Act::WaitToGoOn,
        chunk(r#"w_id":4}]}"#),
        Act::Send("0\r\n\r\n".to_owned()),
    ])
    .await;
    let mut stream = Box::pin(selected(&server.url(TOKEN)).stream(&call(&server)));
    assert_eq!(stream.try_next().await.unwrap().unwrap()["event"], "Flood");
    server.go_on();
    assert_eq!(stream.try_next().await.unwrap().unwrap()["event"], "Gale");
    assert!(stream.try_next().await.unwrap().is_none());
}

#[tokio::test]
async fn nothing_is_fetched_unless_it_is_said() {
    let url = format!("https://data.example.com/s2sp/data/{TOKEN}");
    let refused = |origin: &str| RowFetchError::NotAllowed(origin.to_owned());
    assert_eq!(
        refusal(FetchPolicy::new(), &url).await,
        refused("https://data.example.com")
    );
    let other = FetchPolicy::new()
        .allow("https://data.example.com:8443")
        .unwrap()
        .allow("http://data.example.com")
        .unwrap();
    assert_eq!(
        refusal(other, &url).await,
        refused("https://data.example.com")
    );
    let error = selected(&url)
        .rows(&CallContext::detached())
        .await
        .unwrap_err();
    assert_eq!(error.code, "RESOURCE_REFUSED");
    assert!(
        error.message.contains("`mode`: `sync`") && !error.message.contains(TOKEN),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_no_http_url_is_refused() {
    let any = || FetchPolicy::new().any_public();
    for url in [
        "",
        "x",
        "ftp://a/x",
        "file:///etc/passwd",
        "data:,x",
        "http://",
        "https://me:secret@a.example/",
        "//a/x",
    ] {
        assert_eq!(refusal(any(), url).await, RowFetchError::Url, "{url}");
    }
    assert_eq!(
        refusal(any(), &format!("https://a.example/{}", "x".repeat(5000))).await,
        RowFetchError::Url
    );
    assert_eq!(refusal(any(), "ddi://handle").await, RowFetchError::Handle);
}

#[tokio::test]
async fn private_addresses_are_refused_however_they_are_written() {
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "169.254.169.254",
        "0.0.0.0",
        "[fe80::1]",
        "localhost",
        "192.168.0.1:80",
    ] {
        let error = refusal(
            FetchPolicy::new().any_public(),
            &format!("http://{host}/s2sp/data/{TOKEN}"),
        )
        .await;
        assert!(
            matches!(error, RowFetchError::NotReached(_)),
            "{host}: {error}"
        );
    }
}

#[tokio::test]
async fn an_origin_that_may_be_private_is_not_one_for_metadata() {
    let policy = FetchPolicy::new()
        .allow_private("http://169.254.169.254")
        .unwrap();
    assert!(matches!(
        refusal(policy, "http://169.254.169.254/latest").await,
        RowFetchError::NotReached(_)
    ));
}

/// A resolver that returns another address at each lookup.
struct Rebinding(AtomicUsize);

impl HostLookup for Rebinding {
    fn lookup(&self, _: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let address = ["127.0.0.1", "169.254.169.254"].map(|address| address.parse().unwrap());
        let found = address.get(self.0.fetch_add(1, Ordering::Relaxed)).copied();
        Box::pin(async move { Ok(found.into_iter().collect()) })
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_judged_each_time() {
    let server = Server::start(vec![Act::Send(json_answer(200, &json!({"body": []})))]).await;
    let origin = format!("http://rebinding.test:{}", server.port());
    let lookup = Arc::new(Rebinding(AtomicUsize::new(0)));
    let mut policy = FetchPolicy::new().allow_private(&origin).unwrap();
    policy.lookup = lookup.clone();
    let fetcher = RowFetcher::new(policy);
    let url = format!("{origin}/s2sp/data/{TOKEN}");
    assert!(fetcher.post(&url, "{}".to_owned()).await.is_ok());
    assert_eq!(
        (lookup.0.load(Ordering::Relaxed), server.requests().len()),
        (1, 1)
    );
    let second = fetcher.post(&url, "{}".to_owned()).await.map(drop);
    assert_eq!(second, Err(RowFetchError::NotReached(origin.clone())));
    assert_eq!(
        (lookup.0.load(Ordering::Relaxed), server.requests().len()),
        (2, 1)
    );

    let mut public = FetchPolicy::new().allow(&origin).unwrap();
    public.lookup = Arc::new(Rebinding(AtomicUsize::new(0)));
    assert_eq!(
        refusal(public, &url).await,
        RowFetchError::NotReached(origin)
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let other = Server::start(vec![Act::Send(json_answer(200, &json!({"body": []})))]).await;
        let to = format!(
            "HTTP/1.1 {status} Elsewhere\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
            other.url(TOKEN)
        );
        let server = Server::start(vec![Act::Send(to)]).await;
        let policy = server.policy().allow_private(&other.origin()).unwrap();
        assert_eq!(
            refusal(policy, &server.url(TOKEN)).await,
            RowFetchError::Redirect(server.origin())
        );
        assert_eq!(other.requests().len(), 0);
    }
}

#[tokio::test]
async fn refusals_are_told_in_the_other_servers_words_without_its_secrets() {
    let said = format!("Unknown resource http://h/s2sp/data/{TOKEN} or {TOKEN}.");
    for (status, code) in [
        (404, "RESOURCE_GONE"),
        (410, "RESOURCE_GONE"),
        (409, "RESOURCE_BUSY"),
        (400, "RESOURCE_FAILED"),
    ] {
        let error = failed(
            Server::start(vec![Act::Send(json_answer(
                status,
                &json!({"error": said}),
            ))])
            .await,
        )
        .await;
        assert_eq!(error.code, code);
        assert!(error.message.contains("(Unknown resource or)"), "{error}");
    }
    let plain = Act::Send("HTTP/1.1 500 No\r\ncontent-length: 5\r\n\r\n<hr/>".to_owned());
    assert!(
        failed(Server::start(vec![plain]).await)
            .await
            .message
            .contains("(status 500)")
    );
}

#[tokio::test]
async fn too_much_is_refused_announced_or_not() {
    let rows = "x".repeat(2000);
    let announced = format!("HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n{{\"a\":\"{rows}");
    let chunked =
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7d6\r\n{{\"a\":\"{rows}\r\n");
    for answer in [announced, chunked] {
        let server = Server::start(vec![Act::Send(answer)]).await;
        let call = CallContext::detached().fetching_by(server.policy().max_bytes(1000));
        let error = selected(&server.url(TOKEN)).rows(&call).await.unwrap_err();
        assert!(
            error
                .message
                .contains("more than 1000 bytes; choose fewer rows"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn slow_servers_are_waited_for_in_vain_only_so_long() {
    let head = || Act::Send("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{".to_owned());
    let limits: [fn(FetchPolicy) -> FetchPolicy; 2] = [
        |policy| policy.idle_timeout(Duration::from_millis(200)),
        |policy| policy.timeout(Duration::from_millis(200)),
    ];
    for limit in limits {
        for acts in [vec![Act::WaitToGoOn], vec![head(), Act::WaitToGoOn]] {
            let server = Server::start(acts).await;
            let call = CallContext::detached().fetching_by(limit(server.policy()));
            let error = selected(&server.url(TOKEN)).rows(&call).await.unwrap_err();
            assert!(
                error.message.contains("took longer than 0.2 seconds"),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn what_breaks_off_or_is_no_rows_is_told() {
    let short = Act::Send(
        "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"body\":[{\"_row_id\":1}".to_owned(),
    );
    assert!(
        failed(Server::start(vec![short]).await)
            .await
            .message
            .contains("broke off")
    );
    let other = Act::Send(json_answer(200, &json!({"rows": []})));
    assert!(
        failed(Server::start(vec![other]).await)
            .await
            .message
            .contains("it ends before its rows do")
    );
}

#[tokio::test]
async fn a_cancelled_call_stops_fetching() {
    let server = Server::start(vec![Act::WaitToGoOn]).await;
    let call = call(&server);
    let rows = tokio::spawn({
        let selected = selected(&server.url(TOKEN));
        let call = call.clone();
        async move { selected.rows(&call).await }
    });
    server.was_asked().await;
    call.cancellation().cancel();
    assert_eq!(rows.await.unwrap().unwrap_err().code, "CANCELLED");
    server.was_left().await;
}

#[test]
fn an_origin_is_nothing_but_an_origin() {
    for origin in [
        "https://a.example/x",
        "a.example",
        "https://a.example?x",
        "ftp://a.example",
        "https://me@a.example",
        "",
    ] {
        assert!(FetchPolicy::new().allow(origin).is_err(), "{origin}");
        assert!(
            FetchPolicy::new().allow_private(origin).is_err(),
            "{origin}"
        );
    }
    for origin in [
        "https://a.example",
        "HTTPS://A.example:443/",
        "http://[::1]:9000",
    ] {
        assert!(FetchPolicy::new().allow(origin).is_ok(), "{origin}");
    }
}
