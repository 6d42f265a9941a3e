//! Arguments of the author's own types, which the compiler judges.

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    OldestFirst,
}

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    #[serde(alias = "size")]
    page_size: u8,
    #[serde(default)]
    after: Option<T>,
}

struct Repo;

const MOST: u32 = 100;

impl Repo {
    /// # Examples
    ///
    /// ```json
    /// { "order": "newest-first", "page": { "pageSize": 10 } }
    /// ```
    #[pd_tool(summary = "List commits")]
    fn log(&self, #[arg(default = "oldest-first")] order: Order, page: Page<u64>) {
        let _ = (order, page.page_size, page.after);
    }
}

#[pd_tool(summary = "List tags by date")]
fn tags(#[arg(default = MOST, maximum = 100)] limit: u32) {
    let _ = limit;
}

fn main() {
    let _ = (Order::NewestFirst, Order::OldestFirst);
}
