//! The connection to the Redis server. A background task makes it, and makes it again after a loss.
//! Callers wait only if an answer is likely to come soon.

use redis::{
    AsyncConnectionConfig, Client, FromRedisValue, Pipeline, RedisError, RedisResult,
    aio::MultiplexedConnection,
};
use std::{
    io,
    sync::{
        Arc, Weak,
        atomic::{
            AtomicBool,
            Ordering::{AcqRel, Release},
        },
    },
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

/// The time limit for connecting, and for the answer that confirms the connection.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(200);
/// The first and the longest pause between attempts to reach a lost server. The pause doubles in
/// between. Together with the attempt itself, the longest pause stays well below a second.
const PAUSES: (Duration, Duration) = (Duration::from_millis(25), Duration::from_millis(200));

/// The purpose of a connection, with its time limit and the texts of its log messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionPurpose {
    /// The time limit for an answer. A server that takes longer counts as down.
    pub(super) answer: Duration,
    /// True if answers are so large that a late answer does not mean that the server is down.
    pub(super) is_bulky: bool,
    /// The data that replicas share through the connection, for the log.
    pub(super) shared: &'static str,
    /// The behavior while the server is down, for the log.
    pub(super) meanwhile: &'static str,
}

/// A connection that is restored after each loss.
pub(super) struct RedisConnection {
    client: Client,
    purpose: ConnectionPurpose,
    state: watch::Sender<RedisState>,
    /// True while a task is trying to connect.
    is_trying: AtomicBool,
}

#[derive(Clone)]
enum RedisState {
    /// Not yet tried, or the connection broke. The server may answer in a moment, so callers wait
    /// briefly.
    Unknown,
    Up(Arc<MultiplexedConnection>),
    /// An attempt failed. Callers do not wait; the attempts go on.
    Down,
}

impl RedisState {
    fn connection(&self) -> Option<Arc<MultiplexedConnection>> {
        match self {
            Self::Up(connection) => Some(connection.clone()),
            Self::Unknown | Self::Down => None,
        }
    }
}

impl RedisConnection {
    pub(super) fn new(client: Client, purpose: ConnectionPurpose) -> Arc<Self> {
        Arc::new(Self {
            client,
            purpose,
            state: watch::Sender::new(RedisState::Unknown),
            is_trying: AtomicBool::new(false),
        })
    }

    /// Sends commands as one pipeline and reads their answers. The commands are sent twice if the
    /// connection broke.
    pub(super) async fn query<T: FromRedisValue>(
        self: &Arc<Self>,
        commands: &Pipeline,
    ) -> RedisResult<T> {
        let connection = self.connection().await?;
        match commands.query_async(&mut connection.as_ref().clone()).await {
            // Not sent again: the server may still execute the command, and the caller has waited
            // long enough.
            Err(error) if error.is_timeout() => {
                self.abandon(&connection, self.state_after_timeout().await);
                Err(error)
            }
            // A broken connection fails at once, so a second attempt fits into the caller's time.
            // The commands are written so that repeating them does no harm.
            Err(error) if error.is_unrecoverable_error() => {
                self.abandon(&connection, RedisState::Unknown);
                commands
                    .query_async(&mut self.connection().await?.as_ref().clone())
                    .await
            }
            answer => answer,
        }
    }

    async fn connection(self: &Arc<Self>) -> RedisResult<Arc<MultiplexedConnection>> {
        let mut state = self.state.subscribe();
        if !matches!(*state.borrow(), RedisState::Up(_)) {
            self.keep_trying();
        }
        // `Down` ends the wait at once. Only `Unknown` is waited for, and no longer than an attempt
        // may take.
        let settled = timeout(
            CONNECT_TIMEOUT,
            state.wait_for(|state| !matches!(state, RedisState::Unknown)),
        )
        .await;
        match settled {
            Ok(Ok(state)) => state.connection().ok_or_else(unreachable),
            _ => Err(unreachable()),
        }
    }

    /// Returns the state after an answer did not come in time. For bulky answers, it tries a new
    /// connection: other callers then need not wait behind a large answer, and requests in progress
    /// keep the old connection.
    async fn state_after_timeout(&self) -> RedisState {
        if !self.purpose.is_bulky {
            return RedisState::Down;
        }
        self.connect_once()
            .await
            .map_or(RedisState::Down, |connection| {
                RedisState::Up(Arc::new(connection))
            })
    }

