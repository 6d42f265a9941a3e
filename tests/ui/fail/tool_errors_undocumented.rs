//! A variant has no solution.

#![allow(unused)]

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
enum GitError {
    #[error("no such path")]
    PathNotFound,
}

fn main() {}
