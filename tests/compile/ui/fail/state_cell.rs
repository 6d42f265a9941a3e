//! State that only one thread can borrow, as one can see.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    sync::{Arc, Mutex},
};

struct Index;

#[pd_tool(summary = "Search the files' text")]
fn search(index: &RefCell<Index>, hits: &Cell<u64>, shared: &Rc<RefCell<Index>>) {}

#[derive(State)]
struct App {
    index: RefCell<Index>,
    #[state(skip)]
    hits: Cell<u64>,
    name: Rc<String>,
}

fn main() {}

/* mend
-fn search(index: &RefCell<Index>, hits: &Cell<u64>, shared: &Rc<RefCell<Index>>) {}
+fn search(index: &Mutex<Index>, hits: &Mutex<u64>, shared: &Arc<Mutex<Index>>) {}

-    index: RefCell<Index>,
-    #[state(skip)]
-    hits: Cell<u64>,
-    name: Rc<String>,
+    index: Mutex<Index>,
+    #[state(skip)]
+    hits: Mutex<u64>,
+    name: Arc<String>,
*/