    /// Gives up this connection, unless another one has already replaced it.
    fn abandon(self: &Arc<Self>, lost: &Arc<MultiplexedConnection>, then: RedisState) {
        let is_gone = then.connection().is_none();
        // Requests that fail together all report the same connection. Only the first one changes
        // the state.
        let is_current = |state: &RedisState| matches!(state, RedisState::Up(current) if Arc::ptr_eq(current, lost));
        let was_current = self.state.send_if_modified(|state| {
            let is_current = is_current(state);
            if is_current {
                *state = then;
            }
            is_current
        });
        if was_current && is_gone {
            tracing::warn!("redis connection lost: {}", self.purpose.meanwhile);
            self.keep_trying();
        }
    }

    /// Starts the task that connects, unless it runs already.
    pub(super) fn keep_trying(self: &Arc<Self>) {
        if !self.is_trying.swap(true, AcqRel) {
            tokio::spawn(keep_connecting(ReconnectTask(Arc::downgrade(self))));
        }
    }

    async fn connect_once(&self) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(self.purpose.answer));
        let mut connection = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        // A server that hangs still accepts connections, and a server that loads its data from disk
        // rejects commands. Only an answer proves that it is usable.
        timeout(
            CONNECT_TIMEOUT,
            redis::cmd("PING").exec_async(&mut connection),
        )
        .await
        .map_err(|_| unreachable())??;
        Ok(connection)
    }

    fn record_outcome(&self, outcome: RedisResult<MultiplexedConnection>) -> bool {
        match outcome {
            Ok(connection) => {
                tracing::info!("redis connected: replicas share {}", self.purpose.shared);
                self.state
                    .send_replace(RedisState::Up(Arc::new(connection)));
                true
            }
            Err(error) => {
                // One warning for each outage, not one for each attempt.
                if !matches!(self.state.send_replace(RedisState::Down), RedisState::Down) {
                    tracing::warn!(%error, "redis cannot be reached: {}", self.purpose.meanwhile);
                }
                false
            }
        }
    }
}

/// Guard of the task that connects. Another task may start when it is dropped, even after a panic.
struct ReconnectTask(Weak<RedisConnection>);

impl Drop for ReconnectTask {
    fn drop(&mut self) {
        if let Some(connection) = self.0.upgrade() {
            connection.is_trying.store(false, Release);
        }
    }
}

async fn keep_connecting(trying: ReconnectTask) {
    let (mut pause, longest) = PAUSES;
    // The task holds a weak reference, so that it ends when the connection is dropped.
    while let Some(connection) = trying.0.upgrade() {
        let outcome = connection.connect_once().await;
        if connection.record_outcome(outcome) {
            return;
        }
        // Without the strong reference during the pause, dropping the last store ends this task.
        drop(connection);
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

fn unreachable() -> RedisError {
    io::Error::new(io::ErrorKind::NotConnected, "redis cannot be reached").into()
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::expect_used,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use tokio::{
        io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
        net::{TcpListener, TcpStream},
    };

    /// Answers all commands but `SLOW`, one after the other.
    async fn answer(client: TcpStream) {
        let mut lines = BufReader::new(client);
        let mut line = String::new();
        while lines
            .read_line(&mut line)
            .await
            .is_ok_and(|bytes| bytes > 0)
        {
            // Each command begins with the number of its words, followed by the words with their
            // lengths.
            if let Some(words) = line.strip_prefix('*') {
                let words: usize = words.trim().parse().unwrap();
                let mut command = String::new();
                for _ in 0..2 * words {
                    lines.read_line(&mut command).await.unwrap();
                }
                if !command.contains("SLOW") {
                    lines.write_all(b"+OK\r\n").await.unwrap();
                }
            }
            line.clear();
        }
    }

    async fn server() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(answer(client));
            }
        });
        url
    }

    async fn says_ok(connection: &Arc<RedisConnection>, command: &str) -> bool {
        let mut commands = Pipeline::new();
        commands.cmd(command);
        connection.query::<(String,)>(&commands).await.is_ok()
    }

    #[tokio::test]
    async fn a_large_answer_that_is_late_fails_alone() {
        let url = server().await;
        for is_bulky in [true, false] {
            let purpose = ConnectionPurpose {
                answer: Duration::from_millis(100),
                is_bulky,
                shared: "tests",
                meanwhile: "nothing",
            };
            let connection = RedisConnection::new(Client::open(&*url).unwrap(), purpose);
            assert!(says_ok(&connection, "QUICK").await);
            assert!(!says_ok(&connection, "SLOW").await);
            assert_eq!(
                says_ok(&connection, "QUICK").await,
                is_bulky,
                "others find the server there at once"
            );
        }
    }
}
