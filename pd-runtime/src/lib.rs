//! Progressive disclosure for MCP servers. A model reads one line per tool, then the full
//! description of the tool that it picks, and only then can it call that tool.
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
//! // Tools are functions. A registry also calls them from JSON.
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let result = registry().call(&Weather, "forecast", serde_json::json!({"city": "Oslo"})).await?;
//! assert_eq!(result.structured_content, Some(serde_json::json!([21.5, 21.5, 21.5])));
//! # Ok::<(), ToolError>(())
//! # }).unwrap();
//! # Ok::<(), pd_runtime::check::RegistryErrors>(())
//! ```
//!
//! | to | see |
//! |---|---|
//! | declare a tool | [`pd_tool`], [`ToolErrors`], [`State`], [`Args`], [`CallContext`], [`Json`] |
//! | return rows of which callers select columns | [`selective`], [`Table`], [`tool::IntoRows`] |
//! | take rows that another tool returned | [`Selected`] |
//! | fetch such rows | `ServerBuilder::fetch`, `selective::FetchPolicy` (feature `fetch`) |
//! | collect tools | [`registry!`], [`Registry`], [`Tool`], [`Group`], [`Bundle`], [`SkillFile`] |
//! | serve them | [`PdServer`], [`ServerBuilder`], [`serve`], `cli` (feature `cli`) |
//! | serve an rmcp server | [`PdServer::adopt`], [`RegistryBuilder::adopt`] |
//! | keep an rmcp handler | [`ServerBuilder::with_handler`] |
//! | add prompts and resources | [`ServerBuilder::with_prompts`], [`server::ResourceProvider`] |
//! | test tools | [`Registry::call`], [`PdServer::call`] |
//! | test as a caller | [`tool::RecordingClient`], [`CallContext::with_principal`] |
//! | check a registry | [`Registry::check`], [`Registry::lint`], [`mod@check`] |
//! | compare contracts with a reviewed file | [`Registry::check_lock`] |
//! | find a tool | [`Registry::search`], [`search::Search`], [`search`] |
//! | run replicas | [`store::DisclosureStore`], `redis::SessionStore` (feature `redis`) |
//! | share HTTP sessions | `serve::HttpOptions::session_store` (feature `http`) |
//! | control access | [`Access`], [`Principal`], [`Tool::scope`] |
//! | authenticate callers | `serve::Authenticate` (feature `http`), `serve::Jwt` (feature `jwt`) |
//! | hold rows for other tools | [`selective::data_plane`], [`ServerBuilder::data_plane`] |
//! | make tools of an HTTP API | `openapi::OpenApi` and the page `_docs::openapi` (feature `openapi`) |
//! | keep large results from a model | [`_docs::large_results`], [`Limits::result_tokens`] |
//! | keep interfaces of MCP Apps working | [`_docs::apps`] |
//! | observe a server | [`_docs::telemetry`], [`audit::Audit`] |
//! | edit texts without compiling | [`PdServer::overlay`], [`Registry::overlaid`], [`overlay`] |
//! | configure disclosure | [`Listing`], [`GateMode`], [`config`] |
//! | limit callers | [`Limits`], [`config::Rate`], [`Tool::timeout`], [`Tool::concurrency`] |
//! | know which protocols clients may use | [`_docs::surfaces`], [`config::MetaTools`] |
//! | correct a mistake | [`_docs::mistakes`] |
//! | send tools to a model provider | [`provider`] |
//! | offer the tools of other servers | `pd_gateway::Gateway` of the crate `pd-gateway` |
//! | publish a server in registries | `serve::ServerCard` (feature `http`), `_docs::publish` |
//! | use tools without a server | [`export`], [`Registry::export`] |
//! | serve agent frameworks | [`_docs::agent_frameworks`], [`ServerBuilder::session_per_call`] |
//! | write an agent | `client` (feature `client`), [`_docs::system_prompts`] |
//!
//! [`pd_tool`]: macro@pd_tool
//! [`ToolErrors`]: macro@ToolErrors
//! [`State`]: macro@State
//!
//! # Guides
//!
//! Each guide starts from a task. The repository contains its example, which the tests compile and
//! run.
//!
//! | to | read |
//! |---|---|
//! | move a server that rmcp's macros serve, one tool at a time | [from an rmcp server] |
//! | move the Python server of the implementation guide | [from the guide's Python server] |
//! | choose what `tools/list` contains | [which listing for how many tools] |
//! | keep state in a database | [state with a database pool] |
//! | offer prompts, resources and completion | [prompts and resources beside tools] |
//! | serve MCP beside your own routes | [inside an axum application] |
//! | check tokens, and hide tools from callers without a scope | [authentication and scopes] |
//! | find tools that share no word with the request | [search by meaning] |
//! | test tools, from a function call to foreign clients | [testing tools] |
//! | use LangChain, CrewAI, the Vercel AI SDK or another framework | [agent frameworks] |
//! | run a server in a container or by systemd, behind a proxy | [deploying] |
//! | know what a new release may change | [versions] |
//!
//! [from an rmcp server]: _docs::from_rmcp
//! [from the guide's Python server]: _docs::from_python
//! [prompts and resources beside tools]: _docs::prompts_and_resources
//! [authentication and scopes]: _docs::authentication
//! [search by meaning]: _docs::search_by_meaning
//! [agent frameworks]: _docs::agent_frameworks
//! [which listing for how many tools]: _docs::which_listing
//! [state with a database pool]: _docs::database
//! [inside an axum application]: _docs::axum
//! [testing tools]: _docs::testing
//! [deploying]: _docs::deploying
//! [versions]: _docs::versions
//!
//! The page `_docs::command_line` (feature `cli`) describes each command, its JSON and the exit
//! codes, and `_docs::report` the page that the command `report` writes.
//!
//! # What a client sees
//!
//! `tools/list` returns names and summaries ([`Listing`]). The resource
//! `resource:///tool_descriptions?tools=NAME` and the meta-tool `describe_tools` return full
//! descriptions, which admit the caller to those tools ([`GateMode`]). The server refuses an
//! earlier call and adds the description to the refusal ([`config::Refusal`]). This is Progressive
//! Disclosure for Tool Descriptions v2.1, to the letter in sessions, up to 2025-11-25.
//! Self-contained requests from 2026-07-28, and servers without sessions, have no session to
//! isolate. There a ticket proves that its principal received the description.
//!
//! # Features
//!
//! No feature is on by default.
//!
//! | feature | adds |
//! |---|---|
//! | `anyhow` | tools that return `anyhow::Error` |
//! | `cli` | the command line, with clap, an o200k tokenizer and `http` |
//! | `client` | the agent's side, over rmcp's client |
//! | `code` | `ServerBuilder::code_mode` and `code::CodeProgram`: programs that call tools |
//! | `export` | `Registry::export`, which writes a registry as files |
//! | `fetch` | `selective::FetchPolicy`, for tools that fetch rows from other servers |
//! | `http` | streamable HTTP on axum |
//! | `jwks` | `jwt`, and the fetching of its keys |
//! | `jwt` | `serve::Jwt`, which identifies callers by JSON Web Tokens |
//! | `lock` | `Registry::check_lock`, which compares the contracts with a file |
//! | `metrics` | `Metrics`, and with `http` an endpoint for Prometheus |
//! | `openapi` | `openapi::OpenApi` and `Registry::from_openapi`: the operations of an HTTP API |
//! | `otel` | spans of requests as children of their clients' spans |
//! | `overlay` | `PdServer::overlay` and `Registry::overlaid`: texts of a directory |
//! | `presets` | `ServerBuilder::preset`, which offers the meta-tools of another system |
//! | `redis` | `redis::SessionStore` for sessions of replicas, and `redis::ResultStore` for rows |
//! | `semantic` | `search::MiniLm`, a sentence model on candle, for search by meaning |
//! | `watch` | `PdServer::watch_overlay`, which follows edited descriptions |

