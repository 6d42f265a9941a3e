//! The server lends its state to many calls; rustc suggests `&mut self` for one that changes it.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo {
    drafts: Vec<String>,
}

impl Repo {
    #[pd_tool(summary = "Note a change")]
    fn draft(&mut self, text: String) {
        self.drafts.push(text);
    }
}

fn main() {}

/* mend
-    drafts: Vec<String>,
+    drafts: std::sync::Mutex<Vec<String>>,

-    fn draft(&mut self, text: String) {
-        self.drafts.push(text);
+    fn draft(&self, text: String) {
+        self.drafts.lock().expect("no other call panics").push(text);
*/
