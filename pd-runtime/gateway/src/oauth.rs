//! OAuth 2.1 for servers over HTTP. (Feature `oauth`.)
//!
//! A login gets the tokens of one server and one principal, and keeps them in a file. Each request
//! to the server carries the access token, which is renewed before it expires. `access_tokens` has
//! the tokens of a running gateway, `token_file` the file and its lock between processes,
//! `login` the login, and `authorization_server` what all of them send to the authorization server.

mod access_tokens;
mod authorization_server;
mod challenge;
mod command;
mod error;
mod login;
mod stored_tokens;
mod token_file;

pub(crate) use access_tokens::AccessTokens;
pub use error::LoginError;
pub(crate) use login::remove_tokens;
pub use login::{LoginRemoval, LoginRequest, PendingLogin, StoredLogin};
pub(crate) use token_file::TokenDirectory;
