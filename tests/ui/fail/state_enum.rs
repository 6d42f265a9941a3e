//! State has fields.

#![allow(unused)]

use pd_runtime::prelude::*;

#[derive(State)]
enum App {
    Repo(u8),
}

fn main() {}
