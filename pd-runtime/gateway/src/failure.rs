//! Why something failed: a text for each reader, without secrets, and bounded logs.
//!
//! `failure_text` is a reason in a form for each of its readers. `secret_filter` collects the
//! secrets of an entry, and replaces them in texts. `limited_log` bounds the lines that an upstream
//! can cause, `retry_pause` is the pause before another attempt, and `token_error` is a missing
//! access token.

pub(crate) mod failure_text;
pub(crate) mod limited_log;
pub(crate) mod retry_pause;
pub(crate) mod secret_filter;
pub(crate) mod token_error;
