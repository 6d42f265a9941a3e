//! The second form: six tools moved to `#[pd_tool]`, six still rmcp's, in one server.
//!
//! A moved tool keeps its body. What changes: the arguments stand in the signature instead of a struct, the first
//! sentence of the description is the summary, and the doc comment says the rest.

use docs_mcp::tools::{
    AppState,
    crate_dependencies_list::{self, CrateDependenciesListParams},
    crate_dependents_list::{self, CrateDependentsListParams},
    crate_docs_get::{self, CrateDocsGetParams},
    crate_downloads_get::{self, CrateDownloadsGetParams},
    crate_get::{self, CrateGetParams},
    crate_impls_list::{self, CrateImplsListParams},
    crate_item_get::{self, CrateItemGetParams},
    crate_item_list::{self, CrateItemListParams},
    crate_list::{self, CrateListParams},
    crate_readme_get::{self, CrateReadmeGetParams},
    crate_version_get::{self, CrateVersionGetParams},
    crate_versions_list::{self, CrateVersionsListParams},
};
use pd_runtime::{PdServer, Registry, ServerBuilder, check::RegistryErrors, pd_tool};
use rmcp::{
    ErrorData as McpError, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, Implementation, ServerCapabilities, ServerConfig},
    tool, tool_router,
};

/// The server's state: that of docs-mcp.
#[expect(missing_debug_implementations, reason = "docs-mcp's state has none")]
pub struct Docs {
    state: AppState,
}

/// The tools that rmcp's macros still declare.
#[tool_router]
impl Docs {
    #[tool(
        description = "Get high-level documentation structure from rustdoc JSON. Falls back to README when docs.rs has no build yet."
    )]
    async fn crate_docs_get(
        &self,
        Parameters(params): Parameters<CrateDocsGetParams>,
    ) -> Result<CallToolResult, McpError> {
        crate_docs_get::execute(&self.state, params).await
    }

    #[tool(
        description = "Search for items (types, functions, traits, methods, etc.) within a crate's API by name or concept."
    )]
    async fn crate_item_list(
        &self,
        Parameters(params): Parameters<CrateItemListParams>,
    ) -> Result<CallToolResult, McpError> {
        crate_item_list::execute(&self.state, params).await
    }

    #[tool(description = "Get complete documentation for a specific item by fully-qualified path.")]
    async fn crate_item_get(
        &self,
        Parameters(params): Parameters<CrateItemGetParams>,
    ) -> Result<CallToolResult, McpError> {
        crate_item_get::execute(&self.state, params).await
    }

    #[tool(description = "Find implementors of a trait, or all traits implemented by a type.")]
    async fn crate_impls_list(
        &self,
        Parameters(params): Parameters<CrateImplsListParams>,
    ) -> Result<CallToolResult, McpError> {
        crate_impls_list::execute(&self.state, params).await
    }

    #[tool(description = "List crates that depend on a given crate (reverse dependencies).")]
    async fn crate_dependents_list(
        &self,
        Parameters(params): Parameters<CrateDependentsListParams>,
    ) -> Result<CallToolResult, McpError> {
        crate_dependents_list::execute(&self.state, params).await
    }

    #[tool(description = "Get per-day download counts broken out by version for the past 90 days.")]
    async fn crate_downloads_get(
        &self,
        Parameters(params): Parameters<CrateDownloadsGetParams>,
    ) -> Result<CallToolResult, McpError> {
        crate_downloads_get::execute(&self.state, params).await
    }
}

/// The tools that have moved.
impl Docs {
    /// Returns crate summaries ranked by relevance, download count, or recency. Entry point for crate discovery when
    /// you don't have a crate name yet.
    ///
    /// # Examples
    ///
    /// The most downloaded HTTP clients:
    ///
    /// ```json
    /// { "query": "http client", "sort": "downloads", "per_page": 5 }
    /// ```
    #[pd_tool(summary = "Search crates.io by keyword, category or text", read_only)]
    async fn crate_list(
        &self,
        /// Free-text search query.
        query: Option<String>,
        /// Filter by crates.io category slug (e.g. "web-programming").
        category: Option<String>,
        /// Filter by crates.io keyword tag.
        keyword: Option<String>,
        /// Sort order.
        #[arg(one_of = ["relevance", "downloads", "recent-downloads", "recent-updates", "alphabetical"])]
        sort: Option<String>,
        /// Page number.
        #[arg(minimum = 1)]
        page: Option<u32>,
        /// Results per page.
        #[arg(minimum = 1, maximum = 100)]
        per_page: Option<u32>,
    ) -> Result<CallToolResult, McpError> {
        crate_list::execute(
            &self.state,
            CrateListParams {
                query,
                category,
                keyword,
                sort,
                page,
                per_page,
            },
        )
        .await
    }

