//! Measuring by callgrind: the same on every machine and under any load.

use super::{
    Failure,
    contestant::Contestant,
    race::measured,
    report::{Figures, Samples},
};
use std::{env, process::Command};
use tokio::runtime::Runtime;

/// Requests that are counted; the profile holds nothing else.
const COUNTED: u32 = 200;

/// Everyone's thousand instructions a request, with this many tools.
pub(crate) fn count_all(tools: usize) -> Result<Figures, Failure> {
    let count = |contestant: Contestant| {
        let mut samples = Samples::of(contestant);
        samples.costs.push(count(contestant, tools)? / 1e3);
        Ok(samples)
    };
    let samples = Contestant::ALL
        .into_iter()
        .map(count)
        .collect::<Result<_, Failure>>()?;
    Ok(Figures { tools, samples })
}

/// Runs this binary under callgrind; gives back the instructions a request.
fn count(contestant: Contestant, tools: usize) -> Result<f64, Failure> {
    let output = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--collect-atstart=no",
            "--toggle-collect=*measured*",
        ])
        .arg("--callgrind-out-file=/dev/null")
        .arg(env::current_exe()?)
        .args(["--count", contestant.name(), &tools.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not run: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| {
        line.split_once("Collected : ")?
            .1
            .trim()
            .parse::<f64>()
            .ok()
    });
    match collected {
        Some(collected) if collected > 0.0 => Ok(collected / f64::from(COUNTED)),
        _ => Err(format!("callgrind counted nothing:\n{told}").into()),
    }
}

/// What runs under callgrind.
pub(crate) fn run_counted(
    runtime: &Runtime,
    contestant: Contestant,
    tools: usize,
) -> Result<(), Failure> {
    let line = runtime.block_on(contestant.connect(tools))?;
    measured(runtime, &line, COUNTED)
}
