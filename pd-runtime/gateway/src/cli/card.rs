//! `card`: the documents about the gateway itself.

use crate::{Gateway, GatewayConfig};
use pd_runtime::cli::{CardOptions, Command};
use std::process::ExitCode;

/// Prints the document. A gateway without servers is described, so no file is read, and nothing of
/// one is published.
pub(super) async fn card(options: Box<CardOptions>) -> ExitCode {
    let gateway = Gateway::new(GatewayConfig::without_servers());
    Command::Card(options).run(gateway.builder()).await
}
