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
/// Calls on each connection before each batch that are not counted: others have filled the caches.
const WARM_UP: u64 = 4;

/// A contestant with what it keeps from turn to turn.
struct Player {
    contestant: Contestant,
    process: Process,
    callers: Vec<Caller>,
    samples: Samples,
}

/// What everyone achieves, or those in Rust alone.
pub(crate) async fn run(rounds: usize, everyone: bool) -> Result<Report, Failure> {
    let mut players = Vec::new();
    for contestant in Contestant::ALL
        .into_iter()
        .filter(|one| everyone || one.is_in_rust())
    {
        players.push(Player::start(contestant).await?);
    }
    for _ in 0..rounds {
        for player in &mut players {
            let turn = player.turn().await;
            turn.map_err(|error| format!("{}: {error}", player.contestant.name()))?;
        }
    }
    Ok(Report::new(
        players.into_iter().map(|player| player.samples).collect(),
    ))
}

impl Player {
    async fn start(contestant: Contestant) -> Result<Self, Failure> {
        let process = contestant.start()?;
        let callers =
            try_join_all((0..CONNECTIONS).map(|_| Caller::open(contestant, &process.url))).await?;
        Ok(Self {
            contestant,
            process,
            callers,
            samples: Samples::of(contestant),
        })
    }

    /// Times a batch of calls.
    async fn turn(&mut self) -> Result<(), Failure> {
        self.call(WARM_UP).await?;
        let (started, before) = (Instant::now(), self.process.spent()?);
        self.call(self.contestant.batch()).await?;
        let (elapsed, spent) = (
            started.elapsed().as_secs_f64(),
            self.process.spent()? - before,
        );
        let calls = (CONNECTIONS as u64 * self.contestant.batch()) as f64;
        self.samples.wall.push(calls / elapsed);
        self.samples.core.push(calls / spent);
        Ok(())
    }

    async fn call(&mut self, times: u64) -> Result<(), Failure> {
        try_join_all(self.callers.iter_mut().map(|caller| caller.call(times)))
            .await
            .map(drop)
    }
}

/// A client about to call the tool on a connection of its own.
struct Caller {
    connection: Connection,
    request: Prepared,
    next_id: u64,
}

impl Caller {
    async fn open(contestant: Contestant, url: &str) -> Result<Self, Failure> {
        let mut connection = Connection::open(url).await?;
        let mut client = Client::open(contestant.era(), None, &mut connection).await?;
        let mut arguments = arguments();
        if contestant.is_gated() {
            let description: Value =
                serde_json::from_str(&client.describe(TOOL, &mut connection).await?)?;
            let ticket = description.pointer(&format!(
                "/{TOOL}/inputSchema/properties/disclosure_ticket/const"
            ));
            arguments.extend(ticket.map(|ticket| ("disclosure_ticket".to_owned(), ticket.clone())));
        }
        let request = client.prepare(
            "tools/call",
            json!({ "name": TOOL, "arguments": arguments }),
        )?;
        Ok(Self {
            connection,
            request,
            next_id: 100,
        })
    }

    /// Calls so often, one call after another.
    async fn call(&mut self, times: u64) -> Result<(), Failure> {
        for _ in 0..times {
            let answer = self
                .request
                .send(self.next_id, &mut self.connection)
                .await?;
            self.next_id += 1;
            let text = answer.text()?;
            if !text.contains(ANSWER) {
                return Err(format!("the call was answered {text}").into());
            }
        }
        Ok(())
    }
}
