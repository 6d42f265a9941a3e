//! Words that the server writes and the agent's side reads, or the other way about: keys in `_meta`, and codes of refusals.

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
