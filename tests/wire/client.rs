//! The agent's side against servers: ours in every listing and era, a plain one, and several at once.

mod agent;
mod changes;
mod inline;
mod listings;
mod names;
mod plain;
mod principals;
mod prompt;
mod provider;
mod rows;
mod signed;
mod timeouts;
