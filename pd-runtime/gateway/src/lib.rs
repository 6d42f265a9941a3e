//! Your MCP servers behind one server, which lists a summary of each tool, and its full description
//! on request.
//!
//! A [`GatewayConfig`] is read from the configuration file of an MCP client, in JSON or TOML. A
//! [`Gateway`] runs every server of it: ask the user before you open the file of a project. A server
//! starts when a call needs it. What the servers list is kept on disk, so that lists, searches and
//! descriptions need no running process.
//!
//! With [`Gateway::with_lock`], the first lists of a server are approved. Later, a tool that is new,
//! breaks its callers or has a new text is held: [`Gateway::held`] returns it, and
//! [`Gateway::approve`] approves it.
//!
//! ```no_run
//! use pd_gateway::{Gateway, GatewayConfig};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let config = GatewayConfig::open(".mcp.json")?;
//! let lock = config.lock_path();
//! let gateway = Gateway::new(config).with_lock(lock)?;
//! // Starts the servers whose lists are not on disk yet, and waits for them.
//! gateway.refresh().await;
//! let server = gateway.builder().build()?;
//! // Replaces the tools whenever a server lists others.
//! gateway.follow(&server);
//! let served = pd_runtime::serve::stdio(&server).await;
//! // Also after an error: the processes of the servers must not stay.
//! gateway.stop().await;
//! served?;
//! # Ok(())
//! # }
//! ```
//!
//! The default features build the program `pd-gateway`, which needs no Rust; see
//! [its page](https://github.com/pd-runtime/pd-runtime/blob/main/pd-runtime/gateway/docs/gateway.md).
//! A library that embeds the gateway takes `default-features = false`, and adds `pd-runtime`:
//!
//! | feature | adds |
//! |---|---|
//! | `cli` | `cli::main`, the program's command line, and the approval of a project's entries |
//! | `code` | programs that call tools, with QuickJS-NG |
//! | `jwks` | callers authenticated by JSON Web Tokens, with the keys of their issuer |
//! | `metrics` | counters and histograms, and an endpoint for Prometheus |
//! | `oauth` | `Gateway::begin_login`, for servers that need a login |
//! | `redis` | sessions that replicas share |
//! | `regex` | patterns with look-around, back-references and Unicode classes |
//!
//! `semantic` (not a default) adds search by meaning, with the model that is installed beside the program.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![doc(html_root_url = "https://docs.rs/pd-gateway/0.1.0")]

#[cfg(feature = "cli")]
pub mod cli;
mod config;
mod connection;
mod failure;
mod forward;
mod gateway;
mod lists;
mod message;
#[cfg(not(feature = "oauth"))]
#[path = "oauth/no_oauth.rs"]
mod oauth;
#[cfg(feature = "oauth")]
mod oauth;
mod transport;
mod trust;
mod upstream;

pub use config::{
    CallRate, ConfigError, ConfigErrorKind, ConfigMistake, ConnectionSharing, FirstRequest,
    GatewayConfig, GroupChoice, GroupTexts, HttpServer, IdleStop, OAuthGrant, OAuthSettings,
    OpenApiServer, OpenApiSource, SecretText, SelectiveResults, ServerEntry, ServerSettings,
    ServerTransport, ServerTrust, StdioServer, ToolPattern, ToolSettings, discover::ClientKind,
    own_environment::find_configs,
};
pub use gateway::{Gateway, server_status::ServerStatus};
#[cfg(feature = "oauth")]
pub use oauth::{LoginError, LoginRemoval, LoginRequest, PendingLogin, StoredLogin};
pub use trust::lock::{HeldKind, HeldTool, TextChange};
pub use upstream::server_state::ServerState;
