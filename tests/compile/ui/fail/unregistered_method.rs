//! No registry names this method.

#![deny(dead_code)]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status(&self) {}

    #[pd_tool(summary = "List commits, newest first", related(Repo::status))]
    async fn log(&self, limit: u32) -> Json<u32> {
        Json(limit)
    }
}

fn main() {
    let _: Registry<Repo> = pd_runtime::registry! { Repo::status };
    Repo.status();
}

/* mend
-    let _: Registry<Repo> = pd_runtime::registry! { Repo::status };
+    let _: Registry<Repo> = pd_runtime::registry! { Repo::{status, log} };
*/
