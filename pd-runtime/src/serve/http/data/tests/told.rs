//! What is told of rows to whoever runs the server: numbers and logs, and no token in either.

use super::*;
use crate::Metrics;
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

/// Rows that are read, refused, given up and guessed.
async fn all_that_can_happen(site: &Served) -> String {
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
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    let _listening = tracing::subscriber::set_default(subscriber);
    let token = all_that_can_happen(&Served::open(large()).await).await;
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a connection failed") && !log.contains(&token), "{log}");
}

#[tokio::test]
async fn what_happens_is_counted() {
    let metrics = Metrics::prometheus();
    let builder = PdServer::builder(Registry::builder().build().unwrap(), ()).metrics(metrics.clone());
    let site =
        Served::of(builder.data_plane(large().max_body_bytes(40 << 20)).build().unwrap(), HttpOptions::default()).await;
    let token = all_that_can_happen(&site).await;
    site.server.keep(megabytes(41)).await.unwrap_err();
    let text = metrics.render();
    // Twenty-two rows have a number of one digit more, and the last one no comma.
    let written =
        "{\"body\":[],\"total_rows\":32}".len() + 32 * "{\"_row_id\":0,\"text\":\"\"},".len() + 22 - 1 + (32 << 20);
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
