//! Why something failed: the texts, without secrets, for the owner and for callers, and bounded logs.

pub(crate) mod failure_text;
pub(crate) mod limited_log;
pub(crate) mod retry_pause;
pub(crate) mod secret_filter;
pub(crate) mod token_error;
