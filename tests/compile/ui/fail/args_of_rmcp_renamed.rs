//! rmcp's wrapper under another name, of types that no nested item can name.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use rmcp::handler::server::wrapper::Parameters as Par;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Q {
    number: u32,
}

struct Shop;

impl Shop {
    #[pd_tool(summary = "List orders, page by page")]
    fn orders(&self, Par(page): Par<Q>) {}

    #[pd_tool(summary = "List customers, page by page")]
    fn customers(&self, page: Par<Q>) {}

    #[pd_tool(summary = "List goods, page by page")]
    fn goods(&self, page: Par<Q>, colour: String) {}

    #[pd_tool(summary = "List parcels, page by page")]
    fn parcels(&self, page: Option<Par<Q>>) {}
}

#[pd_tool(summary = "List clerks, page by page")]
fn clerks(page: Par<Q>, desk: String) {}

#[pd_tool(summary = "List returns, page by page")]
fn returns(Par(page): Par<Q>) {}

fn tools() {
    let _: [Registry<Shop>; 6] = [
        pd_runtime::registry! { Shop::orders },
        pd_runtime::registry! { Shop::customers },
        pd_runtime::registry! { Shop::goods },
        pd_runtime::registry! { Shop::parcels },
        pd_runtime::registry! { clerks },
        pd_runtime::registry! { returns },
    ];
}

fn main() {}

/* mend
-use rmcp::handler::server::wrapper::Parameters as Par;
+use pd_runtime::Args as Par;

-    fn goods(&self, page: Par<Q>, colour: String) {}
+    fn goods(&self, page: Q, colour: String) {}

-    fn parcels(&self, page: Option<Par<Q>>) {}
+    fn parcels(&self, page: Option<Q>) {}

-fn clerks(page: Par<Q>, desk: String) {}
+fn clerks(page: Q, desk: String) {}
*/
