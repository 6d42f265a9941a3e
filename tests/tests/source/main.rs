//! Properties of the sources themselves: lints, layers, and the items that users can name.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod circles;
mod config_schema;
mod excerpts;
mod layers;
mod links;
mod lints;
mod named_code;
mod packaging;
mod pages;
mod public_items;
mod published_pages;
mod source_tree;
mod suggestions;
