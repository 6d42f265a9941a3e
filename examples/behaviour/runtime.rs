//! What serves a model on this machine: started, waited for, and ended with the run.

use super::Failure;
use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// How long a model may take to load.
const LOADING: Duration = Duration::from_secs(300);
const MOMENT: Duration = Duration::from_millis(250);

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
        let filled = |word: &str| word.replace("{model}", model).replace("{port}", &port.to_string());
        let mut words = command.split_whitespace().map(filled);
        let program = words.next().ok_or("--runtime is empty; it takes a command such as llama-server")?;
        let mut starting = Command::new(&program);
        starting.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = starting
            .spawn()
            .map_err(|error| format!("{program} does not start ({error}); name another runtime with --runtime"))?;
        let mut runtime = Self { process, url: format!("http://127.0.0.1:{port}") };
        runtime.ready().await?;
        Ok(runtime)
    }

    /// Where it serves.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    async fn ready(&mut self) -> Result<(), Failure> {
        let (began, health) = (Instant::now(), format!("{}/health", self.url));
        while began.elapsed() < LOADING {
            if let Some(status) = self.process.try_wait()? {
                return Err(format!("the runtime ended with {status}; try its command by hand").into());
            }
            if reqwest::get(&health).await.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            tokio::time::sleep(MOMENT).await;
        }
        Err(format!("the runtime did not serve within {} seconds", LOADING.as_secs()).into())
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
