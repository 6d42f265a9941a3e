//! Selective tools: rows that go from tool to tool, while the model sees only the columns that it
//! selected.

pub mod data_plane;
#[cfg(feature = "fetch")]
pub(crate) mod fetch;
pub(crate) mod table;
