//! Prompts and resources that a server has beside its tools, without a handler of the author's own.

use super::{
    prompts::ErasedPrompts,
    resources::{ErasedProvider, distinct},
};
use crate::tool::{context::CallContext, error::ToolError};
use rmcp::{
    ErrorData,
    model::{ReadResourceResult, Resource, ResourceTemplate, ServerCapabilities},
};
use std::{fmt, sync::Arc};

/// A server's prompts and resources.
#[derive(Default)]
pub(crate) struct ServerExtras {
    pub(super) prompts: Option<Arc<dyn ErasedPrompts>>,
    pub(super) resources: Vec<Arc<dyn ErasedProvider>>,
}

impl fmt::Debug for ServerExtras {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prompts = self
            .prompts
            .as_ref()
            .map_or(0, |prompts| prompts.list().len());
        f.debug_struct("ServerExtras")
            .field("prompts", &prompts)
            .field("resources", &self.resources.len())
            .finish()
    }
}

impl ServerExtras {
    /// Declares the capability `prompts` if the author added prompts. `resources` is always
    /// declared.
    pub(super) fn declare(&self, capabilities: &mut ServerCapabilities) {
        if self.prompts.is_some() {
            capabilities.prompts.get_or_insert_default();
        }
    }

    /// Returns the resources of all providers, each URI once.
    pub(super) async fn resources(&self, call: &CallContext) -> Result<Vec<Resource>, ErrorData> {
        let mut listed = Vec::new();
        for provider in &self.resources {
            listed.extend(
                provider
                    .list(call)
                    .await
                    .map_err(ToolError::into_error_data)?,
            );
        }
        Ok(distinct(listed))
    }

    /// Returns the resource templates of all providers.
    pub(super) async fn templates(
        &self,
        call: &CallContext,
    ) -> Result<Vec<ResourceTemplate>, ErrorData> {
        let mut listed = Vec::new();
        for provider in &self.resources {
            listed.extend(
                provider
                    .templates(call)
                    .await
                    .map_err(ToolError::into_error_data)?,
            );
        }
        Ok(listed)
    }

    /// Reads a resource from the first provider that knows the URI. The error of a provider, such
    /// as one that waits for servers in vain, counts if no other provider knows the URI.
    pub(super) async fn read(
        &self,
        uri: &str,
        call: &CallContext,
    ) -> Result<Option<ReadResourceResult>, ErrorData> {
        let mut failed = None;
        for provider in &self.resources {
            match provider.read(uri, call).await {
                Ok(None) => {}
                Ok(read) => return Ok(read),
                // Kept until all providers were asked, because a later one may know the URI.
                Err(error) => drop(failed.get_or_insert(error)),
            }
        }
        failed.map_or(Ok(None), |error| Err(error.into_error_data()))
    }
}
