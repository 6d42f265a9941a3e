//! A server that checks tokens: who calls decides which tools exist.
//!
//! ```sh
//! cargo run --example authentication                      # fetches the keys of the issuer
//! cargo run --example authentication -- issuer.pub.pem    # reads one key from a file
//! ```
//!
//! Notice: `refund` does not check anything. Callers without the scope cannot find, describe or call it.

#[cfg(test)]
mod tests;

use pd_runtime::{
    check::RegistryErrors,
    prelude::*,
    serve::{Http, HttpOptions, Jwt, JwtKeys},
};
use std::{env, error::Error, fs, sync::Arc};

/// The URL at which clients reach this server. Tokens must name it as their audience.
const AUDIENCE: &str = "https://shop.example/mcp";
/// The server that issues the tokens, as their claim `iss` names it.
const ISSUER: &str = "https://id.example";

struct Shop;

impl Shop {
    /// Returns what was ordered, and whether it was paid.
    #[pd_tool(summary = "Look up an order", read_only)]
    fn order(
        &self,
        /// The order's number.
        number: u32,
    ) -> String {
        format!("Order {number}: a kettle, paid.")
    }

    /// Pays the whole price back to the card that paid it.
    #[pd_tool(summary = "Refund an order", scopes("orders:refund"), destructive)]
    fn refund(
        &self,
        /// The order's number.
        number: u32,
        call: &CallContext,
    ) -> String {
        let clerk = call
            .principal()
            .map_or("nobody", |principal| principal.subject());
        format!("Order {number} was refunded by {clerk}.")
    }
}

fn registry() -> Registry<Shop> {
    pd_runtime::registry! {
        //! Orders of a shop.
        Shop::{order, refund},
    }
}

fn server() -> Result<PdServer<Shop>, RegistryErrors> {
    PdServer::builder(registry(), Shop)
        .listing(Listing::AUTO)
        .build()
}

/// Every token needs the scope `shop`. The scopes of single tools are not named here.
fn options(keys: JwtKeys) -> HttpOptions {
    let jwt = Jwt::new(AUDIENCE, ISSUER, keys);
    let resource = jwt
        .protected_resource()
        .named("The shop")
        .requires(["shop"]);
    HttpOptions::new()
        .allowed_hosts(["shop.example"])
        .protected_resource(resource)
        .authenticate(Arc::new(jwt))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let keys = match env::args().nth(1) {
        Some(file) => JwtKeys::from_pem(&fs::read_to_string(file)?)?,
        None => JwtKeys::from_issuer(ISSUER)?,
    };
    let http = Http::bind("127.0.0.1:8000").await?;
    println!("{}", http.url());
    Ok(http.serve(&server()?, options(keys)).await?)
}
