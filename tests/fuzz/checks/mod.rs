//! What must hold whatever a stranger sends: a function of bytes for each fuzz target. cargo-fuzz looks for bytes that break
//! one; `properties::corpus` replays those that were kept.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    unreachable_pub,
    reason = "a check fails by panicking; the fuzz targets see this as a library, the test `properties` as a module"
)]

pub mod arguments;
pub mod frames;
pub mod resource;
pub mod rows;
pub mod ticket;

pub(crate) mod endpoint;
mod line;
mod world;

/// Runs one exchange to its end. Time stands still while anything is left to do, so that waiting for quiet costs nothing and
/// what is under way at the end dies with the runtime.
fn run<T>(exchange: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime").block_on(exchange)
}
