//! State that is shared by calls without being `Sync`.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Index(std::cell::RefCell<Vec<String>>);

struct Words(std::rc::Rc<Vec<String>>);

impl Index {
    #[pd_tool(summary = "Search the files' text")]
    async fn search(&self, text: String) {}

    #[pd_tool(summary = "Look up a word")]
    fn find(&self, words: &Words, word: String) {}
}

#[derive(State)]
struct App {
    index: Index,
    words: Words,
}

fn registry() -> Registry<App> {
    pd_runtime::registry! { Index::{search, find} }
}

fn main() {}

/* mend
-struct Index(std::cell::RefCell<Vec<String>>);
+struct Index(std::sync::Mutex<Vec<String>>);

-struct Words(std::rc::Rc<Vec<String>>);
+struct Words(std::sync::Arc<Vec<String>>);
*/
