//! Conversion of data-plane errors into tool errors, with texts for the model.

use super::{ErrorHelp, IntoToolError, ToolError};
use crate::selective::data_plane::StoreRowsError;

impl IntoToolError for StoreRowsError {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        match self {
            Self::Nowhere => ToolError::new(
                "NO_DATA_PLANE",
                "this server has no data plane; call again with `mode`: `sync`",
            ),
            Self::TooLarge { bytes, max } => ToolError::new(
                "DATA_TOO_LARGE",
                format!(
                    "the rows have {bytes} bytes, at most {max} are kept; call again for fewer rows"
                ),
            ),
            Self::Full => ToolError::new(
                "DATA_PLANE_FULL",
                "no room for the rows now; call again in a minute, for fewer rows, or with `mode`: `sync`",
            ),
            Self::OwnShare => ToolError::new(
                "DATA_PLANE_FULL",
                "too many rows wait that you asked for; hand those `resource_url`s on first, or call again with `mode`: `sync`",
            ),
            Self::Failed(why) => {
                // The reason can name hosts of the operator, so it is logged and not sent to the
                // model.
                tracing::warn!(why, "could not store rows");
                ToolError::new(
                    "DATA_PLANE_FAILED",
                    "the rows cannot be kept now; call again with `mode`: `sync`",
                )
            }
        }
    }
}
