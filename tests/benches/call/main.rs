//! What a call costs through pd-runtime, beside rmcp alone; and what a description costs, beside a constant text.
//!
//! ```text
//! cargo bench -p pd-tests --bench call                      # medians in µs, ratios, PASS or FAIL for each target
//! cargo bench -p pd-tests --bench call -- --quick           # a tenth of the rounds
//! cargo bench -p pd-tests --bench call -- --strict          # fails where a target is missed
//! cargo bench -p pd-tests --bench call -- --instructions    # the same table in instructions, which noise cannot touch
//! ```
//!
//! Everyone serves the same tool over memory to a real rmcp client, on one thread, and takes turns in small batches
//! within one run, so that noise hits all alike. A ratio is the median of the ratios of batches that ran side by side.
//!
//! `--instructions` runs this binary under valgrind, once for each figure. To see where the instructions go, profile
//! one contestant:
//!
//! ```text
//! export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="valgrind --tool=callgrind --collect-atstart=no --toggle-collect=*measured*"
//! cargo bench -p pd-tests --bench call -- --count session 30
//! callgrind_annotate callgrind.out.*
//! ```
//!
//! valgrind knows no SHA instructions, so that tickets cost more there than on the machine.

mod constant;
mod contestant;
mod instructions;
mod line;
mod names;
mod options;
mod plain;
mod race;
mod report;
mod sizes;
mod tools;

use options::{Mode, Options};
use report::Report;
use sizes::SIZES;
use tokio::runtime::{Builder, Runtime};

/// Whatever went wrong; the bench ends with it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let report = match options.mode {
        Mode::Race { rounds } => {
            let figures = SIZES.map(|tools| race::run(&runtime()?, tools, rounds));
            Report::new("µs", figures.into_iter().collect::<Result<_, _>>()?)
        }
        Mode::Instructions => {
            let figures = SIZES.map(instructions::count_all);
            Report::new(
                "thousand instructions",
                figures.into_iter().collect::<Result<_, _>>()?,
            )
        }
        Mode::Count { contestant, tools } => {
            return instructions::run_counted(&runtime()?, contestant, tools);
        }
    };
    print!("{report}");
    if options.strict && !report.all_pass() {
        Err("a target was missed".into())
    } else {
        Ok(())
    }
}

/// One thread: what is compared is work, not scheduling.
fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}
