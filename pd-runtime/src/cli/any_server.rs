//! A built server for commands of other crates.

use super::{
    CliError, ExportOptions, export,
    local::LocalClient,
    tokens::{self, TokenTable},
};
use crate::{PdServer, catalog::Catalog, server::erased_server::ErasedServer};
use rmcp::{ServerHandler, model::Tool};
use std::{fmt, sync::Arc};

/// A built server, whatever its state and handler are.
#[derive(Clone, Copy)]
pub struct AnyServer<'a>(pub(super) &'a dyn ErasedServer);

impl<'a> AnyServer<'a> {
    /// Returns this server without its type parameters.
    pub fn new<S: Send + Sync + 'static, H: ServerHandler>(server: &'a PdServer<S, H>) -> Self {
        Self(server.host().as_ref())
    }

    /// Returns the tools that the server has now.
    pub fn catalog(self) -> Arc<Catalog> {
        self.0.served().catalog().clone()
    }

    /// Returns all tools in full, as a model reads them.
    pub fn full_tools(self) -> Vec<Tool> {
        tokens::lists(self.0).full
    }

    /// Counts the tokens of each tool.
    pub fn token_table(self) -> Result<TokenTable, CliError> {
        TokenTable::from_server(self.0)
    }

    /// Connects a client.
    pub async fn connect(self) -> Result<LocalClient, CliError> {
        LocalClient::connect(self.0).await
    }

    /// Exports the groups of the top level as separate servers.
    pub fn export_groups(self, options: &ExportOptions) -> Result<(), CliError> {
        export::export_groups(options, self.0)
    }
}

impl fmt::Debug for AnyServer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyServer").finish_non_exhaustive()
    }
}
