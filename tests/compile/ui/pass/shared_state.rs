//! State behind pointers is lent with and without them.

#![deny(warnings)]

use pd_runtime::prelude::*;
use std::sync::{Arc, Mutex};

struct Pool;
struct Clock;

trait Store: Send + Sync {}

#[derive(State)]
struct App {
    pool: Arc<Pool>,
    names: Arc<Mutex<Vec<String>>>,
    clock: Box<Clock>,
    /// Both lend the same, so tools say which they mean.
    first: Arc<Mutex<u8>>,
    second: Box<Mutex<u8>>,
    store: Arc<dyn Store>,
    title: Arc<str>,
}

/// The type parameter may be any type, also that of another field.
#[derive(State)]
struct Generic<S> {
    store: Arc<S>,
    clock: Clock,
}

#[pd_tool(summary = "Open a connection")]
fn open(pool: &Pool, shared: &Arc<Pool>, names: &Mutex<Vec<String>>, clock: &Clock) {
    let _ = (pool, shared, names, clock);
}

#[pd_tool(summary = "Count up")]
async fn count(first: &Arc<Mutex<u8>>, second: &Box<Mutex<u8>>, store: &Arc<dyn Store>, title: &Arc<str>) {
    let _ = (first, second, store, title);
}

#[pd_tool(summary = "Show everything")]
async fn show(app: &App) {
    let _ = app;
}

#[pd_tool(summary = "Show the time")]
async fn time(clock: &Clock) {
    let _ = clock;
}

impl Store for Clock {}

fn main() {
    let registry: Registry<App> = pd_runtime::registry! { open, count, show };
    let app = App {
        pool: Arc::new(Pool),
        names: Arc::default(),
        clock: Box::new(Clock),
        first: Arc::default(),
        second: Box::default(),
        store: Arc::new(Clock),
        title: "app".into(),
    };
    assert!(PdServer::builder(registry, app).build().is_ok());
    let whole: Registry<Arc<App>> = pd_runtime::registry! { show };
    let generic: Registry<Generic<Pool>> = pd_runtime::registry! { time };
    assert!(whole.check().is_ok() && generic.check().is_ok());
    let _ = Generic { store: Arc::new(Pool), clock: Clock }.store;
}
