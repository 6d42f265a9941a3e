//! Text utilities that other modules share: escapes, estimates, suggestions, and strings in const
//! functions.

pub(crate) mod const_message;
pub(crate) mod const_str;
pub(crate) mod escape;
pub(crate) mod invisible;
pub(crate) mod percent;
#[cfg(any(feature = "export", feature = "lock"))]
pub(crate) mod pretty_json;
pub(crate) mod python_json;
pub(crate) mod suggest;
pub(crate) mod token_estimate;
