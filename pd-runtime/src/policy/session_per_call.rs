//! The setting for clients with sessions that do not last.

/// The treatment of clients that open a session, or start a process, for each call. A new session
/// has read nothing, so the gate alone would refuse each of their calls.
///
/// Such a client is known by what it does. Its session begins with a call, although a model can
/// only know a tool from a list. Or it repeats in a new session the call that was refused in
/// another one, less than ten minutes before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SessionPerCall {
    /// The call runs if its arguments are valid. The `_meta` of the result and the audit note that
    /// the description was not read in this session.
    #[default]
    Admit,
    /// The call is refused. Descriptions and refusals contain a ticket, with which the principal
    /// calls the tool in any session.
    Ticket,
    /// The call is refused, as in specification v2.1: only the session that has read a description
    /// may call the tool.
    Refuse,
}
