//! What metrics and logs contain about rows: numbers and reasons, but no tokens.

use super::*;
use crate::{
    GateMode, Metrics, Selected,
    cli::log,
    prelude::*,
    telemetry::audit::{Audit, AuditDetail, Event},
};
use std::{
    io,
    sync::{Arc, Mutex},
};
use tracing_subscriber::fmt::MakeWriter;

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(part);
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Rows that are read, refused, abandoned and guessed.
async fn all_that_can_happen(site: &TestDataPlane) -> String {
    let path = site.keep(megabytes(32)).await;
    for bad in ["", r#"{"columns": ["x"]}"#, r#"{"row_ids": []}"#] {
        site.fetch(&path, bad).await;
    }
    drop(site.send("POST", &path, "{}").await);
    assert_eq!(site.fetch_when_free(&path, "{}").await.status, 200);
    assert_eq!(site.fetch(&path, "{}").await.status, 404);
    path.rsplit_once('/').unwrap().1.to_owned()
}

#[tokio::test]
async fn no_log_has_a_token() {
    let log = Log::default();
    let _listening = tracing::subscriber::set_default(log::subscriber(Some("trace"), log.clone()));
    let site = TestDataPlane::open(large()).await;
    let mut tokens = vec![all_that_can_happen(&site).await];
    let until_logged = async {
        while !log.text().contains("a connection failed") {
            // A place that logs first on the thread of another test stays silent until this.
            tracing::callsite::rebuild_interest_cache();
            tokens.push(all_that_can_happen(&site).await);
        }
    };
    tokio::time::timeout(Duration::from_secs(20), until_logged)
        .await
        .unwrap();
    let log = log.text();
    assert!(!tokens.iter().any(|token| log.contains(token)), "{log}");
}

/// Days in Oslo.
#[pd_tool(summary = "List days", selective)]
fn list() -> Table {
    days()
}

/// Counts days.
#[pd_tool(summary = "Count days")]
async fn count(
    days: Selected<std::collections::BTreeMap<String, Value>>,
    call: &CallContext,
) -> Result<String, ToolError> {
    Ok(days.rows(call).await?.len().to_string())
}

