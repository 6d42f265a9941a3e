//! Tools of other MCP servers, offered as one server with progressive disclosure.
//!
//! A [`GatewayConfig`] is read from the `mcpServers` file that MCP clients use. A [`Gateway`]
//! starts a server when a call needs it. What the servers list is kept on disk, so that lists,
//! searches and descriptions need no running process. With [`Gateway::with_lock`], a tool that has
//! changed is not called until a person approves the change.
//!
//! ```no_run
//! use pd_gateway::{Gateway, GatewayConfig};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let config = GatewayConfig::open(".mcp.json")?;
//! let lock = config.lock_path();
//! let gateway = Gateway::new(config).with_lock(lock)?;
//! gateway.refresh().await;
//! let server = gateway.builder().build()?;
//! gateway.follow(&server);
//! pd_runtime::serve::stdio(&server).await?;
//! gateway.stop().await;
//! # Ok(())
//! # }
//! ```

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
    CallRate, ConfigError, ConfigErrorKind, ConfigMistake, ConnectionSharing, GatewayConfig,
    HttpServer, IdleStop, OAuthGrant, OAuthSettings, SecretText, SelectiveResults, ServerEntry,
    ServerSettings, ServerTransport, ServerTrust, StdioServer, ToolPattern, ToolSettings,
    discover::ClientKind, own_environment::find_configs,
};
pub use gateway::{Gateway, server_status::ServerStatus};
#[cfg(feature = "oauth")]
pub use oauth::{LoginError, LoginRemoval, LoginRequest, PendingLogin, StoredLogin};
pub use trust::lock::{HeldKind, HeldTool, TextChange};
pub use upstream::server_state::ServerState;
