//! The tools under test: a shop, with one tool for each thing that a tool can be.

use futures::{FutureExt, future::ready};
use pd_runtime::{
    Bundle, Group, IntoOutput, Listing, Tool,
    config::{Refusal, SessionPerCall},
    prelude::*,
};
use rmcp::model::{ContentBlock, ErrorData, InputRequiredResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// The state: how often tools ran, and who waits.
#[derive(Debug, Default)]
pub(crate) struct Shop {
    pub(crate) runs: AtomicUsize,
    pub(crate) started: Notify,
    pub(crate) cancelled: Notify,
}

impl Shop {
    /// How often a tool that counts has run.
    pub(crate) fn ran(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    fn run(&self) {
        self.runs.fetch_add(1, Ordering::SeqCst);
    }
}

/// A colour of goods.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Colour {
    Red,
    Blue,
}

/// Greet somebody who came in, by name.
///
/// # Examples
///
/// ```json
/// { "name": "Ada" }
/// ```
#[pd_tool(summary = "Greet a customer")]
fn greet(
    shop: &Shop,
    /// Whom to greet.
    name: String,
) -> String {
    shop.run();
    format!("Welcome, {name}!")
}

/// Goods whose name holds a word.
///
/// # Guidance
///
/// - Search before you order.
///
/// # Notes
///
/// - Prices are in cents.
#[pd_tool(summary = "Search goods by word", related(stock, refund), read_only)]
fn search(
    shop: &Shop,
    word: String,
    #[arg(default = 20, minimum = 1, maximum = 100)] limit: u32,
    colour: Option<Colour>,
    #[arg(one_of = ["name", "price"])] sort: Option<String>,
    tags: Option<Vec<String>>,
) -> String {
    shop.run();
    format!(
        "{word} {limit} {colour:?} {sort:?} {}",
        tags.map_or(0, |tags| tags.len())
    )
}

/// What to order.
#[derive(Debug, Deserialize, JsonSchema)]
struct Order {
    /// Which goods.
    article: String,
    /// How many.
    #[serde(default = "one")]
    count: u32,
    /// Where to.
    address: Option<Address>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Address {
    street: String,
}

fn one() -> u32 {
    1
}

#[pd_tool(summary = "Order goods")]
fn order(shop: &Shop, Args(order): Args<Order>) -> String {
    shop.run();
    format!(
        "{} × {} to {:?}",
        order.count,
        order.article,
        order.address.map(|address| address.street)
    )
}

/// What is there.
#[derive(Debug, Serialize, JsonSchema)]
struct Stock {
    articles: u32,
}

#[pd_tool(summary = "Count the stock", read_only = false, destructive = false)]
fn stock() -> Json<Stock> {
    Json(Stock { articles: 7 })
}

#[pd_tool(summary = "List all prices", destructive)]
fn prices() -> Json<Vec<u32>> {
    Json(vec![100, 250])
}

/// One of two shapes, so that its schema says no type at its root.
#[derive(Debug, Serialize, JsonSchema)]
enum Parcel {
    Box { sides: u32 },
}

#[pd_tool(summary = "Measure a parcel")]
fn measure() -> Json<Parcel> {
    Json(Parcel::Box { sides: 6 })
}

#[pd_tool(summary = "Take a photo of the stock")]
fn photo() -> (Json<Stock>, Vec<ContentBlock>) {
    (
        Json(Stock { articles: 7 }),
        vec![ContentBlock::image("aGk=", "image/png")],
    )
}

/// What can go wrong at the till.
#[derive(Debug, thiserror::Error, ToolErrors)]
enum TillError {
    /// Ask for another card.
    #[error("the card {0} was refused")]
    CardRefused(String),
}

/// # Errors
///
/// - `CARD_REFUSED`: the bank said no.
#[pd_tool(summary = "Pay with a card")]
fn pay(card: String) -> Result<String, TillError> {
    Err(TillError::CardRefused(card))
}

#[pd_tool(summary = "Fail with a plain text")]
fn grumble() -> Result<String, String> {
    Err("not today".to_owned())
}

#[pd_tool(summary = "Fail with rmcp's error")]
fn protest() -> Result<String, ErrorData> {
    Err(ErrorData::invalid_params(
        "not like this",
        Some(json!({ "why": "because" })),
    ))
}

#[pd_tool(summary = "Tell the opening hours", eager)]
fn hours(shop: &Shop, day: Option<String>) -> String {
    shop.run();
    format!(
        "{}: nine to five",
        day.unwrap_or_else(|| "every day".to_owned())
    )
}

#[pd_tool(summary = "Ship a parcel")]
fn ship(#[arg(header = "Region")] region: String, weight: u32) -> String {
    format!("{weight} kg to {region}")
}

#[pd_tool(summary = "Refund a payment", scopes("shop:refund"), related(pay))]
fn refund(shop: &Shop, amount: u32) -> String {
    shop.run();
    amount.to_string()
}

#[pd_tool(summary = "Take stock slowly", blocking)]
fn inventory() -> String {
    std::thread::sleep(std::time::Duration::from_millis(5));
    "done".to_owned()
}

#[pd_tool(summary = "Drop a vase")]
fn drop_vase() -> String {
    panic!("the vase fell")
}

#[pd_tool(summary = "Drop a vase in the cellar", blocking)]
fn drop_vase_below() -> String {
    panic!("the vase fell")
}

#[pd_tool(summary = "Bake bread")]
async fn bake(call: &CallContext) -> String {
    for done in 1..=3 {
        call.progress(f64::from(done), Some(3.0), format!("loaf {done}"))
            .await;
    }
    "three loaves".to_owned()
}

#[pd_tool(summary = "Wait in line")]
async fn queue(shop: &Shop, call: &CallContext) -> String {
    shop.started.notify_one();
    call.cancellation().cancelled().await;
    shop.cancelled.notify_one();
    "gone".to_owned()
}

/// Asks the customer for a name.
///
/// # Examples
///
/// ```json
/// {}
/// ```
#[pd_tool(summary = "Engrave a ring")]
fn engrave(call: &CallContext) -> Result<rmcp::model::CallToolResponse, ToolError> {
    let Some(answers) = call.input_responses() else {
        let request = json!({ "method": "elicitation/create", "params": {
            "message": "Which name?",
            "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } },
        }});
        let requests = [("name".to_owned(), serde_json::from_value(request)?)]
            .into_iter()
            .collect();
        return Ok(InputRequiredResult::new(Some(requests), Some("ring".to_owned())).into());
    };
    let answer = serde_json::to_value(answers)?;
    let name = answer
        .pointer("/name/content/name")
        .and_then(serde_json::Value::as_str)
        .unwrap_or("nobody");
    let state = call.request_state().unwrap_or_default();
    let done = vec![ContentBlock::text(format!("{state} for {name}"))];
    Ok(rmcp::model::CallToolResult::success(done).into())
}

/// A run-time tool that says one text.
pub(crate) fn saying<S: Send + Sync + 'static>(name: &'static str, text: &'static str) -> Tool<S> {
    Tool::new(name, "Say one text", move |_, _, _| {
        ready(text.into_output()).boxed()
    })
}

/// The shop's tools, in the order of the list.
pub(crate) fn registry() -> Registry<Shop> {
    pd_runtime::registry! {
        //! A shop.
        #![name = "shop"]
        #![version = "1.2.3"]
        greet,
        search,
        order,
        /// What is there.
        goods: { stock, prices, measure, photo, inventory },
        /// Money.
        till: { pay, refund, grumble, protest },
        hours,
        ship,
        drop_vase,
        drop_vase_below,
        bake,
        queue,
        engrave,
    }
}

/// Some of them, none of which asks for a scope.
pub(crate) fn unscoped() -> Registry<Shop> {
    pd_runtime::registry! { greet, order, stock, pay }
}

/// All names, as a caller without scopes sees them.
pub(crate) const VISIBLE: [&str; 18] = [
    "greet",
    "search",
    "order",
    "stock",
    "prices",
    "measure",
    "photo",
    "inventory",
    "pay",
    "grumble",
    "protest",
    "hours",
    "ship",
    "drop_vase",
    "drop_vase_below",
    "bake",
    "queue",
    "engrave",
];

/// A server of the shop, under the listing of this run. Its gate is that of the specification, because most tests call
/// without a list; `one_call_sessions` tests what the gate admits by default.
pub(crate) fn server() -> pd_runtime::ServerBuilder<Shop> {
    let builder = PdServer::builder(registry(), Shop::default());
    if std::env::var(LISTING).is_ok_and(|listing| listing == SPECIFICATION) {
        return builder.specification();
    }
    let builder = builder.listing(listing());
    builder
        .refusal(Refusal::WithDescription)
        .session_per_call(SessionPerCall::Refuse)
}

/// Names the listing of a run. `tests/wire/listings.rs` runs the suite once for each listing that discloses; tests of lists
/// set their own.
pub(crate) const LISTING: &str = "PD_TEST_LISTING";

/// The value of [`LISTING`] for servers of the specification to the letter.
pub(crate) const SPECIFICATION: &str = "specification";

fn listing() -> Listing {
    match std::env::var(LISTING).as_deref() {
        Ok("eager") => Listing::Eager,
        Ok("reveal") => Listing::Reveal,
        Ok(other) => {
            panic!("{LISTING} is `{other}`; it is `eager`, `reveal`, `specification`, or absent")
        }
        Err(_) => Listing::Minimal,
    }
}

/// The shop with a vault in a group of its own, which only the scope `shop:vault` opens, and without: to others they are the
/// same.
pub(crate) fn with_and_without_vault() -> [pd_runtime::ServerBuilder<Shop>; 2] {
    let tool = |name: &'static str| saying(name, "open").scope("shop:vault").alias("strongroom");
    let vault = Group::new("vault", "Gold and prices")
        .tool(tool("vault_open"))
        .tool(tool("prices_of_gold"));
    let bundle = Bundle::new("rob", "Rob the shop").tool("vault_open");
    let hidden = Registry::builder()
        .group(vault)
        .bundle(bundle)
        .build()
        .unwrap();
    [registry().merge(hidden).unwrap(), registry()].map(|registry| {
        PdServer::builder(registry, Shop::default())
            .listing(Listing::Minimal)
            .ticket_key([3; 32])
    })
}

/// A server of those that ask for no scope, which stand in no group.
pub(crate) fn unscoped_server() -> pd_runtime::ServerBuilder<Shop> {
    PdServer::builder(unscoped(), Shop::default()).listing(Listing::Minimal)
}
