//! An agent draws the week's strongest earthquakes three times: with all columns before its eyes, and with two, in both modes.
#![allow(
    clippy::indexing_slicing,
    reason = "JSON has null for what is not there"
)]

use crate::{charts, draw, feed};
use pd_runtime::{
    PdServer,
    client::{Client, ListChangedHandler},
    rmcp::{
        RoleClient, ServiceExt,
        model::{CallToolResult, ContentBlock},
        service::RunningService,
        transport::StreamableHttpClientTransport,
    },
    selective::FetchPolicy,
    serve::{Http, HttpOptions},
};
use serde_json::{Value, json};
use std::{error::Error, path::PathBuf, time::Instant};

type Fault = Box<dyn Error + Send + Sync>;

/// What is asked for, and which columns a model needs to choose rows by.
const STRONG: f64 = 4.5;
const SHOWN: &str = "mag,place";
/// The rows that it chooses: those that it finds strong enough.
const CHOSEN: f64 = 5.0;

pub(crate) async fn tour() -> Result<(), Fault> {
    let agent = Agent::connect().await?;
    println!(
        "Draw the earthquakes of magnitude {CHOSEN} and more, of those of {STRONG} and more that the feed lists.\n"
    );
    println!(
        "{:50} {:>14} {:>14} {:>10}",
        "", "model reads", "model writes", "drawn in"
    );
    let plain = agent.with_all_columns().await?;
    plain.print("all 29 columns", &plain);
    let mut image = None;
    for (mode, way) in [
        ("async", "the rest from server to server"),
        ("sync", "the rest through the agent's dispatcher"),
    ] {
        let cost = agent.with_two_columns(mode).await?;
        cost.print(&format!("2 columns, {way}"), &plain);
        image = cost.image.or(image);
    }
    if let Some(image) = image {
        let path = PathBuf::from("target/quakes.svg");
        std::fs::write(&path, draw::from_base64(&image)?)?;
        println!("\nThe drawing is in {}.", path.display());
    }
    agent.close().await;
    Ok(())
}

/// What one way of doing it cost the model, in o200k tokens.
pub(crate) struct Cost {
    /// The rows as they were shown to it.
    pub(crate) read: usize,
    /// What it had to write to have them drawn.
    pub(crate) written: usize,
    took: f64,
    image: Option<String>,
}

impl Cost {
    fn print(&self, way: &str, plain: &Self) {
        let saved =
            100.0 - 100.0 * (self.read + self.written) as f64 / (plain.read + plain.written) as f64;
        let saved = if saved > 0.0 {
            format!("  {saved:.0} % saved")
        } else {
            String::new()
        };
        println!(
            "{way:50} {:>14} {:>14} {:>7.1} ms{saved}",
            self.read, self.written, self.took
        );
    }
}

/// An agent that does what a model would: it looks at rows, and hands some on.
pub(crate) struct Agent {
    tools: Client,
    servers: [RunningService<RoleClient, ListChangedHandler>; 2],
}

impl Agent {
    pub(crate) async fn connect() -> Result<Self, Fault> {
        let feed = PdServer::builder(feed::registry(), feed::Feed).build()?;
        let http = Http::bind("127.0.0.1:0").await?;
        let url = http.url();
        tokio::spawn(async move { http.serve(&feed, HttpOptions::default()).await });
        let origin = url.trim_end_matches("/mcp");
        let fetch = FetchPolicy::default().allow_private(origin)?;
        let charts = PdServer::builder(charts::registry(), charts::Charts)
            .fetch(fetch)
            .build()?;
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let handler = charts.handler();
        tokio::spawn(async move {
            handler
                .serve(theirs)
                .await?
                .waiting()
                .await
                .map_err(Fault::from)
        });

        let feed = ListChangedHandler::new()
            .serve(StreamableHttpClientTransport::from_uri(url))
            .await?;
        let charts = ListChangedHandler::new().serve(ours).await?;
        let tools = Client::builder()
            .server("feed", &feed)
            .server("charts", &charts)
            .build()
            .await?;
        Ok(Self {
            tools,
            servers: [feed, charts],
        })
    }

    pub(crate) async fn close(self) {
        for server in self.servers {
            _ = server.cancel().await;
        }
    }

    /// As it is without selective disclosure: the model reads all, and writes what it wants drawn.
    pub(crate) async fn with_all_columns(&self) -> Result<Cost, Fault> {
        let listed = self
            .tools
            .call("feed__quakes", json!({ "min_magnitude": STRONG }))
            .await?;
        let rows: Vec<Value> = serde_json::from_str(text(&listed)?)?;
        let numbered = rows.into_iter().enumerate().map(|(number, mut row)| {
            row["_row_id"] = json!(number);
            row
        });
        self.draw(text(&listed)?, chosen(numbered), Value::Null)
            .await
    }

    /// The model sees two columns, and hands on where the others are.
    pub(crate) async fn with_two_columns(&self, mode: &str) -> Result<Cost, Fault> {
        let asked = json!({ "min_magnitude": STRONG, "abstract_domains": SHOWN, "mode": mode });
        let listed = self.tools.call("feed__quakes", asked).await?;
        let answer: Value = serde_json::from_str(text(&listed)?)?;
        let rows = answer["abstract"].as_array().cloned().unwrap_or_default();
        self.draw(
            text(&listed)?,
            chosen(rows.into_iter()),
            answer["resource_url"].clone(),
        )
        .await
    }

    async fn draw(&self, read: &str, rows: Vec<Value>, resource_url: Value) -> Result<Cost, Fault> {
        let mut handed = json!({ "abstract_data": Value::from(rows).to_string(), "view": "map" });
        if !resource_url.is_null() {
            handed["resource_url"] = resource_url;
        }
        let (written, begun) = (tokens(&handed.to_string()), Instant::now());
        let drawn = self.tools.call("charts__draw", handed).await?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        text(&drawn)?;
        let image = drawn
            .content
            .iter()
            .find_map(|block| Some(block.as_image()?.data.clone()));
        Ok(Cost {
            read: tokens(read),
            written,
            took,
            image,
        })
    }
}

fn chosen(rows: impl Iterator<Item = Value>) -> Vec<Value> {
    rows.filter(|row| row["mag"].as_f64().is_some_and(|mag| mag >= CHOSEN))
        .collect()
}

fn text(result: &CallToolResult) -> Result<&str, Fault> {
    let told = result
        .content
        .iter()
        .find_map(ContentBlock::as_text)
        .map_or("", |block| &block.text);
    if result.is_error == Some(true) {
        Err(told.into())
    } else {
        Ok(told)
    }
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}
