//! Many sessions at once, over few connections.

use super::{
    Failure,
    options::Size,
    over_http::{
        client::{Client, Era},
        connection::Connection,
    },
    tools::{ANSWER, arguments},
};
use futures::future::try_join_all;
use serde_json::Value;

/// The tools whose descriptions every session reads.
pub(crate) const READ: [&str; 5] = ["t000", "t001", "t002", "t003", "t004"];

/// The connections, and the sessions that are open on each.
pub(crate) struct Wave(Vec<Line>);

struct Line {
    connection: Connection,
    sessions: Vec<Client>,
}

impl Wave {
    /// The connections; no session yet. Memory for as many is set aside.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub(crate) async fn connect(url: &str, size: Size) -> Result<Self, Failure> {
        let mut lines = Vec::with_capacity(size.connections);
        for _ in 0..size.connections {
            let sessions = Vec::with_capacity(size.sessions.div_ceil(size.connections));
            lines.push(Line {
                connection: Connection::open(url).await?,
                sessions,
            });
        }
        Ok(Self(lines))
    }

    /// Opens so many sessions, each of which reads the descriptions one by one.
    ///
    /// # Errors
    ///
    /// A request failed.
    pub(crate) async fn open(&mut self, sessions: usize) -> Result<(), Failure> {
        let lines = self.0.len();
        let shares = (0..lines).map(|line| (sessions + line) / lines);
        let opening = self
            .0
            .iter_mut()
            .zip(shares)
            .map(|(line, share)| line.open(share));
        try_join_all(opening).await.map(drop)
    }

    /// Lets every session call one of the tools that it has read about.
    ///
    /// # Errors
    ///
    /// A call was refused, or failed.
    pub(crate) async fn call(&mut self) -> Result<(), Failure> {
        try_join_all(self.0.iter_mut().map(Line::call))
            .await
            .map(drop)
    }

    /// Closes all sessions.
    ///
    /// # Errors
    ///
    /// The server lost one.
    pub(crate) async fn close(&mut self) -> Result<(), Failure> {
        try_join_all(self.0.iter_mut().map(Line::close))
            .await
            .map(drop)
    }
}

impl Line {
    async fn open(&mut self, sessions: usize) -> Result<(), Failure> {
        for _ in 0..sessions {
            let mut client = Client::open(Era::Session, None, &mut self.connection).await?;
            for tool in READ {
                client.describe(tool, &mut self.connection).await?;
            }
            self.sessions.push(client);
        }
        Ok(())
    }

    async fn call(&mut self) -> Result<(), Failure> {
        for (client, tool) in self.sessions.iter_mut().zip(READ.into_iter().cycle()) {
            let result = client
                .call(tool, Value::Object(arguments()), &mut self.connection)
                .await?;
            if result.pointer("/content/0/text") != Some(&Value::from(ANSWER)) {
                return Err(format!("a call was answered {result}").into());
            }
        }
        Ok(())
    }

    async fn close(&mut self) -> Result<(), Failure> {
        for client in self.sessions.drain(..) {
            client.close(&mut self.connection).await?;
        }
        Ok(())
    }
}
