//! What servers list: read, checked, kept on disk.

pub(crate) mod cached_lists;
pub(crate) mod left_out_tools;
pub(crate) mod list;
pub(crate) mod list_room;
pub(crate) mod odd_definition;
pub(crate) mod offered_resources;
pub(crate) mod raw_lists;
