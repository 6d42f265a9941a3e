//! Measuring by the clock: everyone takes turns.

use super::{
    Failure,
    contestant::Contestant,
    line::Line,
    report::{Figures, Samples},
};
use std::time::Instant;
use tokio::runtime::Runtime;

/// Requests in a row: enough to time, few enough that noise rarely falls into one contestant's turn only.
const BATCH: u32 = 32;
/// Requests before each batch that are not counted: whoever runs after a large contestant finds a cold cache.
const WARM_UP: u32 = 8;

/// Everyone's microseconds a request, with this many tools.
pub(crate) fn run(runtime: &Runtime, tools: usize, rounds: usize) -> Result<Figures, Failure> {
    let mut turns = Vec::new();
    for contestant in Contestant::ALL {
        turns.push((
            runtime.block_on(contestant.connect(tools))?,
            Samples::of(contestant),
        ));
    }
    for _ in 0..rounds {
        for (line, samples) in &mut turns {
            measured(runtime, line, WARM_UP)?;
            let started = Instant::now();
            measured(runtime, line, BATCH)?;
            samples
                .costs
                .push(started.elapsed().as_secs_f64() * 1e6 / f64::from(BATCH));
        }
    }
    Ok(Figures {
        tools,
        samples: turns.into_iter().map(|(_, samples)| samples).collect(),
    })
}

/// Sends the line's request so often. callgrind counts what happens in here, so this stays a function of its own.
#[inline(never)]
pub(crate) fn measured(runtime: &Runtime, line: &Line, times: u32) -> Result<(), Failure> {
    runtime.block_on(async {
        for _ in 0..times {
            std::hint::black_box(line.send().await?);
        }
        Ok(())
    })
}
