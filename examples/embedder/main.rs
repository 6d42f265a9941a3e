//! Search by meaning with a model of one's own: here a glossary of the words that customers use.
//!
//! ```sh
//! cargo run --example embedder -- tour
//! cargo run --example embedder -- serve
//! ```
//!
//! Notice: an `Embedder` is any function from texts to vectors. A sentence model or a service of yours has the same place.

#[cfg(all(test, feature = "semantic"))]
mod sentence_model;
#[cfg(test)]
mod tests;

use pd_runtime::{
    ServerBuilder,
    prelude::*,
    search::{EmbedError, Embedder},
};
use std::{process::ExitCode, sync::Arc};

/// One topic a line: words that mean nearly the same in this shop.
const TOPICS: [&[&str]; 3] = [
    &["refund", "pay", "money", "cash", "reimburse"],
    &["parcel", "where", "arrive", "courier", "late"],
    &["bill", "receipt", "accountant", "tax"],
];

/// Converts a text to one number for each topic: how many of its words occur.
struct Glossary;

impl Embedder for Glossary {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vector = |text: &&str| {
            let text = text.to_lowercase();
            TOPICS
                .iter()
                .map(|words| words.iter().filter(|word| text.contains(**word)).count() as f32)
                .collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

struct Shop;

impl Shop {
    /// Pays the price of an order back.
    #[pd_tool(summary = "Refund an order")]
    fn refund(&self, order: u32) -> String {
        format!("Order {order} is refunded.")
    }

    /// Names the last place of a parcel.
    #[pd_tool(summary = "Track a parcel", read_only)]
    fn track(&self, order: u32) -> String {
        format!("Order {order} is in Oslo.")
    }

    /// Sends the bill to the address of the customer.
    #[pd_tool(summary = "Send the bill of an order once more")]
    fn send_bill(&self, order: u32) -> String {
        format!("The bill of order {order} is on its way.")
    }
}

fn registry() -> Registry<Shop> {
    pd_runtime::registry! {
        //! Orders of a shop.
        /// After the sale.
        service: Shop::{refund, track, send_bill},
    }
}

fn server() -> ServerBuilder<Shop> {
    PdServer::builder(registry(), Shop)
        .listing(Listing::Grouped)
        .search_model(Arc::new(Glossary))
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(server()).await
}
