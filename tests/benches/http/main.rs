//! How many calls a second a server answers over HTTP, beside rmcp alone, the two-stage server of the implementation guide
//! in Python, and a plain server on the TypeScript SDK.
//!
//! ```text
//! cargo bench -p pd-tests --bench http                # medians, ratios, PASS or FAIL for each target; about two minutes
//! cargo bench -p pd-tests --bench http -- --quick     # a tenth of the rounds
//! cargo bench -p pd-tests --bench http -- --rust      # ours and rmcp alone: half a minute
//! cargo bench -p pd-tests --bench http -- --strict    # fails where a target is missed
//! cargo bench -p pd-tests --bench http -- --serve ours    # one of ours as a process, for a profiler; likewise `plain`
//! ```
//!
//! Each server is a process of its own. The same client calls the same tool on all of them, described before where that is
//! asked for, over some connections that are kept. They take turns in small batches within one run, so that noise hits
//! all alike; a ratio is the median of the ratios of batches that ran side by side. Figures "per core" are calls by the CPU
//! time that the server's process took, whatever the machine did meanwhile.
//!
//! What the servers of other languages need is installed once, under `~/.cache/pd-bench`.

mod contestant;
mod options;
mod process;
mod race;
mod report;
mod serving;
mod theirs;

#[path = "../call/names.rs"]
mod names;
#[path = "../over_http/mod.rs"]
mod over_http;
#[path = "../call/plain.rs"]
mod plain;
#[allow(dead_code, reason = "one name is enough here")]
#[path = "../call/tools.rs"]
mod tools;

use options::{Mode, Options};
use over_http::Failure;
use tokio::runtime::Builder;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    match options.mode {
        // As `#[tokio::main]` would have it.
        Mode::Serve(who) => Builder::new_multi_thread()
            .enable_all()
            .build()?
            .block_on(serving::serve(who)),
        Mode::Race { rounds, everyone } => {
            let report = Builder::new_current_thread()
                .enable_all()
                .build()?
                .block_on(race::run(rounds, everyone))?;
            print!("{report}");
            if options.strict && !report.all_pass() {
                Err("a target was missed".into())
            } else {
                Ok(())
            }
        }
    }
}
