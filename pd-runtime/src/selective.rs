pub mod data_plane;
#[cfg(feature = "fetch")]
pub(crate) mod fetch;
pub(crate) mod table;
