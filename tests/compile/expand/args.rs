//! All arguments as one struct, by name and by pattern.

use pd_runtime::Args as Parameters;
use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sum {
    numbers: Vec<i64>,
}

#[pd_tool(summary = "Add numbers")]
fn sum(Args(Sum { numbers }): Args<Sum>) -> String {
    numbers.iter().sum::<i64>().to_string()
}

#[pd_tool(summary = "Multiply numbers")]
async fn product(Parameters(all): Parameters<Sum>, call: &CallContext) -> String {
    let _ = call;
    all.numbers.iter().product::<i64>().to_string()
}

fn main() {}
