//! A server that answers every connection with the same script.

use crate::selective::FetchPolicy;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

#[derive(Clone)]
pub(super) enum Act {
    Send(String),
    WaitToGoOn,
}

pub(super) struct Server {
    port: u16,
    seen: Arc<Seen>,
}

struct Seen {
    requests: Mutex<Vec<String>>,
    asked: Semaphore,
    go_on: Semaphore,
    left: Semaphore,
}

impl Server {
    pub(super) async fn start(acts: Vec<Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let none = || Semaphore::new(0);
        let seen = Arc::new(Seen {
            requests: Mutex::default(),
            asked: none(),
            go_on: none(),
            left: none(),
        });
        tokio::spawn({
            let seen = Arc::clone(&seen);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(answer(stream, acts.clone(), Arc::clone(&seen)));
                }
            }
        });
        Self { port, seen }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn url(&self, token: &str) -> String {
        format!("{}/s2sp/data/{token}", self.origin())
    }

    /// A policy that allows this server.
    pub(super) fn policy(&self) -> FetchPolicy {
        FetchPolicy::new().allow_private(&self.origin()).unwrap()
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.seen.requests.lock().unwrap().clone()
    }

    pub(super) fn go_on(&self) {
        self.seen.go_on.add_permits(1);
    }

    pub(super) async fn was_asked(&self) {
        self.seen.asked.acquire().await.unwrap().forget();
    }

    pub(super) async fn was_left(&self) {
        self.seen.left.acquire().await.unwrap().forget();
    }
}

pub(super) fn json_answer(status: u16, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "HTTP/1.1 {status} Said\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

async fn answer(mut stream: TcpStream, acts: Vec<Act>, seen: Arc<Seen>) {
    let request = request(&mut stream).await;
    seen.requests.lock().unwrap().push(request);
    seen.asked.add_permits(1);
    for act in acts {
        match act {
            Act::Send(text) => stream.write_all(text.as_bytes()).await.unwrap(),
            Act::WaitToGoOn => {
                let mut rest = [0];
                tokio::select! {
                    () = async { seen.go_on.acquire().await.unwrap().forget() } => {}
                    _ = stream.read(&mut rest) => return seen.left.add_permits(1),
                }
            }
        }
    }
}

/// A request whose body is one JSON object.
async fn request(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"}") {
        if stream.read_buf(&mut text).await.unwrap() == 0 {
            break;
        }
    }
    String::from_utf8(text).unwrap()
}
