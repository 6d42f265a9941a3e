//! One caller's view of the catalog: who calls, what the caller sees, what was disclosed to it, and
//! the gate before a call.

pub(crate) mod caller;
mod client_name;
pub(crate) mod disclose;
pub(crate) mod gate;
pub(crate) mod list_changed;
pub(crate) mod listed_form;
#[cfg(feature = "code")]
pub(crate) mod program_run;
pub(crate) mod recorder;
pub(crate) mod scoped_extras;
mod shown_name;
pub(crate) mod tool_naming;
mod undisclosed_calls;
pub(crate) mod view;
