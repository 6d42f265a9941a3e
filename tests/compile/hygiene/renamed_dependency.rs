//! The runtime is found where `crate = path` says.

#![deny(warnings)]

mod vendor {
    pub use ::pd_runtime as disclosure;
}

/// In scope, so that a path without `crate = …` would fail.
mod pd_runtime {}

use vendor::disclosure::prelude::*;

struct Clock;

#[derive(State)]
#[pd(crate = crate::vendor::disclosure)]
struct App {
    clock: Clock,
}

#[derive(Debug, thiserror::Error, ToolErrors)]
#[pd(crate = crate::vendor::disclosure)]
enum ClockError {
    /// Ask tomorrow.
    #[error("the clock stands still")]
    Stopped,
}

#[pd_tool(summary = "Tell the server's time", crate = crate::vendor::disclosure)]
fn now(clock: &Clock) -> Result<String, ClockError> {
    let Clock = clock;
    Err(ClockError::Stopped)
}

fn main() {
    let _: Registry<App> = vendor::disclosure::registry! {
        #![crate = crate::vendor::disclosure]
        now
    };
    let _ = |app: App| app.clock;
}
