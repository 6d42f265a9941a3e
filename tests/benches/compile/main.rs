//! What tools cost to compile, and how large they are: written with pd-runtime, and the same with rmcp alone.
//!
//! ```text
//! cargo bench -p pd-tests --bench compile                   # medians, ratios, PASS or FAIL for each bound
//! cargo bench -p pd-tests --bench compile -- --quick        # one round
//! cargo bench -p pd-tests --bench compile -- --strict       # fails where a bound is missed
//! ```
//!
//! Two crates are generated with the same two hundred tools of four arguments each: in `ours` as users of pd-runtime
//! write them, in `theirs` as users of rmcp do. Both are servers on standard input and output, so that the linker keeps
//! every tool. Dependencies are built before; what is measured is the generated crate alone, not incrementally, in CPU
//! seconds of cargo and all that it starts. Everyone takes turns within one run, and a ratio is the median of the
//! ratios of rounds, so that noise hits all alike.
//!
//! What a server weighs before it has tools is not what tools cost: pd-runtime brings a validator, rmcp alone does not.
//! So sizes are also told as what 199 more tools add to a server of one.
//!
//! The versions are those of this workspace's `Cargo.lock`. The first run builds all dependencies, which takes minutes;
//! they are kept in cargo's target directory. The bench itself need not be optimised: `--profile dev` builds it sooner.

mod cargo;
mod options;
mod ours;
mod package;
mod race;
mod report;
mod theirs;

use options::Options;

/// Whatever went wrong; the bench ends with it.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let options = Options::parse(std::env::args().skip(1))?;
    let Some(rounds) = options.rounds else {
        println!(
            "nothing is measured under `cargo test`; run `cargo bench -p pd-tests --bench compile`"
        );
        return Ok(());
    };
    let report = race::run(rounds)?;
    print!("{report}");
    if options.strict && !report.all_pass() {
        Err("a bound was missed".into())
    } else {
        Ok(())
    }
}
