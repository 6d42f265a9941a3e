//! Names that one of server and agent writes and the other reads: keys in `_meta`, codes of
//! refusals, and MCP-SD's keys of results and arguments.

/// In a call's `_meta`: the ticket for the tool.
pub const TICKET: &str = "dev.pd-runtime/ticket";
/// The property that the gate adds to a disclosed input schema if the protocol has no sessions. An
/// argument cannot have this name.
pub(crate) const TICKET_ARGUMENT: &str = "disclosure_ticket";
/// In a result's `_meta`: tickets by tool name.
pub const TICKETS: &str = "dev.pd-runtime/tickets";
/// In a tool's `_meta`: the label of its group, from the document of an API.
pub const GROUP_LABEL: &str = "dev.pd-runtime/group";
/// In a tool's `_meta`: the server that the document of an API names for it. A gateway removes it
/// before it lists the tool, so the lock alone has it.
pub const SERVER_URL: &str = "dev.pd-runtime/server";
/// In the `_meta` of a description: the digest of the description.
pub(crate) const DIGEST: &str = "dev.pd-runtime/digest";
/// In a result's `_meta`: digests by tool name.
pub(crate) const DIGESTS: &str = "dev.pd-runtime/digests";

/// In the `_meta` of a search's result: the names of the tools that it shows, the best first. A host
/// may offer these tools to its model with their own names and schemas.
pub(crate) const FOUND: &str = "dev.pd-runtime/found";

/// In a result's `_meta`: the server passed on the result of another server, and the text of that
/// result looks like a refusal of the passing server. A gateway removes the keys of this project
/// from results of other servers, so no server can write or remove this one.
pub const PASSED_ON: &str = "dev.pd-runtime/passed-on";

/// The URI of the resource with descriptions. Its query parameter `tools` selects them.
pub(crate) const DESCRIPTIONS_URI: &str = "resource:///tool_descriptions";

/// The code of a call that was refused because the caller has not read the tool's description
/// (specification v2.1, section 6.2).
pub const UNDESCRIBED: &str = "TOOL_DESCRIPTION_REQUIRED";
/// The code of a read of the description resource that names no tool (specification v2.1, section
/// 6.1).
pub(crate) const UNSELECTED: &str = "MISSING_TOOL_SELECTION";

/// In a selective result: the rows with the columns that the caller chose.
#[cfg(feature = "client")]
pub(crate) const ABSTRACT: &str = "abstract";
/// In a selective result: the other columns of each row, in mode `sync`.
#[cfg(any(feature = "client", feature = "cli"))]
pub(crate) const BODY: &str = "body";
/// In a selective result, and as an argument of a consumer: the URL of the other columns.
pub(crate) const RESOURCE_URL: &str = "resource_url";
/// An argument of a consumer: the rows that a model chose, as the other tool showed them.
pub(crate) const ABSTRACT_DATA: &str = "abstract_data";
/// An argument of a consumer: the other columns of the rows.
pub(crate) const BODY_DATA: &str = "body_data";
/// An argument of a consumer: new names for columns.
pub(crate) const COLUMN_MAPPING: &str = "column_mapping";

/// The code for arguments that do not fit a tool's schema.
pub(crate) const INVALID_ARGUMENTS: &str = "INVALID_ARGUMENTS";
