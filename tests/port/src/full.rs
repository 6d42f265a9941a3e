//! The third form: every tool is a `#[pd_tool]`. The state is docs-mcp's own; `#[tool_router]` is gone.

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
use pd_runtime::{PdServer, Registry, ServerBuilder, pd_tool};
use rmcp::{ErrorData as McpError, model::CallToolResult};

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
    state: &AppState,
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
        state,
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
    related(crate_list)
)]
async fn crate_get(
    state: &AppState,
    /// Exact crate name.
    name: String,
) -> Result<CallToolResult, McpError> {
    crate_get::execute(state, CrateGetParams { name }).await
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
    state: &AppState,
    /// Crate name.
    name: String,
    /// Exact version. The latest stable one by default.
    version: Option<String>,
) -> Result<CallToolResult, McpError> {
    crate_readme_get::execute(state, CrateReadmeGetParams { name, version }).await
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
    state: &AppState,
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
    crate_versions_list::execute(state, params).await
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
    related(crate_versions_list)
)]
async fn crate_version_get(
    state: &AppState,
    /// Crate name.
    name: String,
    /// Exact version.
    version: String,
) -> Result<CallToolResult, McpError> {
    crate_version_get::execute(state, CrateVersionGetParams { name, version }).await
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
    state: &AppState,
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
    crate_dependencies_list::execute(state, params).await
}
/// Returns the crate's own documentation, its features and its modules. Where docs.rs has no build, the README.
///
/// # Examples
///
/// With a line for each item:
///
/// ```json
/// { "name": "serde", "include_items": true }
/// ```
#[pd_tool(
    summary = "Get a crate's documentation and module tree",
    read_only,
    related(crate_readme_get)
)]
async fn crate_docs_get(
    state: &AppState,
    /// Crate name.
    name: String,
    /// Exact version. The latest stable one by default.
    version: Option<String>,
    /// Include item-level summaries per module.
    include_items: Option<bool>,
) -> Result<CallToolResult, McpError> {
    crate_docs_get::execute(
        state,
        CrateDocsGetParams {
            name,
            version,
            include_items,
        },
    )
    .await
}

/// Returns ranked items with signatures and summaries.
///
/// # Examples
///
/// ```json
/// { "name": "tokio", "query": "mutex", "kind": "struct" }
/// ```
#[pd_tool(
    summary = "Search the items of a crate's API",
    read_only,
    related(crate_item_get)
)]
async fn crate_item_list(
    state: &AppState,
    /// Crate name.
    name: String,
    /// Exact version. The latest stable one by default.
    version: Option<String>,
    /// Item name or concept.
    query: String,
    /// Kind of item.
    #[arg(one_of = ["struct", "enum", "trait", "fn", "type", "const", "macro"])]
    kind: Option<String>,
    /// Restrict to items under this module path (e.g. "tokio::sync").
    module_prefix: Option<String>,
    /// Max results.
    #[arg(minimum = 1, maximum = 50)]
    limit: Option<usize>,
) -> Result<CallToolResult, McpError> {
    let params = CrateItemListParams {
        name,
        version,
        query,
        kind,
        module_prefix,
        limit,
    };
    crate_item_list::execute(state, params).await
}

/// Returns the doc comment, the signature, inherent methods, implemented traits and feature flags of one item.
///
/// # Examples
///
/// ```json
/// { "name": "tokio", "item_path": "tokio::sync::Mutex" }
/// ```
#[pd_tool(
    summary = "Get the documentation of one item by its path",
    read_only,
    related(crate_item_list)
)]
async fn crate_item_get(
    state: &AppState,
    /// Crate name.
    name: String,
    /// Exact version. The latest stable one by default.
    version: Option<String>,
    /// Fully-qualified item path.
    item_path: String,
    /// Include inherent methods from impl blocks.
    include_methods: Option<bool>,
    /// Which trait impls to return: `filtered` omits ubiquitous blankets.
    #[arg(one_of = ["filtered", "all", "none"])]
    include_trait_impls: Option<String>,
) -> Result<CallToolResult, McpError> {
    let params = CrateItemGetParams {
        name,
        version,
        item_path,
        include_methods,
        include_trait_impls,
    };
    crate_item_get::execute(state, params).await
}

/// Returns the types that implement a trait, or the traits that a type implements: give one of both paths.
///
/// # Examples
///
/// ```json
/// { "name": "serde", "trait_path": "serde::Serialize" }
/// ```
#[pd_tool(
    summary = "Find implementors of a trait, or traits of a type",
    read_only,
    related(crate_item_list)
)]
async fn crate_impls_list(
    state: &AppState,
    /// Crate name.
    name: String,
    /// Exact version. The latest stable one by default.
    version: Option<String>,
    /// Fully-qualified trait path to find implementors of.
    trait_path: Option<String>,
    /// Fully-qualified type path to find implemented traits of.
    type_path: Option<String>,
    /// Filter by a part of the name.
    search: Option<String>,
    /// Max results.
    #[arg(minimum = 1, maximum = 200)]
    limit: Option<usize>,
) -> Result<CallToolResult, McpError> {
    let params = CrateImplsListParams {
        name,
        version,
        trait_path,
        type_path,
        search,
        limit,
    };
    crate_impls_list::execute(state, params).await
}

/// Returns which crates depend on this one, and with what requirement.
///
/// # Examples
///
/// ```json
/// { "name": "serde", "search": "json" }
/// ```
#[pd_tool(summary = "List the crates that depend on a crate", read_only)]
async fn crate_dependents_list(
    state: &AppState,
    /// Crate name.
    name: String,
    /// Page number.
    #[arg(minimum = 1)]
    page: Option<u32>,
    /// Results per page.
    #[arg(minimum = 1, maximum = 100)]
    per_page: Option<u32>,
    /// Filter by a part of the dependent crate's name.
    search: Option<String>,
) -> Result<CallToolResult, McpError> {
    crate_dependents_list::execute(
        state,
        CrateDependentsListParams {
            name,
            page,
            per_page,
            search,
        },
    )
    .await
}

/// Returns downloads by day and version over 90 days, with totals of 30 and 90 days.
///
/// # Examples
///
/// ```json
/// { "name": "serde", "before_date": "2026-03-01" }
/// ```
#[pd_tool(summary = "Get the daily downloads of a crate", read_only)]
async fn crate_downloads_get(
    state: &AppState,
    /// Crate name.
    name: String,
    /// The last of the 90 days. Today by default.
    #[arg(format = "date")]
    before_date: Option<String>,
) -> Result<CallToolResult, McpError> {
    crate_downloads_get::execute(state, CrateDownloadsGetParams { name, before_date }).await
}

/// Returns all twelve tools.
#[must_use]
pub fn registry() -> Registry<AppState> {
    pd_runtime::registry! {
        //! Rust crates and their documentation.
        crate_list, crate_get, crate_readme_get, crate_docs_get,
        crate_item_list, crate_item_get, crate_impls_list,
        crate_versions_list, crate_version_get, crate_dependencies_list, crate_dependents_list, crate_downloads_get,
    }
}

/// Builds the server.
#[must_use]
pub fn server(state: AppState) -> ServerBuilder<AppState> {
    PdServer::builder(registry(), state).listing(pd_runtime::Listing::Minimal)
}
