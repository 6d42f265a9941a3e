//! The agent's side as a program: `agent [--inline] [--insert] URL` or `agent COMMAND…` opens a server, and `--and` another one.
//! `--insert` inserts later tools into the messages. Each line of standard input is what to do, as JSON; each line of standard output is what came of it. `agent.py` says what
//! must.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a check fails by ending"
)]

use pd_runtime::client::{Client, ClientError, ListChangedHandler};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient, model::ProtocolVersion,
    service::RunningService, transport::StreamableHttpClientTransport,
};
use serde_json::{Value, json};
use std::{process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

#[tokio::main]
async fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let inline = words.first().is_some_and(|word| word == "--inline");
    if inline {
        words.remove(0);
    }
    let inserts = words.first().is_some_and(|word| word == "--insert");
    if inserts {
        words.remove(0);
    }
    let mut servers = Vec::new();
    for words in words.split(|word| word == "--and") {
        servers.push(connect(words, inline).await);
    }
    let tools = match servers.as_slice() {
        [only] if !inserts => Client::new(only).await,
        several => {
            let named = ["a", "b", "c"].into_iter().zip(several);
            named
                .fold(Client::builder(), |builder, (name, server)| {
                    builder.server(name, server)
                })
                .inline_tools(inserts)
                .build()
                .await
        }
    };
    let tools = tools.expect("a list");
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        let asked: Value = serde_json::from_str(&line).expect("JSON");
        let done = done(&tools, &asked)
            .await
            .unwrap_or_else(|error| json!({ "error": error.to_string() }));
        println!("{done}");
    }
    for running in servers {
        let _ = tokio::time::timeout(Duration::from_secs(2), running.cancel()).await;
    }
}

async fn connect(words: &[String], inline: bool) -> RunningService<RoleClient, ListChangedHandler> {
    let lifecycle = match inline {
        true => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        false => ClientLifecycleMode::Initialize,
    };
    let (first, rest) = words.split_first().expect("a URL or a command");
    if first.starts_with("http") {
        let transport = StreamableHttpClientTransport::from_uri(first.as_str());
        return ListChangedHandler::new()
            .serve_with_lifecycle(transport, lifecycle)
            .await
            .expect("a handshake");
    }
    let mut command = Command::new(first);
    command
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .unwrap_or_else(|error| panic!("{first}: {error}"));
    let pipes = (
        child.stdout.take().expect("its output"),
        child.stdin.take().expect("its input"),
    );
    let running = ListChangedHandler::new()
        .serve_with_lifecycle(pipes, lifecycle)
        .await
        .expect("a handshake");
    tokio::spawn(async move { child.wait().await });
    running
}

async fn done(tools: &Client, asked: &Value) -> Result<Value, ClientError> {
    let name = asked
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Ok(
        match asked.get("do").and_then(Value::as_str).unwrap_or_default() {
            "prompt" => json!(tools.system_prompt()),
            "tools" => json!(tools.tools()),
            "anthropic" => json!(tools.anthropic()),
            "openai" => json!(tools.openai()),
            "answer_anthropic" => tools.answer_anthropic(&asked["call"]).await?,
            "answer_openai" => tools.answer_openai(&asked["call"]).await?,
            "anthropic_changes" => json!(tools.anthropic_changes()),
            "openai_changes" => json!(tools.openai_changes()),
            "tokens" => json!(tools.tokens().total()),
            "describe" => {
                let names = asked
                    .get("names")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                let described = tools.describe(names).await?;
                described
                    .iter()
                    .map(|(name, told)| (name.to_owned(), json!(told.json())))
                    .collect()
            }
            "call" => json!(
                tools
                    .call(name, asked.get("arguments").cloned().unwrap_or_default())
                    .await?
            ),
            other => panic!("`{other}` is nothing to do"),
        },
    )
}
