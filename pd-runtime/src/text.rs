//! Text utilities that other modules share: escapes, estimates, strings in const functions, and the
//! files of a user.

pub mod bounded_line;
pub(crate) mod compact_json;
pub(crate) mod const_message;
pub(crate) mod const_str;
pub mod equal_lines;
pub mod escape;
#[cfg(feature = "lock")]
pub mod file_lock;
pub(crate) mod finite;
pub(crate) mod fit_lines;
pub mod invisible;
pub mod leading_json;
pub mod loopback;
pub(crate) mod loose_json;
#[cfg(any(feature = "export", feature = "lock"))]
pub(crate) mod pretty_json;
pub(crate) mod python_json;
pub mod regular_file;
pub mod thousands;
pub(crate) mod token_estimate;
pub mod truncate;
pub mod unix_time;
pub mod user_directory;
pub mod value_memory;
pub mod write_file;
