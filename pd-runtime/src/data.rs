//! The data plane: where the rest of a selective tool's rows waits for the tool that it is handed to.

use crate::{table::Table, tool::error::ToolError};

/// Where rows are kept for consumers, which fetch them by a capability URL.
#[derive(Debug, Default)]
pub(crate) struct Plane {}

impl Plane {
    /// Keeps a table, and gives the URL that takes it: a capability, to be handed to nobody but the caller.
    ///
    /// # Errors
    ///
    /// There is no room, the table is too large, or nobody could fetch it from this server.
    pub(crate) async fn keep(&self, _: Table) -> Result<String, ToolError> {
        Err(ToolError::new("NO_DATA_PLANE", "this server has no data plane; call again with `mode`: `sync`"))
    }
}
