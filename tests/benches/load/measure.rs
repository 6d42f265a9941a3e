//! The steps that each side goes through, and what is measured at each.

use super::{
    Failure,
    constant::Constant,
    heap,
    names::with_names,
    options::Size,
    over_http::{
        client::{Client, Era},
        connection::Connection,
        server,
    },
    tools::{Tools, tools},
    wave::{READ, Wave},
};
use pd_runtime::{PdServer, serve::HttpOptions};
use serde::{Deserialize, Serialize};
use std::{
    env,
    process::{Command, Stdio},
    str::FromStr,
    sync::Arc,
    time::Duration,
};
use tokio::time::sleep;

with_names! { 30 => tools! { thirty; } }

/// What is let go of in the background is let go of within this.
const SETTLED: Duration = Duration::from_secs(2);

/// Which server the sessions are open on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Ours,
    /// rmcp alone, with the same descriptions as constant texts.
    Plain,
}

/// Bytes of live heap.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    /// Before the first session.
    pub(crate) before: usize,
    /// With the first wave open and its descriptions read.
    pub(crate) opened: usize,
    /// With the first wave closed.
    pub(crate) closed: usize,
    /// The most during the first wave, and during the second.
    pub(crate) peaks: [usize; 2],
}

impl FromStr for Side {
    type Err = Failure;

    fn from_str(name: &str) -> Result<Self, Failure> {
        match name {
            "ours" => Ok(Self::Ours),
            "plain" => Ok(Self::Plain),
            _ => Err("`--measure` takes `ours` or `plain`".into()),
        }
    }
}

/// What a process of its own measures on this side.
///
/// # Errors
///
/// It failed.
pub(crate) fn of(side: Side, size: Size) -> Result<Figures, Failure> {
    let mut command = Command::new(env::current_exe()?);
    command.args([
        "--measure",
        if matches!(side, Side::Ours) {
            "ours"
        } else {
            "plain"
        },
    ]);
    command.args([
        "--sessions",
        &size.sessions.to_string(),
        "--connections",
        &size.connections.to_string(),
    ]);
    let output = command.stderr(Stdio::inherit()).output()?;
    if output.status.success() {
        Ok(serde_json::from_slice(&output.stdout)?)
    } else {
        Err("a side failed".into())
    }
}

/// Goes through all the steps.
///
/// # Errors
///
/// A request failed.
pub(crate) async fn run(side: Side, size: Size) -> Result<Figures, Failure> {
    allow_files()?;
    let url = serve(side).await?;
    let mut wave = Wave::connect(&url, size).await?;
    // What the first sessions leave behind for good is no session's.
    wave.open(size.connections).await?;
    wave.close().await?;
    sleep(SETTLED).await;
    let before = heap::live();

    let (opened, first) = opened(&mut wave, size).await?;
    if matches!(side, Side::Ours) {
        wave.call().await?;
    }
    wave.close().await?;
    sleep(SETTLED).await;
    let closed = heap::live();

    let (_, second) = self::opened(&mut wave, size).await?;
    wave.close().await?;
    Ok(Figures {
        before,
        opened,
        closed,
        peaks: [first, second],
    })
}

/// Opens a wave; gives back the live heap then, and its peak.
async fn opened(wave: &mut Wave, size: Size) -> Result<(usize, usize), Failure> {
    heap::forget_peak();
    wave.open(size.sessions).await?;
    sleep(SETTLED).await;
    Ok((heap::live(), heap::peak()))
}

async fn serve(side: Side) -> Result<String, Failure> {
    let ours = PdServer::builder(thirty::Plain::registry(), ())
        .listing(pd_runtime::Listing::Minimal)
        .limits(server::unreached())
        .build()?;
    let url = server::ours(&ours, HttpOptions::default()).await?;
    match side {
        Side::Ours => Ok(url),
        Side::Plain => {
            let mut connection = Connection::open(&url).await?;
            let mut client = Client::open(Era::Session, None, &mut connection).await?;
            let text = client.describe(READ[0], &mut connection).await?;
            client.close(&mut connection).await?;
            let constant = Arc::new(Constant(text));
            server::plain(move || constant.clone()).await
        }
    }
}

/// As many open files as the system lets us have: a connection takes two, since both its ends are ours.
#[cfg(unix)]
fn allow_files() -> Result<(), Failure> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    Ok(setrlimit(Resource::RLIMIT_NOFILE, most, most)?)
}

#[cfg(not(unix))]
fn allow_files() -> Result<(), Failure> {
    Ok(())
}
