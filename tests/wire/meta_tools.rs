//! Tools about tools: find, list, describe, call, in every era, for callers who see all and for those who do not.

mod calling;
mod describing;
mod finding;
mod listing;

use crate::harness::{
    client::{Client, Era, connect},
    shop::{self, Shop},
};
use pd_runtime::{Listing, MetaTools, PdServer, Registry, ServerBuilder, Shared};
use serde_json::{Value, json};

/// The shop, with its groups closed.
fn grouped() -> ServerBuilder<Shop> {
    shop::server().listing(Listing::Grouped).meta_tools(MetaTools::all().call_read_only("call_read_only_tool"))
}

/// A ticket that a signature shows.
fn ticket(told: &str) -> Option<&str> {
    told.split_once("disclosure_ticket: \"")?.1.split('"').next()
}

/// Arguments with the ticket that a text shows, if it shows one.
fn with_ticket(mut arguments: Value, told: &str) -> Value {
    if let Some(ticket) = ticket(told) {
        arguments["disclosure_ticket"] = json!(ticket);
    }
    arguments
}

/// The shop with a vault in a group of its own that nobody here may see, and without.
fn with_and_without_vault() -> [Shared<Shop>; 2] {
    let tool = |name: &'static str| shop::saying(name, "open").scope("shop:vault").alias("strongroom");
    let vault =
        pd_runtime::Group::new("vault", "Gold and prices").tool(tool("vault_open")).tool(tool("prices_of_gold"));
    let bundle = pd_runtime::Bundle::new("rob", "Rob the shop").tool("vault_open");
    let hidden = Registry::builder().group(vault).bundle(bundle).build().unwrap();
    [shop::registry().merge(hidden).unwrap(), shop::registry()].map(|registry| {
        let server = PdServer::builder(registry, Shop::default()).ticket_key([3; 32]).listing(Listing::Grouped);
        server.build().unwrap()
    })
}

async fn client(era: Era) -> Client {
    connect(era, &grouped().build().unwrap()).await
}
