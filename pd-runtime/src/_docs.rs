//! Pages of documentation. This module has no items.

/// Includes a page. Its own links lead to files of the repository. `rustdoc-links.md` precedes it
/// and leads the same links to this documentation: of two definitions, Markdown uses the first.
macro_rules! page {
    ($file:literal) => {
        concat!(
            include_str!("../docs/rustdoc-links.md"),
            "\n",
            include_str!(concat!("../docs/", $file))
        )
    };
}

#[doc = page!("from-rmcp.md")]
pub mod from_rmcp {}

#[doc = page!("from-python.md")]
pub mod from_python {}

#[doc = page!("which-listing.md")]
pub mod which_listing {}

#[doc = page!("database.md")]
pub mod database {}

#[doc = page!("prompts-and-resources.md")]
pub mod prompts_and_resources {}

#[doc = page!("axum.md")]
pub mod axum {}

#[doc = page!("authentication.md")]
pub mod authentication {}

#[doc = page!("search-by-meaning.md")]
pub mod search_by_meaning {}

#[doc = page!("large-results.md")]
pub mod large_results {}

#[cfg(feature = "openapi")]
#[doc = page!("openapi.md")]
pub mod openapi {}

#[doc = page!("apps.md")]
pub mod apps {}

#[doc = page!("testing.md")]
pub mod testing {}

#[doc = page!("deploying.md")]
pub mod deploying {}

#[cfg(feature = "http")]
#[doc = page!("publish.md")]
pub mod publish {}

#[doc = page!("versions.md")]
pub mod versions {}

#[cfg(feature = "cli")]
#[doc = page!("command-line.md")]
pub mod command_line {}

#[cfg(feature = "cli")]
#[doc = page!("report.md")]
pub mod report {}

#[doc = include_str!("../docs/mistakes/index.md")]
pub mod mistakes {
    #[doc = include_str!("../docs/mistakes/functions.md")]
    pub mod functions {}

    #[doc = include_str!("../docs/mistakes/summaries.md")]
    pub mod summaries {}

    #[doc = include_str!("../docs/mistakes/keys.md")]
    pub mod keys {}

    #[doc = include_str!("../docs/mistakes/parameters.md")]
    pub mod parameters {}

    #[doc = include_str!("../docs/mistakes/state.md")]
    pub mod state {}

    #[doc = include_str!("../docs/mistakes/arguments.md")]
    pub mod arguments {}

    #[doc = include_str!("../docs/mistakes/descriptions.md")]
    pub mod descriptions {}

    #[doc = include_str!("../docs/mistakes/results.md")]
    pub mod results {}

    #[doc = include_str!("../docs/mistakes/registry.md")]
    pub mod registry {}

    #[doc = include_str!("../docs/mistakes/several.md")]
    pub mod several {}
}

#[doc = page!("agent-frameworks.md")]
pub mod agent_frameworks {}

#[doc = include_str!("../docs/system-prompts.md")]
pub mod system_prompts {}

#[doc = include_str!("../docs/telemetry.md")]
pub mod telemetry {}

#[doc = include_str!("../docs/serving.md")]
pub mod serving {}

#[doc = include_str!("../docs/surfaces.md")]
pub mod surfaces {}
