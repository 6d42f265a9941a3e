//! The tokens that a model reads to find one tool, in each listing: measured on a server of the
//! same tools, by a client.

use crate::{
    Listing, PdServer, Registry,
    catalog::{definition::for_model, entry::CatalogEntry},
    cli::{
        CliError,
        local::{self, LocalClient},
        tokens::{count, count_json},
        tour,
    },
    policy::MinimalSchema,
};
use rmcp::model::JsonObject;
use serde::Serialize;
use serde_json::{Value, json};

/// The tokens of a conversation that finds one tool, by message. The call itself costs the same in
/// every listing, so it is not counted.
#[derive(Debug, Serialize)]
pub(super) struct ListingCost {
    /// The name of the listing, as `serve --listing` takes it.
    listing: &'static str,
    /// The result of `tools/list`.
    list: usize,
    /// The answer of `find_tools`, where the list does not have the tool.
    find: usize,
    /// The tool's description, where no message before has it.
    describe: usize,
}

/// Tools without their state, and the form of their lists. Each listing has its own meta-tools.
pub(super) struct MeasuredTools {
    pub(super) registry: Registry<()>,
    pub(super) schema: MinimalSchema,
    pub(super) has_group_lines: bool,
}

/// Measures the listings on one tool, or only the lists of a server without tools.
pub(super) async fn measure(
    measured: &MeasuredTools,
    tool: Option<&CatalogEntry>,
) -> Result<Vec<ListingCost>, CliError> {
    let mut costs = Vec::new();
    for (name, listing) in [
        ("full", Listing::Full),
        ("outline", Listing::Outline),
        ("minimal", Listing::Minimal),
        ("grouped", Listing::Grouped),
        ("eager", Listing::Eager),
    ] {
        // Without groups, the listing is the minimal one.
        if listing != Listing::Grouped || !measured.registry.groups().is_empty() {
            costs.push(measure_listing(name, listing, measured, tool).await?);
        }
    }
    Ok(costs)
}

async fn measure_listing(
    name: &'static str,
    listing: Listing,
    measured: &MeasuredTools,
    tool: Option<&CatalogEntry>,
) -> Result<ListingCost, CliError> {
    // A server for each listing, because the meta-tools and the gate follow from it.
    let builder =
        PdServer::builder(measured.registry.without_state(), ()).minimal_schema(measured.schema);
    let server = builder
        .group_lines(measured.has_group_lines)
        .listing(listing)
        .build()?;
    let client = LocalClient::connect(server.host().as_ref()).await?;
    let tools = client.tools().await?;
    let list = count_json(&json!({ "tools": tools.iter().map(for_model).collect::<Vec<_>>() }))?;
    let mut cost = ListingCost {
        listing: name,
        list,
        find: 0,
        describe: 0,
    };
    let Some(tool) = tool else { return Ok(cost) };
    if !tools.iter().any(|listed| listed.name == tool.name()) {
        let found = client
            .call(
                "find_tools",
                object(json!({ "query": tool.tool.about.summary.trim() })),
            )
            .await?;
        cost.find = count(&local::text_of(&found));
    }
    // The tools of this server have no state and answer with an error, which is not a refusal.
    let called = client.call(tool.name(), tour::arguments_of(tool)).await?;
    if local::text_of(&called).contains("TOOL_DESCRIPTION_REQUIRED") {
        let described = client
            .call("describe_tools", object(json!({ "names": [tool.name()] })))
            .await?;
        cost.describe = count(&local::text_of(&described));
    }
    Ok(cost)
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