#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc(html_root_url = "https://docs.rs/pd-runtime/0.1.0")]
extern crate self as pd_runtime;

#[doc(hidden)]
pub mod __private;
pub mod _docs;

#[cfg(feature = "http")]
mod card;
mod catalog;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "code")]
pub mod code;
mod digest;
mod disclosure;
#[cfg(feature = "export")]
pub mod export;
#[cfg(feature = "http")]
mod http_sessions;
mod large_results;
#[cfg(feature = "lock")]
mod lockfile;
#[cfg(feature = "openapi")]
pub mod openapi;
mod parallel;
mod policy;
mod protocol;
pub mod provider;
#[cfg(feature = "redis")]
pub mod redis;
mod registry;
pub mod search;
#[doc = include_str!("../docs/selective.md")]
pub mod selective;
pub mod serve;
pub mod server;
mod surface;
mod telemetry;
mod text;
pub mod tool;
#[doc(hidden)]
pub mod upstream;

/// Derives [`Provide`] for each field of a state struct, so that tools borrow the parts they need.
///
/// `#[state(skip)]` leaves a field out. Two fields of one type would be ambiguous and are an error.
pub use pd_macros::State;
/// Derives [`ToolArg`](trait@ToolArg) for a struct, or for an enum without data. The compiler then
/// checks examples and defaults of the type.
///
/// The derive follows serde's `rename`, `rename_all`, `default`, `skip`, `flatten`, `transparent`
/// and `other`. It knows nothing of a type or field that serde reads in another way (`with`,
/// `from`, `tag`, …); [`Registry::check`] checks its values. An example cannot use an `alias`: the
/// schema does not show it to callers, so a call with one fails.
///
/// A type parameter needs a shape if a field has that type, or std's container of it (`Vec<T>`,
/// `Option<(T, u8)>`). The derive knows nothing of `PhantomData<T>`, `T::Id` and other types that
/// contain the parameter.
///
/// # Recursive types
///
/// The derive knows nothing of a field that names its own type, which ends the recursion. It cannot
/// see through an alias, or through types that contain one another. rustc then reports "cycle
/// detected" (E0391) at such a field. `#[tool_arg(unchecked)]` on the field ends the recursion:
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
/// Derives [`IntoToolError`] for an enum of errors. Its `Display` is the message.
///
/// The code of a variant is its name in `SCREAMING_SNAKE` case, or `#[tool_error(code = "…")]`. Its
/// doc comment is the solution, which a failed call sends to the model. A variant without a doc
/// comment is an error.
///
/// The description of a tool shows the text of thiserror's `#[error("…")]` as the cause, with
/// `{path}` for a named value and `…` for any other value. A variant has no cause if its text is
/// not a literal, or if its `Display` is written by hand. The `# Errors` section of a tool can
/// replace the cause. A failed call contains the message itself, and no cause that repeats the
/// message.
pub use pd_macros::ToolErrors;
#[doc = include_str!("../docs/pd_tool.md")]
pub use pd_macros::pd_tool;
#[doc = include_str!("../docs/registry.md")]
pub use pd_macros::registry;

