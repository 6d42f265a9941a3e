//! The author's own resources, beside the surfaces' resources.

use super::guarded::guarded;
use crate::tool::{context::CallContext, error::ToolError};
use futures::future::BoxFuture;
use rmcp::model::{ReadResourceResult, Resource, ResourceTemplate};
use std::{collections::HashSet, sync::Arc};

/// A provider of resources beside a server's tools. It is a small part of rmcp's `ServerHandler`,
/// for servers that do not need the rest.
///
/// [`ServerBuilder::with_resources`](crate::ServerBuilder::with_resources) serves them, together
/// with the descriptions of tools and with the resources of a handler that the server is built
/// [`with_handler`](crate::ServerBuilder::with_handler). The server pages the list, and answers for
/// URIs that no provider knows. Clients cannot subscribe to these resources; for subscriptions,
/// write a handler with `subscribe` and `listen`.
///
/// ```
/// use pd_runtime::{
///     prelude::*,
///     rmcp::model::{ReadResourceResult, Resource, ResourceContents},
///     server::ResourceProvider,
/// };
///
/// struct Manuals;
///
/// impl ResourceProvider for Manuals {
///     async fn list(&self, _: &CallContext) -> Result<Vec<Resource>, ToolError> {
///         Ok(vec![Resource::new("manual:///units", "Units").with_mime_type("text/markdown")])
///     }
///
///     async fn read(
///         &self,
///         uri: &str,
///         _: &CallContext,
///     ) -> Result<Option<ReadResourceResult>, ToolError> {
///         if uri != "manual:///units" {
///             return Ok(None);
///         }
///         let text = ResourceContents::text("Sizes are in bytes.", uri)
///             .with_mime_type("text/markdown");
///         Ok(Some(ReadResourceResult::new(vec![text])))
///     }
/// }
///
/// # fn serve(registry: Registry<()>) -> Result<(), pd_runtime::check::RegistryErrors> {
/// let server = PdServer::builder(registry, ()).with_resources(Manuals).build()?;
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` provides no resources",
    label = "no `ResourceProvider`",
    note = "write `impl ResourceProvider for …` with `async fn list(&self, call: &CallContext)` and `async fn read(&self, uri: &str, \
            call: &CallContext)`"
)]
pub trait ResourceProvider: Send + Sync + 'static {
    /// Returns the resources that the caller sees, in the order of the list. If two have the same
    /// URI, the server lists the first.
    fn list(
        &self,
        call: &CallContext,
    ) -> impl Future<Output = Result<Vec<Resource>, ToolError>> + Send;

    /// Returns the resource templates that the caller sees. None by default.
    fn templates(
        &self,
        call: &CallContext,
    ) -> impl Future<Output = Result<Vec<ResourceTemplate>, ToolError>> + Send {
        let _ = call;
        std::future::ready(Ok(Vec::new()))
    }

    /// Reads a resource. Returns `None` if the URI does not name a resource of this provider, or
    /// names one that the caller may not see.
    ///
    /// # Errors
    ///
    /// The server answers an error of [`ToolError::protocol`] with the JSON-RPC error that it
    /// contains, and another error with an internal error that has its message. So write
    /// `map_err(ToolError::protocol)?` for a function that returns rmcp's `ErrorData`: `?` alone
    /// drops its code.
    fn read(
        &self,
        uri: &str,
        call: &CallContext,
    ) -> impl Future<Output = Result<Option<ReadResourceResult>, ToolError>> + Send;
}

impl<T: ResourceProvider> ResourceProvider for Arc<T> {
    async fn list(&self, call: &CallContext) -> Result<Vec<Resource>, ToolError> {
        (**self).list(call).await
    }

    async fn templates(&self, call: &CallContext) -> Result<Vec<ResourceTemplate>, ToolError> {
        (**self).templates(call).await
    }

    async fn read(
        &self,
        uri: &str,
        call: &CallContext,
    ) -> Result<Option<ReadResourceResult>, ToolError> {
        (**self).read(uri, call).await
    }
}

/// A [`ResourceProvider`] as a trait object. A panic fails only its own request.
pub(super) trait ErasedProvider: Send + Sync {
    fn list<'a>(&'a self, call: &'a CallContext)
    -> BoxFuture<'a, Result<Vec<Resource>, ToolError>>;
    fn templates<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<ResourceTemplate>, ToolError>>;
    fn read<'a>(
        &'a self,
        uri: &'a str,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ReadResourceResult>, ToolError>>;
}

impl<T: ResourceProvider> ErasedProvider for T {
    fn list<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<Resource>, ToolError>> {
        guarded("list of resources", ResourceProvider::list(self, call))
    }

    fn templates<'a>(
        &'a self,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Vec<ResourceTemplate>, ToolError>> {
        guarded(
            "list of resource templates",
            ResourceProvider::templates(self, call),
        )
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        call: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<ReadResourceResult>, ToolError>> {
        guarded("resource", ResourceProvider::read(self, uri, call))
    }
}

/// Removes resources with duplicate URIs. A cursor names the URI that its page begins with, so a
/// duplicate would make the list endless.
pub(super) fn distinct(mut resources: Vec<Resource>) -> Vec<Resource> {
    let mut seen = HashSet::new();
    resources.retain(|resource| seen.insert(resource.uri.clone()));
    resources
}
