//! Progressive disclosure for MCP servers: a model sees one line a tool, reads the full description of the one it
//! picks, and can call it only then.
//!
//! ```
//! use pd_runtime::prelude::*;
//!
//! struct Weather;
//!
//! impl Weather {
//!     /// Highest and lowest temperature of each day, in °C.
//!     ///
//!     /// # Examples
//!     ///
//!     /// The weekend in Oslo:
//!     ///
//!     /// ```json
//!     /// { "city": "Oslo", "days": 2 }
//!     /// ```
//!     ///
//!     /// # Guidance
//!     ///
//!     /// - For a place without a name, use `forecast_at`.
//!     #[pd_tool(summary = "Forecast the weather of a city", read_only)]
//!     async fn forecast(
//!         &self,
//!         /// A city's name, in any language.
//!         city: String,
//!         /// How many days ahead.
//!         #[arg(default = 3, minimum = 1, maximum = 10)]
//!         days: u8,
//!         call: &CallContext,
//!     ) -> Result<Json<Vec<f64>>, ToolError> {
//!         call.progress(0.0, Some(f64::from(days)), "asking the weather service").await;
//!         if city.is_empty() {
//!             return Err(ToolError::new("NO_CITY", "which city?"));
//!         }
//!         Ok(Json(vec![21.5; days.into()]))
//!     }
//! }
//!
//! fn registry() -> Registry<Weather> {
//!     pd_runtime::registry! {
//!         //! Weather of the world's cities.
//!         Weather::forecast,
//!     }
//! }
//!
//! // The one test that every server should have.
//! assert_eq!(registry().check()?.examples, 1);
//!
//! // Tools are functions, and can be called from JSON too.
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let result = registry().call(&Weather, "forecast", serde_json::json!({"city": "Oslo"})).await?;
//! assert_eq!(result.structured_content, Some(serde_json::json!([21.5, 21.5, 21.5])));
//! # Ok::<(), ToolError>(())
//! # }).unwrap();
//! # Ok::<(), pd_runtime::RegistryErrors>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | declare a tool | [`pd_tool`](macro@pd_tool), [`ToolErrors`](macro@ToolErrors), [`State`](macro@State), [`Args`], [`CallContext`], [`Json`] |
//! | show only some columns of a result | [`selective`], [`Table`], [`IntoRows`] |
//! | take rows that another tool shows in part | [`Selected`], `ServerBuilder::fetch` and `FetchPolicy` (feature `fetch`) |
//! | put tools together | [`registry!`], [`Registry`], [`Tool`], [`Group`], [`Bundle`], [`SkillFile`] |
//! | serve them | [`PdHandler`], [`ServerBuilder`], [`serve`], `cli` (feature `cli`) |
//! | serve an rmcp server | [`PdServer::adopt`], [`RegistryBuilder::adopt`], [`ServerBuilder::around`] |
//! | add prompts and resources | [`ServerBuilder::with_prompts`], [`ResourceProvider`] |
//! | test tools | [`Registry::call`], [`RecordingClient`], [`CallContext::with_principal`], [`PdServer::call`] |
//! | keep it good | [`Registry::check`], [`Registry::taste`], [`Lint`], [`Registry::check_lock`], [`ContractLock`] |
//! | find a tool | [`Registry::search`], [`Search`], [`search`] |
//! | run several replicas | [`DisclosureStore`], `serve::HttpOptions::session_store` (feature `http`), `redis::SessionStore` (feature `redis`) |
//! | say who may see what | [`Access`], [`Principal`], [`Tool::scope`], `serve::Jwt` (feature `jwt`), `serve::Authenticate` (feature `http`) |
//! | let other tools fetch what a model is not shown | [`data`], [`ServerBuilder::data_plane`] |
//! | see what happens | [`seeing`], [`audit::Audit`] |
//! | edit descriptions without recompiling | [`PdServer::overlay`], [`Registry::overlaid`] |
//! | set how | [`Listing`], [`MetaTools`], [`Preset`], [`Gate`], [`Refusal`], [`MinimalSchema`] |
//! | bound what callers may ask | [`Limits`], [`Rate`], [`Tool::timeout`], [`Tool::concurrency`] |
//! | know what clients may speak | [`wires`], [`MetaTools`] |
//! | mend a mistake | [`mistakes`] |
//! | give tools to a model provider | [`provider`] |
//! | use tools without a server | [`export`], [`Registry::export`] |
//! | write an agent | `client` (feature `client`), [`system_prompts`] |
//!
//! # What a client sees
//!
//! `tools/list` shows names and summaries ([`Listing`]). The resource
//! `resource:///tool_descriptions?tools=NAME` and the meta-tool `describe_tools` give full
//! descriptions, which admits the caller to those tools ([`Gate`]). A call before that is refused,
//! with the description ([`Refusal`]). This is Progressive Disclosure for Tool Descriptions v2.1:
//! to the letter in sessions, up to 2025-11-25. Self-contained requests from 2026-07-28, and
//! servers without sessions, have no session to isolate: there a ticket proves that its principal
//! was given the description.
//!
//! # Features
//!
//! None is on by default. `anyhow` lets a tool return `anyhow::Error`; `http` adds streamable HTTP on axum; `cli` adds the command line, and with it clap, an o200k
//! tokenizer and `http`; `jwt` adds `serve::Jwt`, which knows callers by JSON Web Tokens, and `jwks` fetches the keys for it;
//! `fetch` adds `FetchPolicy`, for tools that fetch rows from other servers; `redis` adds `redis::SessionStore`, for sessions that replicas
//! share, and `redis::RowStore`, for rows; `metrics` adds `Metrics`, and with `http` an endpoint for Prometheus; `otel` makes requests' spans children of their clients'; `semantic` adds `search::MiniLm`, a sentence model on
//! candle, for search by meaning; `client` adds the agent's side, over rmcp's client; `watch` adds
//! `PdServer::watch_overlay`, which follows edited descriptions.

