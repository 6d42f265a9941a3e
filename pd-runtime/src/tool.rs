//! What a tool's function touches: its parameters, its results, its errors. What is said about a tool is in `descriptor`.

pub(crate) mod argument;
pub(crate) mod cause;
pub(crate) mod context;
pub(crate) mod descriptor;
pub(crate) mod error;
pub(crate) mod handler;
pub(crate) mod lint;
pub(crate) mod output;
pub(crate) mod principal;
pub(crate) mod read_trace;
pub(crate) mod recording_client;
pub(crate) mod row_slot;
pub(crate) mod rows;
pub(crate) mod selected;
pub(crate) mod shape;
pub(crate) mod state;
