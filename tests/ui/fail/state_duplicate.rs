//! Two fields have one type.

#![allow(unused)]

use pd_runtime::prelude::*;

struct Repo;

#[derive(State)]
struct App {
    origin: Repo,
    fork: Repo,
}

fn main() {}