#![doc(html_root_url = "https://docs.rs/pd-runtime/0.1.0")]
extern crate self as pd_runtime;

#[doc(hidden)]
pub mod __private;

mod catalog;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
mod digest;
mod disclosure;
pub mod export;
#[cfg(feature = "http")]
mod http_sessions;
mod lockfile;
mod parallel;
mod policy;
mod protocol;
pub mod provider;
mod quota_key;
#[cfg(feature = "redis")]
pub mod redis;
mod registry;
mod regular_file;
pub mod search;
#[doc = include_str!("../docs/selective.md")]
pub mod selective;
pub mod serve;
mod server;
mod surface;
mod telemetry;
mod text;
mod tool;

/// Derives [`Provide`] for each field of a state struct, so that tools borrow the parts they need.
///
/// `#[state(skip)]` leaves a field out; two fields of one type would be ambiguous and are refused.
pub use pd_macros::State;
/// Derives [`ToolArg`](trait@ToolArg) for a struct, or for an enum without data, so that examples and defaults of it are
/// judged while they compile.
///
/// It honours serde's `rename`, `rename_all`, `default`, `skip`, `flatten`, `transparent` and `other`. Of a type or field that
/// is read another way (`with`, `from`, `tag`, …) nothing is known, and [`Registry::check`] judges it. An `alias` is refused in
/// examples: the schema shows callers none, so a call with one fails.
///
/// A type parameter needs a shape where a field is it, or std's container of it (`Vec<T>`, `Option<(T, u8)>`). Of
/// `PhantomData<T>`, `T::Id` and other types around it nothing is known.
///
/// # Types that hold themselves
///
/// Of a field that names its own type nothing is known, which ends the circle. What the derive cannot see is an alias, and types
/// that hold one another: rustc says "cycle detected" (E0391) and points at such a field. `#[tool_arg(unchecked)]` there ends
/// it:
///
/// ```
/// # use pd_runtime::prelude::*;
/// #[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
/// struct Folder {
///     files: Vec<File>,
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
/// struct File {
///     name: String,
///     #[tool_arg(unchecked)]
///     links_to: Option<Box<Folder>>,
/// }
/// ```
pub use pd_macros::ToolArg;
/// Derives [`IntoToolError`] for an enum of errors, whose `Display` is the message.
///
/// Each variant is a code in `SCREAMING_SNAKE` case, or `#[tool_error(code = "…")]`; its doc comment is the solution that a
/// failed call tells. A variant without one is refused.
///
/// The cause that a description shows is the text of thiserror's `#[error("…")]`, with `{path}` for a named value and `…` for
/// any other one. A variant whose text is not a literal, or whose `Display` is written by hand, has no cause. A tool's `# Errors`
/// section may say another one. A failed call has the message itself, and no cause that the message states already.
pub use pd_macros::ToolErrors;
#[doc = include_str!("../docs/pd_tool.md")]
pub use pd_macros::pd_tool;
#[doc = include_str!("../docs/registry.md")]
pub use pd_macros::registry;

