//! One caller's view of the catalog: who calls, what the caller sees, what was disclosed to it, and
//! the gate before a call.

pub(crate) mod caller;
pub(crate) mod disclose;
pub(crate) mod gate;
pub(crate) mod list_changed;
pub(crate) mod listed_form;
#[cfg(feature = "code")]
pub(crate) mod program_run;
pub(crate) mod recorder;
pub(crate) mod scoped_extras;
pub(crate) mod tool_naming;
pub(crate) mod view;
