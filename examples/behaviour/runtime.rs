//! What serves a model: a process that starts and ends with the run, or an endpoint that may still
//! load the model.

use super::Failure;
use reqwest::{Client, StatusCode};
use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long a model may take to load in a process that the run starts.
const LOADING: Duration = Duration::from_secs(300);
/// How long an endpoint may go on loading its model.
const ENDPOINT_LOADING: Duration = Duration::from_secs(120);
/// The pause between two questions for the health.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an answer about the health may take.
const ANSWER: Duration = Duration::from_secs(5);

/// A process that serves a model.
#[derive(Debug)]
pub(crate) struct Runtime {
    process: Child,
    url: String,
}

impl Runtime {
    /// Starts the command, in which `{model}` and `{port}` stand for what it serves and where.
    ///
    /// # Errors
    ///
    /// It does not start, ends, or does not serve in time.
    pub(crate) async fn start(command: &str, model: &str) -> Result<Self, Failure> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let filled = |word: &str| {
            word.replace("{model}", model)
                .replace("{port}", &port.to_string())
        };
        let mut words = command.split_whitespace().map(filled);
        let program = words
            .next()
            .ok_or("--runtime is empty; it takes a command such as llama-server")?;
        let mut starting = Command::new(&program);
        starting
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = starting.spawn().map_err(|error| {
            format!("{program} does not start ({error}); name another runtime with --runtime")
        })?;
        let mut runtime = Self {
            process,
            url: format!("http://127.0.0.1:{port}"),
        };
        runtime.ready().await?;
        Ok(runtime)
    }

    /// Where it serves.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    async fn ready(&mut self) -> Result<(), Failure> {
        let process = &mut self.process;
        poll_health(&self.url, LOADING, |health| match process.try_wait()? {
            Some(status) => {
                Err(format!("the runtime ended with {status}; try its command by hand").into())
            }
            None => Ok(health.is_ok_and(|status| status.is_success())),
        })
        .await
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits while this endpoint starts, when nothing accepts a connection, and while it loads its
/// model, which it reports by HTTP 503. Other answers are left to the first request, because an
/// endpoint need not have a page about its health.
///
/// # Errors
///
/// It does not start or load the model in time.
pub(crate) async fn until_loaded(endpoint: &str) -> Result<(), Failure> {
    let mut is_announced = false;
    poll_health(endpoint, ENDPOINT_LOADING, |health| {
        let obstacle = match health {
            Ok(StatusCode::SERVICE_UNAVAILABLE) => "loads its model (HTTP 503)",
            Err(error) if error.is_connect() => "accepts no connection",
            _ => return Ok(true),
        };
        if !is_announced {
            eprintln!(
                "{endpoint} {obstacle}: waiting for {} seconds at most",
                ENDPOINT_LOADING.as_secs()
            );
            is_announced = true;
        }
        Ok(false)
    })
    .await
}

/// Asks for the health of a server until `is_ready` accepts the answer, or that there is none.
async fn poll_health(
    url: &str,
    limit: Duration,
    mut is_ready: impl FnMut(reqwest::Result<StatusCode>) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (began, health) = (
        Instant::now(),
        format!("{}/health", url.trim_end_matches('/')),
    );
    let http = Client::builder().timeout(ANSWER).build()?;
    while began.elapsed() < limit {
        if is_ready(http.get(&health).send().await.map(|answer| answer.status()))? {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(format!(
        "{url} did not load its model within {} seconds; try again when {health} answers",
        limit.as_secs()
    )
    .into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    #[tokio::test]
    async fn an_endpoint_is_waited_for_while_it_answers_503() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/", listener.local_addr().unwrap());
        let server = async {
            // An endpoint without a page about its health loads nothing.
            for status in ["503 Service Unavailable", "404 Not Found"] {
                let (mut connection, _) = listener.accept().await.unwrap();
                let _ = connection.read(&mut [0; 4_096]).await.unwrap();
                let answer =
                    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                connection.write_all(answer.as_bytes()).await.unwrap();
            }
        };
        let (loaded, ()) = tokio::join!(until_loaded(&endpoint), server);
        loaded.unwrap();
    }

    #[tokio::test]
    async fn an_endpoint_is_waited_for_until_it_accepts_a_connection() {
        let address = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap()
            .local_addr()
            .unwrap();
        let endpoint = format!("http://{address}");
        let server = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let listener = TcpListener::bind(address).await.unwrap();
            let (mut connection, _) = listener.accept().await.unwrap();
            let _ = connection.read(&mut [0; 4_096]).await.unwrap();
            connection
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .await
                .unwrap();
        };
        // Without waiting, the server would never be asked.
        let both = async { tokio::join!(until_loaded(&endpoint), server) };
        let (loaded, ()) = tokio::time::timeout(ANSWER, both).await.unwrap();
        loaded.unwrap();
    }
}
