//! A result outlives what the tool borrowed, inside of another too.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo {
    status: String,
}

impl Repo {
    #[pd_tool(summary = "Show what has changed")]
    fn status<'a>(&'a self) -> Result<std::borrow::Cow<'a, str>, &str> {
        Ok(self.status.as_str().into())
    }
}

fn main() {}

/* mend
-    fn status<'a>(&'a self) -> Result<std::borrow::Cow<'a, str>, &str> {
-        Ok(self.status.as_str().into())
+    fn status(&self) -> Result<std::borrow::Cow<'static, str>, String> {
+        Ok(self.status.clone().into())
*/
