//! Text utilities that other modules share: escapes, estimates, suggestions, strings in const
//! functions, and the opening of files.

pub(crate) mod const_message;
pub(crate) mod const_str;
pub(crate) mod escape;
pub(crate) mod fit_lines;
pub(crate) mod invisible;
pub(crate) mod percent;
#[cfg(any(feature = "export", feature = "lock"))]
pub(crate) mod pretty_json;
pub(crate) mod python_json;
#[cfg(any(feature = "cli", feature = "export", feature = "gateway", feature = "lock", feature = "semantic"))]
pub(crate) mod regular_file;
pub(crate) mod suggest;
pub(crate) mod token_estimate;
