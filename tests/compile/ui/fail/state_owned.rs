//! State by value.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{Arc, Mutex, RwLock},
};

struct App;
struct Index;
trait Store: Send + Sync {}

#[pd_tool(summary = "Search the files' text")]
fn search(app: Arc<App>, index: Arc<RwLock<Index>>) {}

#[pd_tool(summary = "Index the files")]
fn index(index: Mutex<Index>, store: Arc<dyn Store>) {}

#[pd_tool(summary = "Drop the index")]
fn forget(index: Rc<RefCell<Index>>) {}

fn main() {}

/* mend
-fn search(app: Arc<App>, index: Arc<RwLock<Index>>) {}
+fn search(app: &App, index: &RwLock<Index>) {}

-fn index(index: Mutex<Index>, store: Arc<dyn Store>) {}
+fn index(index: &Mutex<Index>, store: &Arc<dyn Store>) {}

-fn forget(index: Rc<RefCell<Index>>) {}
+fn forget(index: &Mutex<Index>) {}
*/
