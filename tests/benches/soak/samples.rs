//! Memory over time.

use super::{Failure, conversation::Counts, heap};
use std::{fs, time::Duration};
use tokio::time::{Instant, interval};

/// What was seen over a short while.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Seconds since the start.
    pub(crate) at: f64,
    /// Bytes of live heap, on average: from moment to moment it depends on what is under way.
    pub(crate) live: f64,
    /// Bytes that the process holds of the machine's memory.
    pub(crate) resident: f64,
    /// Requests so far.
    pub(crate) requests: u64,
}

/// How often the live heap is looked at.
const LOOK: Duration = Duration::from_millis(25);

/// Takes samples for so long.
///
/// # Errors
///
/// The system does not tell what the process holds.
pub(crate) async fn take(
    length: Duration,
    every: Duration,
    counts: &Counts,
) -> Result<Vec<Sample>, Failure> {
    let started = Instant::now();
    let mut samples = Vec::with_capacity(512);
    while started.elapsed() < length {
        let live = average(every).await;
        let (at, requests) = (started.elapsed().as_secs_f64(), counts.requests());
        samples.push(Sample {
            at,
            live,
            resident: resident()?,
            requests,
        });
    }
    Ok(samples)
}

async fn average(over: Duration) -> f64 {
    let (until, mut looks, mut sum) = (Instant::now() + over, 0.0, 0.0);
    let mut ticks = interval(LOOK);
    loop {
        ticks.tick().await;
        sum += heap::live() as f64;
        looks += 1.0;
        if Instant::now() >= until {
            return sum / looks;
        }
    }
}

fn resident() -> Result<f64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or("the system tells no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? * 1024.0)
}

/// The samples as a table.
pub(crate) fn as_csv(samples: &[Sample]) -> String {
    let rows = samples.iter().map(
        |Sample {
             at,
             live,
             resident,
             requests,
         }| format!("{at:.1},{live:.0},{resident:.0},{requests}\n"),
    );
    std::iter::once("seconds,live_heap_bytes,resident_bytes,requests\n".to_owned())
        .chain(rows)
        .collect()
}
