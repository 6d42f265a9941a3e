//! The connection to the server: made in the background, again whenever it was lost, and waited for only where that is worth it.

use redis::{
    AsyncConnectionConfig, Client, FromRedisValue, Pipeline, RedisError, RedisResult, aio::MultiplexedConnection,
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

/// How long it may take to connect, and to say so that one is there.
const CONNECT: Duration = Duration::from_millis(200);
/// Pauses between attempts to reach a server that is gone: from the first to the last, doubling. With an attempt's own time the
/// last is well within a second.
const PAUSES: (Duration, Duration) = (Duration::from_millis(25), Duration::from_millis(200));

/// What a connection is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    /// How long the server may take to answer. One that takes longer counts as gone.
    pub(super) answer: Duration,
    /// Whether an answer may be late only because it is large, and the server there all the same.
    pub(super) is_bulky: bool,
    /// What replicas share by it, for the log.
    pub(super) shared: &'static str,
    /// How things are while it is gone.
    pub(super) meanwhile: &'static str,
}

/// A connection that comes and goes.
pub(super) struct Link {
    client: Client,
    purpose: Purpose,
    state: watch::Sender<State>,
    /// Whether a task tries to connect.
    is_trying: AtomicBool,
}

#[derive(Clone)]
enum State {
    /// Not tried since it began, or since the connection broke: it may be there in a moment.
    Unknown,
    Up(Arc<MultiplexedConnection>),
    /// Tried in vain. Nobody waits; the attempts go on.
    Down,
}

impl State {
    fn connection(&self) -> Option<Arc<MultiplexedConnection>> {
        match self {
            Self::Up(connection) => Some(connection.clone()),
            Self::Unknown | Self::Down => None,
        }
    }
}

impl Link {
    pub(super) fn new(client: Client, purpose: Purpose) -> Arc<Self> {
        Arc::new(Self { client, purpose, state: watch::Sender::new(State::Unknown), is_trying: AtomicBool::new(false) })
    }

    /// Sends commands, all at once, and reads their answers. They may be sent twice, where the connection broke.
    pub(super) async fn query<T: FromRedisValue>(self: &Arc<Self>, commands: &Pipeline) -> RedisResult<T> {
        let connection = self.connection().await?;
        match commands.query_async(&mut connection.as_ref().clone()).await {
            Err(error) if error.is_timeout() => {
                self.lose(&connection, self.state_after_timeout().await);
                Err(error)
            }
            Err(error) if error.is_unrecoverable_error() => {
                self.lose(&connection, State::Unknown);
                commands.query_async(&mut self.connection().await?.as_ref().clone()).await
            }
            answer => answer,
        }
    }

    async fn connection(self: &Arc<Self>) -> RedisResult<Arc<MultiplexedConnection>> {
        let mut state = self.state.subscribe();
        if !matches!(*state.borrow(), State::Up(_)) {
            self.keep_trying();
        }
        let settled = timeout(CONNECT, state.wait_for(|state| !matches!(state, State::Unknown))).await;
        match settled {
            Ok(Ok(state)) => state.connection().ok_or_else(unreachable),
            _ => Err(unreachable()),
        }
    }

    /// How things are after an answer that did not come in time. Others need not wait behind one that is only large: they get a
    /// connection of their own, and those under way on the old one keep it.
    async fn state_after_timeout(&self) -> State {
        if !self.purpose.is_bulky {
            return State::Down;
        }
        self.attempt().await.map_or(State::Down, |connection| State::Up(Arc::new(connection)))
    }

    /// This connection is of no more use. Another one may have taken its place already.
    fn lose(self: &Arc<Self>, lost: &Arc<MultiplexedConnection>, then: State) {
        let is_gone = then.connection().is_none();
        let is_current = |state: &State| matches!(state, State::Up(current) if Arc::ptr_eq(current, lost));
        let was_current = self.state.send_if_modified(|state| {
            let is_current = is_current(state);
            if is_current {
                *state = then;
            }
            is_current
        });
        if was_current && is_gone {
            tracing::warn!("redis is gone: {}", self.purpose.meanwhile);
            self.keep_trying();
        }
    }

    /// Sees to it that somebody tries to connect.
    pub(super) fn keep_trying(self: &Arc<Self>) {
        if !self.is_trying.swap(true, AcqRel) {
            tokio::spawn(connect(Trying(Arc::downgrade(self))));
        }
    }

    async fn attempt(&self) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(self.purpose.answer));
        let mut connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        // A server that hangs still takes connections, and one that reads its data from disk refuses commands.
        timeout(CONNECT, redis::cmd("PING").exec_async(&mut connection)).await.map_err(|_| unreachable())??;
        Ok(connection)
    }

    fn record_outcome(&self, outcome: RedisResult<MultiplexedConnection>) -> bool {
        match outcome {
            Ok(connection) => {
                tracing::info!("redis is there: replicas share {}", self.purpose.shared);
                self.state.send_replace(State::Up(Arc::new(connection)));
                true
            }
            Err(error) => {
                if !matches!(self.state.send_replace(State::Down), State::Down) {
                    tracing::warn!(%error, "redis cannot be reached: {}", self.purpose.meanwhile);
                }
                false
            }
        }
    }
}

/// The task that tries; when it ends, in whatever way, another one may.
struct Trying(Weak<Link>);

impl Drop for Trying {
    fn drop(&mut self) {
        if let Some(link) = self.0.upgrade() {
            link.is_trying.store(false, Release);
        }
    }
}

async fn connect(trying: Trying) {
    let (mut pause, longest) = PAUSES;
    // Nobody has a use for the connection when the link is gone.
    while let Some(link) = trying.0.upgrade() {
        let outcome = link.attempt().await;
        if link.record_outcome(outcome) {
            return;
        }
        drop(link);
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

fn unreachable() -> RedisError {
    io::Error::new(io::ErrorKind::NotConnected, "redis cannot be reached").into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

    use super::*;
    use tokio::{
        io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
        net::{TcpListener, TcpStream},
    };

    /// Answers all commands but `SLOW`, one after the other.
    async fn answer(client: TcpStream) {
        let mut lines = BufReader::new(client);
        let mut line = String::new();
        while lines.read_line(&mut line).await.is_ok_and(|bytes| bytes > 0) {
            // Each command begins with how many words it has; the rest is their lengths and themselves.
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

    async fn says_ok(link: &Arc<Link>, command: &str) -> bool {
        let mut commands = Pipeline::new();
        commands.cmd(command);
        link.query::<(String,)>(&commands).await.is_ok()
    }

    #[tokio::test]
    async fn a_large_answer_that_is_late_fails_alone() {
        let url = server().await;
        for is_bulky in [true, false] {
            let purpose =
                Purpose { answer: Duration::from_millis(100), is_bulky, shared: "tests", meanwhile: "nothing" };
            let link = Link::new(Client::open(&*url).unwrap(), purpose);
            assert!(says_ok(&link, "QUICK").await);
            assert!(!says_ok(&link, "SLOW").await);
            assert_eq!(says_ok(&link, "QUICK").await, is_bulky, "others find the server there at once");
        }
    }
}
