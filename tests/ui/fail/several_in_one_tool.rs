//! Independent mistakes of one declaration come out together.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    /// # Examples
    ///
    /// ```json
    /// { "txt": "fn main" }
    /// ```
    #[pd_tool(read_only, destructive, nam = "x", scopes = "a")]
    async fn search(&mut self, text: &str, #[arg(minimum = 2, maximum = 1)] limit: u32) {}
}

fn main() {}