impl Audit for Log {
    fn record(&self, event: &Event<'_>) {
        let told = serde_json::to_string(event).unwrap();
        io::Write::write_all(&mut self.clone(), told.as_bytes()).unwrap();
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// A server with both tools, whose consumer fetches from the server itself if it can.
async fn selective(audit: &Log) -> TestDataPlane {
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let address = http.address.to_string();
    let registry: Registry<()> = crate::registry! { list, count };
    let builder = PdServer::builder(registry, ())
        .gate(GateMode::Off)
        .audit(Arc::new(audit.clone()));
    let builder = builder.audit_detail(AuditDetail::NONE.with_arguments().with_queries());
    #[cfg(feature = "fetch")]
    let builder = builder.fetch(
        crate::selective::FetchPolicy::new()
            .allow_private(&format!("http://{address}"))
            .unwrap(),
    );
    let server = builder.build().unwrap();
    let (shared, options) = (
        server.clone(),
        HttpOptions {
            sessions: false,
            ..HttpOptions::default()
        },
    );
    let serving = tokio::spawn(async move { http.serve(&shared, options).await.unwrap() });
    TestDataPlane {
        server,
        address,
        serving,
    }
}

async fn call(site: &TestDataPlane, name: &str, arguments: Value) -> String {
    let params = json!({ "name": name, "arguments": arguments });
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json";
    let accept = "accept: application/json, text/event-stream";
    let mut client = TcpStream::connect(&site.address).await.unwrap();
    let request = format!(
        "{head}\r\n{accept}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    client.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    client.read_to_string(&mut text).await.unwrap();
    text
}

/// Calls the tool that creates a URL and the one that uses it. Logs at the finest level of every
/// crate but rmcp, which logs whole messages below INFO.
#[tokio::test]
async fn no_log_and_no_event_of_a_call_has_a_token() {
    let log = Log::default();
    let audit = Log::default();
    let _listening = tracing::subscriber::set_default(log::subscriber(Some("trace"), log.clone()));
    let site = selective(&audit).await;
    let shown = call(&site, "list", json!({ "abstract_domains": "city" })).await;
    let (_, url) = shown
        .split_once("/s2sp/data/")
        .unwrap_or_else(|| panic!("no URL: {shown}"));
    let token = &url[..43];
    let url = format!("http://{}/s2sp/data/{token}", site.address);
    let counted = call(
        &site,
        "count",
        json!({ "abstract_data": "[{\"_row_id\": 1}]", "resource_url": url }),
    )
    .await;
    #[cfg(feature = "fetch")]
    assert!(counted.contains("\"1\""), "{counted}");
    assert!(
        counted.contains("\"result\"") && !counted.contains(token),
        "{counted}"
    );
    let log = log.text();
    let audit = audit.text();
    assert!(
        log.contains("TRACE") && log.contains("count") && !log.contains(token),
        "{log}"
    );
    assert!(
        audit.contains(&format!("\"http://{}\"", site.address)) && !audit.contains(token),
        "{audit}"
    );
}

#[tokio::test]
async fn rmcp_is_told_below_info_only_where_it_is_named() {
    for (directives, tells) in [("trace", false), ("debug,rmcp=debug", true)] {
        let log = Log::default();
        let _listening =
            tracing::subscriber::set_default(log::subscriber(Some(directives), log.clone()));
        let site = selective(&Log::default()).await;
        let shown = call(&site, "list", json!({ "abstract_domains": "city" })).await;
        let (_, url) = shown
            .split_once("/s2sp/data/")
            .unwrap_or_else(|| panic!("no URL: {shown}"));
        assert_eq!(log.text().contains(&url[..43]), tells, "{directives}");
    }
}

#[test]
fn that_nobody_else_can_fetch_is_told_where_there_is_something_to_fetch() {
    for has_use in [false, true] {
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
        tracing::subscriber::with_default(subscriber, || {
            let address = "0.0.0.0:80".parse().unwrap();
            server(DataPlane::default())
                .host()
                .served()
                .plane
                .serves_on(address, has_use);
        });
        let log = log.text();
        assert_eq!(
            log.contains("data URLs name this machine's loopback address"),
            has_use,
            "{log}"
        );
    }
}

#[tokio::test]
async fn what_happens_is_counted() {
    let metrics = Metrics::prometheus();
    let builder =
        PdServer::builder(Registry::builder().build().unwrap(), ()).metrics(metrics.clone());
    let site = TestDataPlane::of(
        builder
            .data_plane(large().max_body_bytes(40 << 20))
            .build()
            .unwrap(),
        HttpOptions::default(),
    )
    .await;
    let token = all_that_can_happen(&site).await;
    site.server.store_rows(megabytes(41)).await.unwrap_err();
    let text = metrics.render();
    // Twenty-two rows have a number of one digit more, and the last one no comma.
    let written =
        "{\"body\":[],\"total_rows\":32}".len() + 32 * "{\"_row_id\":0,\"text\":\"\"},".len() + 22
            - 1
            + (32 << 20);
    for line in [
        "pd_bodies_total{way=\"kept\"} 1",
        "pd_bodies_total{way=\"taken\"} 1",
        &format!("pd_body_bytes_total{{way=\"taken\"}} {written}"),
        "pd_bodies_refused_total{reason=\"bad_request\"} 2",
        "pd_bodies_refused_total{reason=\"unknown\"} 1",
        "pd_bodies_refused_total{reason=\"too_large\"} 1",
    ] {
        assert!(text.lines().any(|told| told == line), "{line}\n{text}");
    }
    assert!(!text.contains(&token));
}
