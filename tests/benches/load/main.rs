//! What ten thousand sessions hold in memory, each with five descriptions read, beside the same sessions with rmcp alone.
//!
//! ```text
//! cargo bench -p pd-tests --bench load                           # 10,000 sessions, twice; about a minute
//! cargo bench -p pd-tests --bench load -- --quick                # a tenth of the sessions
//! cargo bench -p pd-tests --bench load -- --connections 10000    # each session on a connection of its own, not 64 for all
//! cargo bench -p pd-tests --bench load -- --strict               # fails where a target is missed
//! ```
//!
//! Each side is a process of its own with server and client in it. In each, a wave of sessions opens and reads; ours then calls a
//! tool in every session; all are closed, and a second wave comes. Any error ends the bench. The client's share, the same few
//! hundred bytes on both sides, falls out of the difference.

mod heap;
mod measure;
mod options;
mod report;
mod wave;

#[path = "../call/constant.rs"]
mod constant;
#[path = "../call/names.rs"]
mod names;
#[path = "../over_http/mod.rs"]
mod over_http;
#[allow(dead_code, reason = "rmcp's tools are not called here")]
#[path = "../call/tools.rs"]
mod tools;

use measure::Side;
use options::{Mode, Options};
use over_http::Failure;
use report::Report;
use tokio::runtime::Runtime;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let size = options.size;
    match options.mode {
        Mode::Measure(side) => {
            let figures = Runtime::new()?.block_on(measure::run(side, size))?;
            println!("{}", serde_json::to_string(&figures)?);
            Ok(())
        }
        Mode::Compare => {
            let report = Report {
                size,
                ours: measure::of(Side::Ours, size)?,
                plain: measure::of(Side::Plain, size)?,
            };
            print!("{report}");
            if options.strict && !report.all_pass() {
                Err("a target was missed".into())
            } else {
                Ok(())
            }
        }
    }
}
