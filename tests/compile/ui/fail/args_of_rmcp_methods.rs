//! rmcp's wrapper on methods, in any of its forms and of any version.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use rmcp::handler::server::wrapper::Parameters;
use std::collections::HashMap;

mod older {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub struct Parameters<T>(pub T);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Page {
    number: u32,
}

trait Paged {
    type Page;
}

struct Shop;

impl Paged for Shop {
    type Page = Page;
}

impl Shop {
    #[pd_tool(summary = "List orders, page by page")]
    async fn orders(&self, Parameters(page): Parameters<Page>) {}

    #[pd_tool(summary = "List customers, page by page")]
    async fn customers(&self, page: Parameters<Page>) {}

    #[pd_tool(summary = "List goods, page by page")]
    fn goods(&self, call: &CallContext, Parameters(Page { number }): Parameters<Page>) {}

    #[pd_tool(summary = "List invoices, page by page")]
    async fn invoices(&self, Parameters(page): rmcp::handler::server::wrapper::Parameters<Page>) {}

    #[pd_tool(summary = "List parcels, page by page")]
    async fn parcels(&self, page: Parameters<Page>, carrier: String) {}

    #[pd_tool(summary = "List returns, page by page")]
    async fn returns(&self, page: Option<Parameters<Page>>) {}

    #[pd_tool(summary = "List complaints, page by page")]
    async fn complaints(&self, Parameters(page): Parameters<<Self as Paged>::Page>) {}

    #[pd_tool(summary = "List clerks, page by page")]
    async fn clerks(&self, older::Parameters(page): older::Parameters<Page>) {}
}

fn main() {}

/* mend
-use rmcp::handler::server::wrapper::Parameters;
+use pd_runtime::Args as Parameters;

-    async fn invoices(&self, Parameters(page): rmcp::handler::server::wrapper::Parameters<Page>) {}
+    async fn invoices(&self, Parameters(page): Parameters<Page>) {}

-    async fn parcels(&self, page: Parameters<Page>, carrier: String) {}
+    async fn parcels(&self, number: u32, carrier: String) {}

-    async fn returns(&self, page: Option<Parameters<Page>>) {}
+    async fn returns(&self, page: Option<Page>) {}

-    async fn clerks(&self, older::Parameters(page): older::Parameters<Page>) {}
+    async fn clerks(&self, Parameters(page): Parameters<Page>) {}
*/
