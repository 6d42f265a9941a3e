//! The tokens that a client's model reads before it does anything: all tools in full, and what the
//! gateway lists instead.

use crate::Gateway;
use pd_runtime::{
    cli::{CliError, TokensOptions},
    upstream::{
        cli::{
            AnyServer, json_output, style,
            tokens::{self, TokenTable},
        },
        definition::for_model,
        text::thousands::thousands,
    },
};
use serde::Serialize;
use serde_json::json;

/// The saving of a gateway, in o200k tokens.
#[derive(Debug, Serialize)]
pub(super) struct GatewaySaving {
    /// The servers with known tools.
    servers: usize,
    tools: usize,
    /// The tokens of all tools in full.
    full: usize,
    /// The tokens of what the gateway lists.
    listed: usize,
}

impl GatewaySaving {
    /// Counts the tokens of the servers with known tools. Returns `None` without such a server.
    pub(super) async fn count(gateway: &Gateway) -> Result<Option<Self>, CliError> {
        let servers = gateway
            .status()
            .iter()
            // Only a server with known lists has a version.
            .filter(|server| server.version.is_some())
            .count();
        if servers == 0 {
            return Ok(None);
        }
        let server = gateway.builder().build()?;
        let server = AnyServer::new(&server);
        let all = server.full_tools();
        let full = tokens::count_json(&json!({ "tools": all }))?;
        let listed = server.connect().await?.tools().await?;
        let listed = tokens::count_json(
            &json!({ "tools": listed.iter().map(for_model).collect::<Vec<_>>() }),
        )?;
        Ok(Some(Self {
            servers,
            tools: all.len(),
            full,
            listed,
        }))
    }
}

/// Prints the saving.
pub(super) fn print(saving: Option<&GatewaySaving>) -> Result<(), CliError> {
    let Some(GatewaySaving {
        servers,
        tools,
        full,
        listed,
    }) = saving
    else {
        return Ok(style::print(format_args!(
            "the tools of these servers are not known yet: no server was started\n"
        ))?);
    };
    let share = style::green(format!(
        ": {} % saved",
        style::saved_percent(*full, *listed, 0)
    ));
    // The meta-tools can cost more than a few small tools.
    let share = if listed < full { share } else { String::new() };
    Ok(style::print(format_args!(
        "{} of {}: {} tokens in full, {} with the gateway{share}\n",
        style::counted(*tools, "tool"),
        style::counted(*servers, "server"),
        thousands(*full),
        thousands(*listed),
    ))?)
}

/// The costs of each tool, and the saving. The table counts each tool by itself, and the listing
/// `grouped` lists none of them.
#[derive(Debug, Serialize)]
struct GatewayTokens {
    #[serde(flatten)]
    table: TokenTable,
    gateway: Option<GatewaySaving>,
}

/// Prints the costs of each tool, and the saving.
pub(super) async fn tokens(options: &TokensOptions, gateway: &Gateway) -> Result<(), CliError> {
    let table = AnyServer::new(&options.texts.build(gateway.builder())?).token_table()?;
    let tokens = GatewayTokens {
        table,
        gateway: GatewaySaving::count(gateway).await?,
    };
    if options.json {
        return json_output::print(&tokens);
    }
    tokens.table.print()?;
    print(tokens.gateway.as_ref())
}
