//! The lists of servers: read, checked, and kept on disk.
//!
//! `list` reads them page by page, within the memory of `list_room`, and `raw_lists` has the
//! outcome. `cached_lists` keeps them on disk for the next run, and `first_list` the lines of the
//! first list. `odd_definition` repairs schemas of tools for clients. `offered_resources` leaves resources out, and `left_out_tools`
//! logs the tools that are left out.

pub(crate) mod cached_lists;
#[cfg(feature = "cli")]
pub(crate) mod first_list;
pub(crate) mod left_out_tools;
pub(crate) mod list;
pub(crate) mod list_room;
pub(crate) mod odd_definition;
pub(crate) mod offered_resources;
pub(crate) mod raw_lists;