// Types of these crates are part of this crate's API. Authors use the same versions from here.
pub use {rmcp, schemars};

pub use policy::{GateMode, Listing, access::Access, limits::Limits};
pub use registry::{
    Registry,
    builder::RegistryBuilder,
    bundle::Bundle,
    group::{Group, GroupView},
    skill_file::SkillFile,
    tool::Tool,
};
pub use selective::table::Table;
pub use server::{builder::ServerBuilder, pd_server::PdServer};
pub use telemetry::audit;
#[cfg(feature = "metrics")]
pub use telemetry::metrics::Metrics;
pub use text::token_estimate::estimate_tokens;
pub use tool::{
    argument::Args,
    context::CallContext,
    error::{IntoToolError, ToolError},
    output::{IntoOutput, Json},
    principal::Principal,
    selected::Selected,
    shape::ToolArg,
    state::Provide,
};

/// Views of tools, which hosts render (MCP Apps).
pub mod apps {
    pub use crate::{
        registry::view::View,
        tool::view::{ViewOutput, Visibility},
    };
}

/// Checks of a registry: errors, lints, and the lock of its contracts.
pub mod check {
    #[cfg(feature = "lock")]
    pub use crate::lockfile::{ContractChange, ContractChanges, ContractLock, LockError};
    pub use crate::{
        registry::{
            check::CheckReport,
            lint::LintWarning,
            problem::{Location, RegistryError, RegistryErrorKind, RegistryErrors},
        },
        search::request_check::{MissedRequest, MissedRequests},
        tool::lint::{Lint, UnknownLintError},
    };
}

/// Settings of a server beside [`GateMode`], [`Listing`] and [`Limits`].
pub mod config {
    #[cfg(feature = "presets")]
    pub use crate::policy::preset::Preset;
    pub use crate::policy::{
        MinimalSchema, Refusal, limits::Rate, meta_tools::MetaTools,
        session_per_call::SessionPerCall,
    };
}

/// Errors of edited descriptions, which [`PdServer::overlay`] serves.
#[cfg(feature = "overlay")]
pub mod overlay {
    pub use crate::catalog::overlay::{OverlayError, OverlayErrorKind, OverlayFileError};
}

/// The store of disclosures that replicas share.
pub mod store {
    pub use crate::{
        digest::Digest,
        policy::disclosure_store::{
            DisclosureStore, DisclosureStoreError, disclosure_record::DisclosureRecord,
            session_key::SessionKey,
        },
    };
}

/// The names that tool authors use most: `use pd_runtime::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Args, CallContext, Json, Listing, PdServer, Provide, Registry, Selected, State, Table,
        ToolArg, ToolError, ToolErrors, pd_tool,
    };
    // From its own crate: a private module at this crate's root has the same name.
    pub use pd_macros::registry;
}

/// The example of the crate's README compiles.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
mod readme {}
