//! Words that the server writes and the agent's side reads, or the other way about: keys in `_meta`, codes of refusals,
//! and MCP-SD's keys of answers and arguments.

/// In a call's `_meta`: the ticket for its tool.
pub(crate) const TICKET: &str = "dev.pd-runtime/ticket";
/// In a result's `_meta`: tickets, by tool.
pub(crate) const TICKETS: &str = "dev.pd-runtime/tickets";
/// In a description's own `_meta`: its digest.
pub(crate) const DIGEST: &str = "dev.pd-runtime/digest";
/// In a result's `_meta`: digests, by tool.
pub(crate) const DIGESTS: &str = "dev.pd-runtime/digests";

/// A call was refused for want of its tool's description (specification v2.1, section 6.2).
pub(crate) const UNDESCRIBED: &str = "TOOL_DESCRIPTION_REQUIRED";
/// The resource was read without naming a tool (specification v2.1, section 6.1).
pub(crate) const UNSELECTED: &str = "MISSING_TOOL_SELECTION";

/// In a selective answer: the rows that its caller is shown.
#[cfg(feature = "client")]
pub(crate) const ABSTRACT: &str = "abstract";
/// In a selective answer: the rest of each row, in mode `sync`.
#[cfg(any(feature = "client", feature = "cli"))]
pub(crate) const BODY: &str = "body";
/// In a selective answer, and a consumer's argument: where the rest of the rows waits.
pub(crate) const RESOURCE_URL: &str = "resource_url";
/// A consumer's argument: the rows that a model chose, as the other tool showed them.
pub(crate) const ABSTRACT_DATA: &str = "abstract_data";
/// A consumer's argument: the rest of the rows itself.
pub(crate) const BODY_DATA: &str = "body_data";
/// A consumer's argument: which columns are called otherwise.
pub(crate) const COLUMN_MAPPING: &str = "column_mapping";

/// The code of an error about arguments that do not fit a tool's schema.
pub(crate) const INVALID_ARGUMENTS: &str = "INVALID_ARGUMENTS";
