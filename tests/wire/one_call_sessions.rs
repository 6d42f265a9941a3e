//! Clients whose sessions last for one call or one batch of calls: what the gate admits, what it refuses as before, and what
//! its owner sees of both.

mod begins_with_a_call;
mod records;
mod repeats;
mod tickets;

use crate::harness::{
    client::Era,
    code,
    line::Line,
    post::Post,
    raw::Raw,
    shop::{self, Shop},
};
use pd_runtime::{Listing, PdServer, ServerBuilder};
use serde_json::{Value, json};

const REQUIRED: &str = "TOOL_DESCRIPTION_REQUIRED";
const WELCOME: &str = "Welcome, Ada!";

/// A server of the shop with the default treatment of such clients.
fn builder() -> ServerBuilder<Shop> {
    PdServer::builder(shop::registry(), Shop::default()).listing(Listing::Minimal)
}

/// The eras in which the first request of a connection or session is known.
const LASTING: [Era; 3] = [Era::Session, Era::Inline, Era::HttpSession];

fn ada() -> Value {
    json!({ "name": "Ada" })
}

/// The result of a call on a new connection, whose first request about tools it is.
async fn call_at_once(era: Era, server: &PdServer<Shop>, name: &str, arguments: Value) -> Value {
    Raw::connect(era, server)
        .await
        .result(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await
}

/// A session of alice or another principal that has listed tools.
async fn listed(url: &str, bearer: &str) -> Post {
    let post = Post::session(url, Some(bearer)).await;
    post.result("tools/list", json!({})).await;
    post
}

/// A connection in memory that has listed tools.
async fn listed_line(server: &PdServer<Shop>) -> Line {
    let mut line = Line::session(server).await;
    line.result("tools/list", json!({})).await;
    line
}

fn all_texts(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap().iter();
    blocks
        .filter_map(|block| block["text"].as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

fn assert_refused(result: &Value) {
    assert_eq!(code(result), REQUIRED, "{result}");
}
