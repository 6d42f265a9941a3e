//! What strangers can make a server hold: measured on a server in a process of its own, by its resident memory.

mod process;
mod sessions;
mod stalled;

use process::Process;
use reqwest::{Response, header::HeaderMap};
use serde_json::{Value, json};
use std::net::IpAddr;

/// A megabyte.
const MIB: usize = 1 << 20;

/// A client whose connections come from this address of the loopback network.
fn client_from(address: &str) -> reqwest::Client {
    let address: IpAddr = address.parse().unwrap();
    reqwest::Client::builder()
        .local_address(address)
        .build()
        .unwrap()
}

/// An `initialize` with these capabilities.
fn initialize(capabilities: &Value) -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "wire", "version": "0" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// Sends one message; the answer's body is not read yet.
async fn post(client: &reqwest::Client, url: &str, message: &Value) -> Response {
    let request = client
        .post(url)
        .header("accept", "application/json, text/event-stream");
    request.json(message).send().await.unwrap()
}

/// An answer's status, headers and body.
async fn whole(response: Response) -> (u16, HeaderMap, String) {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    (status, headers, response.text().await.unwrap())
}
