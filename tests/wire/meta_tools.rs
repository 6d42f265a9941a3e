//! Tools about tools: find, list, describe, call, in every era, for callers who see all and for those who do not.

mod calling;
mod describing;
mod finding;
mod listing;
mod steps;

use crate::harness::{
    client::{Client, Era, connect},
    shop::{self, Shop},
};
use pd_runtime::{Listing, ServerBuilder, config::MetaTools};
use serde_json::{Value, json};

/// The shop, with its groups closed.
fn grouped() -> ServerBuilder<Shop> {
    shop::server()
        .listing(Listing::Grouped)
        .meta_tools(MetaTools::all().call_read_only("call_read_only_tool"))
}

/// A ticket that a signature shows.
fn ticket(told: &str) -> Option<&str> {
    told.split_once("disclosure_ticket: \"")?
        .1
        .split('"')
        .next()
}

/// Arguments with the ticket that a text shows, if it shows one.
fn with_ticket(mut arguments: Value, told: &str) -> Value {
    if let Some(ticket) = ticket(told) {
        arguments["disclosure_ticket"] = json!(ticket);
    }
    arguments
}

async fn client(era: Era) -> Client {
    connect(era, &grouped().build().unwrap()).await
}
