//! `#[derive(State)]` on named, tuple and generic structs.

use pd_runtime::prelude::*;

pub struct Clock;

#[derive(State)]
pub struct App<T: Send> {
    clock: Clock,
    #[cfg(unix)]
    store: Vec<T>,
    #[state(skip)]
    spare: Clock,
}

#[derive(State)]
#[pd(crate = ::pd_runtime)]
pub struct Pair(Clock, String);

fn main() {
    let _ = |app: App<u8>| app.spare;
}
