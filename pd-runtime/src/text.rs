//! Text utilities that other modules share: escapes, estimates, strings in const functions, and the
//! files of a user.

#[cfg(feature = "gateway")]
pub(crate) mod bounded_line;
pub(crate) mod byte_prefix;
pub(crate) mod const_message;
pub(crate) mod const_str;
#[cfg(any(feature = "cli", feature = "gateway"))]
pub(crate) mod equal_lines;
pub(crate) mod escape;
pub(crate) mod finite;
pub(crate) mod fit_lines;
pub(crate) mod invisible;
pub(crate) mod leading_json;
#[cfg(any(feature = "export", feature = "lock"))]
pub(crate) mod pretty_json;
pub(crate) mod python_json;
pub(crate) mod regular_file;
pub(crate) mod token_estimate;
#[cfg(any(feature = "cli", feature = "gateway", feature = "semantic"))]
pub(crate) mod user_directory;
pub(crate) mod write_file;
