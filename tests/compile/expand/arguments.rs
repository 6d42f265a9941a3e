//! Every word of `#[arg]`.

use pd_runtime::prelude::*;

const REGION: &str = "eu";

#[pd_tool(summary = "Rent machines in a region")]
fn rent(
    /// Where the machines stand.
    ///
    /// See [`REGION`] for the default.
    #[arg(default = REGION, header = "Region", pattern = "^[a-z]{2}$", format = "region", title = "Region")]
    region: String,
    #[arg(rename = "type", one_of = ["small", "large"], default = "small")] kind: String,
    #[arg(exclusive_minimum = 0, exclusive_maximum = 10.5, multiple_of = 0.5, default = 1.0)] hours: f64,
    #[arg(minimum = -5, default = -1)] priority: i32,
    #[arg(min_length = 1, max_length = 80, deprecated)] note: Option<String>,
    #[arg(min_items = 1, max_items = 3, unique_items, default = ["a"])] mut tags: Vec<String>,
    #[arg(min_properties = 0, max_properties = 9)] labels: std::collections::BTreeMap<String, String>,
    r#use: bool,
) -> String {
    tags.push(kind);
    format!("{region} {tags:?} {hours} {priority} {note:?} {labels:?} {use}", r#use = r#use)
}

fn main() {}
