//! A Redis server of its own for each test: a process that can be killed, started again, and made to hang.

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// The program that `build.rs` found.
const SERVER: Option<&str> = option_env!("REDIS_SERVER");

/// A server that ends when it is dropped.
pub(crate) struct Redis {
    program: PathBuf,
    port: u16,
    directory: TempDir,
    process: Child,
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Redis {
    /// Starts a server. Tests that call this are ignored where `build.rs` finds no server.
    pub(crate) async fn start() -> Self {
        let Some(program) = SERVER.map(PathBuf::from) else {
            panic!("`just redis` fetches a Redis server")
        };
        let directory = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let process = spawn(&program, port, directory.path());
        let redis = Self {
            program,
            port,
            directory,
            process,
        };
        redis.answers().await;
        redis
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    /// It is gone at once, with all it knew.
    pub(crate) fn kill(&mut self) {
        // A hanging process dies, too.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Starts it again, empty.
    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.program, self.port, self.directory.path());
    }

    /// It takes connections and answers nothing.
    pub(crate) fn hang(&self) {
        self.signal(Signal::SIGSTOP);
    }

    pub(crate) fn go_on(&self) {
        self.signal(Signal::SIGCONT);
    }

    fn signal(&self, signal: Signal) {
        kill(
            Pid::from_raw(i32::try_from(self.process.id()).unwrap()),
            signal,
        )
        .unwrap();
    }

    /// All keys, and how long each lives yet.
    pub(crate) async fn keys(&self) -> Vec<(String, i64)> {
        let mut connection = self.connection().await.unwrap();
        let names: Vec<String> = redis::cmd("KEYS")
            .arg("*")
            .query_async(&mut connection)
            .await
            .unwrap();
        let mut keys = Vec::new();
        for name in names {
            let life: i64 = redis::cmd("PTTL")
                .arg(&name)
                .query_async(&mut connection)
                .await
                .unwrap();
            keys.push((name, life));
        }
        keys
    }

    /// How many commands it has run.
    pub(crate) async fn commands(&self) -> u64 {
        let mut connection = self.connection().await.unwrap();
        let stats: String = redis::cmd("INFO")
            .arg("stats")
            .query_async(&mut connection)
            .await
            .unwrap();
        let line = stats
            .lines()
            .find_map(|line| line.strip_prefix("total_commands_processed:"))
            .unwrap();
        line.trim().parse().unwrap()
    }

    /// The answer to any command.
    pub(crate) async fn ask<T: redis::FromRedisValue>(&self, command: &[&[u8]]) -> T {
        let (name, arguments) = command.split_first().unwrap();
        let mut asked = redis::cmd(std::str::from_utf8(name).unwrap());
        for argument in arguments {
            asked.arg(*argument);
        }
        asked
            .query_async(&mut self.connection().await.unwrap())
            .await
            .unwrap()
    }

    /// A number from `INFO`.
    pub(crate) async fn number(&self, section: &str, name: &str) -> u64 {
        let info: String = self.ask(&[b"INFO", section.as_bytes()]).await;
        let line = info
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .unwrap();
        line.trim().parse().unwrap()
    }

    async fn connection(&self) -> redis::RedisResult<redis::aio::MultiplexedConnection> {
        redis::Client::open(self.url())
            .unwrap()
            .get_multiplexed_async_connection()
            .await
    }

    async fn answers(&self) {
        for _ in 0..2_000 {
            if let Ok(mut connection) = self.connection().await
                && redis::cmd("PING").exec_async(&mut connection).await.is_ok()
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("redis-server does not answer");
    }
}

fn spawn(program: &Path, port: u16, directory: &Path) -> Child {
    Command::new(program)
        .args([
            "--bind",
            "127.0.0.1",
            "--port",
            &port.to_string(),
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
        ])
        .arg(directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

#[test]
fn continuous_integration_has_a_server() {
    assert!(
        cfg!(redis_server) || std::env::var_os("CI").is_none(),
        "`just redis` fetches a Redis server"
    );
}