// Their types stand in this crate's API, so that authors need no version of their own.
pub use {rmcp, schemars};

pub use catalog::overlay::{OverlayError, OverlayErrorKind, OverlayFileError};
pub use digest::Digest;
pub use lockfile::{ContractChange, ContractChanges, ContractLock, LockError};
pub use policy::access::Access;
pub use policy::disclosure_store::{
    DisclosureStore, DisclosureStoreError, disclosure_record::DisclosureRecord, session_key::SessionKey,
};
pub use policy::{
    Gate, Listing, MinimalSchema, Refusal,
    limits::{Limits, Rate},
    meta_tools::MetaTools,
    preset::Preset,
};
pub use registry::{
    Registry,
    builder::RegistryBuilder,
    bundle::Bundle,
    check::CheckReport,
    group::{Group, GroupView},
    lint::LintWarning,
    problem::{Location, RegistryError, RegistryErrorKind, RegistryErrors},
    skill_file::SkillFile,
    tool::Tool,
};
pub use search::Search;
#[cfg(feature = "fetch")]
pub use selective::fetch::{FetchPolicy, OriginError};
pub use selective::table::{Table, TableError};
pub use server::{NoHandler, PdHandler, PdServer, ResourceProvider, ServerBuilder};
pub use telemetry::audit;
#[cfg(feature = "metrics")]
pub use telemetry::metrics::Metrics;
pub use text::token_estimate::estimate_tokens;
pub use tool::descriptor::{SUMMARY_MAX, ToolAnnotations};
pub use tool::lint::{Lint, UnknownLint};
pub use tool::shape::{Field, Shape, ToolArg};
pub use tool::{
    argument::{Args, Argument, ArgumentSchema},
    context::{CallContext, Progress},
    error::{ConvertibleError, ErrorHelp, IntoToolError, ToolError},
    handler::{BoxedHandler, ToolHandler},
    output::{IntoOutput, Json, StructuredOutput, ToolResult},
    principal::Principal,
    recording_client::RecordingClient,
    rows::IntoRows,
    selected::{SelectableRow, Selected},
    state::{LendState, Provide, StateTypes},
};

/// What an author needs: `use pd_runtime::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Args, CallContext, Json, Listing, PdServer, Provide, Registry, Selected, State, Table, ToolArg, ToolError,
        ToolErrors, pd_tool,
    };
    // From its own crate: at this crate's root a private module has the same name.
    pub use pd_macros::registry;
}

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

#[doc = include_str!("../docs/system-prompts.md")]
pub mod system_prompts {}

#[doc = include_str!("../docs/telemetry.md")]
pub mod seeing {}

#[doc = include_str!("../docs/serving.md")]
pub mod serving {}

#[doc = include_str!("../docs/surfaces.md")]
pub mod wires {}

/// README's example compiles.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../../README.md")]
mod readme {}
