//! A tool cannot be seen from the registry.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

mod git {
    use pd_runtime::prelude::*;

    impl super::Repo {
        #[pd_tool(summary = "Show what has changed")]
        fn status(&self) {}
    }
}

fn registry() -> Registry<Repo> {
    pd_runtime::registry! { Repo::status }
}

fn main() {}

/* mend
-        fn status(&self) {}
+        pub fn status(&self) {}
*/
