//! Measuring: everyone takes turns.

use super::{
    Failure,
    contestant::Contestant,
    over_http::{
        client::{Client, Prepared},
        connection::Connection,
    },
    process::Process,
    report::{Report, Samples},
    serving::TOOL,
    tools::{ANSWER, arguments},
};
use futures::future::try_join_all;
use serde_json::{Value, json};
use std::time::Instant;

/// Connections that are kept to each server, each with one call under way: enough to keep two cores busy.
const CONNECTIONS: usize = 8;
/// Calls on each connection before each batch that are not counted: sessions are new, and caches cold.
const WARM_UP: u64 = 4;

/// A contestant with what it keeps from turn to turn.
struct Player {
    contestant: Contestant,
    process: Process,
    connections: Vec<Connection>,
    samples: Samples,
}

/// What everyone achieves.
pub(crate) async fn run(rounds: usize) -> Result<Report, Failure> {
    let mut players = Vec::new();
    for contestant in Contestant::ALL {
        players.push(Player::start(contestant).await?);
    }
    for _ in 0..rounds {
        for player in &mut players {
            let turn = player.turn().await;
            turn.map_err(|error| format!("{}: {error}", player.contestant.name()))?;
        }
    }
    Ok(Report::new(players.into_iter().map(|player| player.samples).collect()))
}

impl Player {
    async fn start(contestant: Contestant) -> Result<Self, Failure> {
        let process = contestant.start()?;
        let connections = try_join_all((0..CONNECTIONS).map(|_| Connection::open(&process.url))).await?;
        Ok(Self { contestant, process, connections, samples: Samples::of(contestant) })
    }

    /// Opens a client on each connection, times a batch of calls, and closes the clients.
    async fn turn(&mut self) -> Result<(), Failure> {
        let opening = self.connections.iter_mut().map(|connection| Caller::open(self.contestant, connection));
        let mut callers = try_join_all(opening).await?;
        try_join_all(callers.iter_mut().map(|caller| caller.call(WARM_UP))).await?;
        let (started, before) = (Instant::now(), self.process.spent()?);
        try_join_all(callers.iter_mut().map(|caller| caller.call(self.contestant.batch()))).await?;
        let (elapsed, spent) = (started.elapsed().as_secs_f64(), self.process.spent()? - before);
        try_join_all(callers.into_iter().map(Caller::close)).await?;
        let calls = (CONNECTIONS as u64 * self.contestant.batch()) as f64;
        self.samples.wall.push(calls / elapsed);
        self.samples.core.push(calls / spent);
        Ok(())
    }
}

/// A client about to call the tool on its connection.
struct Caller<'a> {
    client: Client,
    connection: &'a mut Connection,
    request: Prepared,
    next_id: u64,
}

impl<'a> Caller<'a> {
    async fn open(contestant: Contestant, connection: &'a mut Connection) -> Result<Self, Failure> {
        let mut client = Client::open(contestant.era(), None, connection).await?;
        let mut arguments = arguments();
        if contestant.is_gated() {
            let description: Value = serde_json::from_str(&client.describe(TOOL, connection).await?)?;
            let ticket = description.pointer(&format!("/{TOOL}/inputSchema/properties/disclosure_ticket/const"));
            arguments.extend(ticket.map(|ticket| ("disclosure_ticket".to_owned(), ticket.clone())));
        }
        let request = client.prepare("tools/call", json!({ "name": TOOL, "arguments": arguments }))?;
        Ok(Self { client, connection, request, next_id: 100 })
    }

    /// Calls so often, one call after another.
    async fn call(&mut self, times: u64) -> Result<(), Failure> {
        for _ in 0..times {
            let answer = self.request.send(self.next_id, self.connection).await?;
            self.next_id += 1;
            let text = answer.text()?;
            if !text.contains(ANSWER) {
                return Err(format!("the call was answered {text}").into());
            }
        }
        Ok(())
    }

    async fn close(self) -> Result<(), Failure> {
        self.client.close(self.connection).await
    }
}
