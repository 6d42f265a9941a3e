//! A pattern that is not `Args(…)`.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct UserId(u64);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query<T>(T);

struct Users;

#[pd_tool(summary = "Find a user by number")]
fn find(UserId(id): UserId) {}

impl Users {
    #[pd_tool(summary = "Lock out a user")]
    fn lock(&self, Query(id): Query<UserId>) {}
}

fn main() {}

/* mend
-fn find(UserId(id): UserId) {}
+fn find(id: UserId) {
+    let UserId(id) = id;
+}

-    fn lock(&self, Query(id): Query<UserId>) {}
+    fn lock(&self, id: UserId) {}
*/
