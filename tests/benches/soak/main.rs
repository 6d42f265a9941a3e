//! Whether memory stays flat: one server under a steady mixture of everything, its live heap and its resident set over time.
//!
//! ```text
//! cargo bench -p pd-tests --bench soak                       # ten minutes
//! cargo bench -p pd-tests --bench soak -- --minutes 60
//! cargo bench -p pd-tests --bench soak -- --out DIRECTORY    # where the samples and their plot go
//! ```
//!
//! Clients of both generations list, find, describe, call, are refused, make mistakes, forge tickets, listen, close their
//! sessions or leave them behind; every so often a principal comes that never came before, and the registry is replaced. What is
//! answered is checked. The load is steady: so many conversations a second, as far as the machine keeps up.
//!
//! The first half warms up. The soak fails where the live heap grows over the second half by more than a hundredth of its
//! mean in ten minutes, beyond what chance explains.

mod conversation;
mod inline;
mod options;
mod plot;
mod samples;
mod server;
mod session;
mod verdict;

#[allow(dead_code, reason = "the peak is no matter here")]
#[path = "../load/heap.rs"]
mod heap;
#[path = "../call/names.rs"]
mod names;
#[path = "../over_http/mod.rs"]
mod over_http;
#[allow(dead_code, reason = "rmcp's tools are not called here")]
#[path = "../call/tools.rs"]
mod tools;

use conversation::Counts;
use options::Options;
use over_http::Failure;
use std::{fs, sync::Arc};
use tokio::runtime::Runtime;
use verdict::Verdict;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    Runtime::new()?.block_on(run(options))
}

async fn run(options: Options) -> Result<(), Failure> {
    let counts = Arc::new(Counts::default());
    let site = server::serve().await?;
    let talking = conversation::talk(&site.url, counts.clone());
    let samples = tokio::select! {
        samples = samples::take(options.length, options.every, &counts) => samples?,
        failed = talking => return Err(failed?),
        failed = server::replace_now_and_then(&site.server) => return Err(failed?),
    };
    fs::create_dir_all(&options.out)?;
    let (table, picture) = (options.out.join("soak.csv"), options.out.join("soak.svg"));
    fs::write(&table, samples::as_csv(&samples))?;
    fs::write(&picture, plot::svg(&samples))?;
    let verdict = Verdict::of(&samples);
    println!(
        "{counts}\n{verdict}\nsamples: {}\nplot: {}",
        table.display(),
        picture.display()
    );
    if verdict.is_flat() || !options.judges {
        Ok(())
    } else {
        Err("the live heap grows".into())
    }
}
