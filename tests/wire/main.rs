//! What goes over the wire, tested with rmcp's own client, with ours and by hand: one module a surface.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../harness/mod.rs"]
pub(crate) mod harness;

mod access;
mod adopted;
mod agent_calls;
mod any_errors;
mod arguments;
#[cfg(target_os = "linux")]
mod attacks;
mod authenticate;
mod beside;
mod call_forms;
mod cancelled;
mod catalog;
mod client;
mod code;
mod conformance;
mod corrections;
mod data_plane;
mod delta;
mod deterministic_groups;
mod doc_texts;
mod error_help;
mod extension;
mod extras;
mod foreign_types;
mod gate;
mod gateway;
mod grouped;
mod groups;
mod header_arguments;
mod icons;
mod isolation;
mod json_texts;
mod jwt;
mod known_hosts;
mod large_results;
mod limits;
mod listing;
mod listings;
mod manifest;
mod map_keys;
mod meta_tools;
mod mounted;
mod nearest;
mod no_trace;
mod nullable;
mod numbers;
mod one_call_sessions;
mod outline;
mod overlay;
mod patterns;
mod presets;
mod promised_results;
mod proxies;
mod questions;
mod recovery;
mod relay;
mod replace;
mod resource;
mod results;
mod reveal;
mod seen;
mod selected;
mod selective;
mod server_card;
mod sessions;
mod skills;
mod streams;
mod tickets;
mod tokens;
mod type_errors;
mod unavailable;
mod unions;
mod variants;
mod views;