    /// Returns description, homepage, repository, download counts, latest stable version, feature flags and MSRV.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "name": "serde" }
    /// ```
    #[pd_tool(
        summary = "Get the metadata of one crate",
        read_only,
        related(Docs::crate_list)
    )]
    async fn crate_get(
        &self,
        /// Exact crate name.
        name: String,
    ) -> Result<CallToolResult, McpError> {
        crate_get::execute(&self.state, CrateGetParams { name }).await
    }

    /// Returns the author's own words: why the crate exists, how to install it, and quick-start examples.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "name": "serde", "version": "1.0.197" }
    /// ```
    #[pd_tool(summary = "Fetch a crate's README as text", read_only)]
    async fn crate_readme_get(
        &self,
        /// Crate name.
        name: String,
        /// Exact version. The latest stable one by default.
        version: Option<String>,
    ) -> Result<CallToolResult, McpError> {
        crate_readme_get::execute(&self.state, CrateReadmeGetParams { name, version }).await
    }

    /// Returns each version's features, MSRV, number of dependencies and whether it is yanked, the newest first.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "name": "tokio", "search": "1.4" }
    /// ```
    #[pd_tool(summary = "List the versions of a crate", read_only)]
    async fn crate_versions_list(
        &self,
        /// Crate name.
        name: String,
        /// Include yanked versions.
        include_yanked: Option<bool>,
        /// Include pre-release versions.
        include_prerelease: Option<bool>,
        /// Filter by semver prefix or substring.
        search: Option<String>,
        /// Results per page.
        #[arg(minimum = 1, maximum = 100)]
        per_page: Option<usize>,
        /// Page number.
        #[arg(minimum = 1)]
        page: Option<usize>,
    ) -> Result<CallToolResult, McpError> {
        let params = CrateVersionsListParams {
            name,
            include_yanked,
            include_prerelease,
            search,
            per_page,
            page,
        };
        crate_versions_list::execute(&self.state, params).await
    }

    /// Returns edition, targets, size, licence and publisher of one version.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "name": "serde", "version": "1.0.197" }
    /// ```
    #[pd_tool(
        summary = "Get the metadata of one version",
        read_only,
        related(Docs::crate_versions_list)
    )]
    async fn crate_version_get(
        &self,
        /// Crate name.
        name: String,
        /// Exact version.
        version: String,
    ) -> Result<CallToolResult, McpError> {
        crate_version_get::execute(&self.state, CrateVersionGetParams { name, version }).await
    }

    /// Returns requirements, optional flags, enabled features and target conditions.
    ///
    /// # Examples
    ///
    /// Only what is built for users:
    ///
    /// ```json
    /// { "name": "serde", "kind": "normal" }
    /// ```
    #[pd_tool(summary = "List the dependencies of a crate", read_only)]
    async fn crate_dependencies_list(
        &self,
        /// Crate name.
        name: String,
        /// Exact version. The latest stable one by default.
        version: Option<String>,
        /// Kind of dependency. All of them by default.
        #[arg(one_of = ["normal", "dev", "build"])]
        kind: Option<String>,
        /// Filter by a part of the dependency's name.
        search: Option<String>,
    ) -> Result<CallToolResult, McpError> {
        let params = CrateDependenciesListParams {
            name,
            version,
            kind,
            search,
        };
        crate_dependencies_list::execute(&self.state, params).await
    }
}

/// Says who the server is. rmcp's `#[tool_handler]` is gone: pd-runtime calls the tools.
#[derive(Debug)]
pub struct Name;

impl ServerHandler for Name {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::default())
            .with_server_info(Implementation::new("docs-mcp", "0.1.2"))
    }
}

/// Returns all twelve tools: the moved ones first.
///
/// # Errors
///
/// Returns the names that two tools share.
pub fn registry() -> Result<Registry<Docs>, RegistryErrors> {
    let moved = pd_runtime::registry! {
        //! Rust crates and their documentation.
        Docs::{crate_list, crate_get, crate_readme_get, crate_versions_list, crate_version_get, crate_dependencies_list},
    };
    moved.adopt(Docs::tool_router())
}

/// Builds the server.
///
/// # Errors
///
/// See [`registry()`].
pub fn server(state: AppState) -> Result<ServerBuilder<Docs, Name>, RegistryErrors> {
    Ok(PdServer::builder(registry()?, Docs { state })
        .listing(pd_runtime::Listing::Minimal)
        .with_handler(Name))
}
