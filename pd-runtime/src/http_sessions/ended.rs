//! The mark of a session that has ended, in the store that replicas share. Without a mark, the
//! session's id alone would open it again at another replica.

use rmcp::{
    model::{ClientCapabilities, Implementation, InitializeRequestParams},
    transport::streamable_http_server::session::SessionState,
};

/// The client's name in the mark.
const NAME: &str = "dev.pd-runtime/ended";

/// The mark, as an entry of the store.
pub(crate) fn mark() -> SessionState {
    SessionState::new(InitializeRequestParams::new(ClientCapabilities::default(), Implementation::new(NAME, "")))
}

/// Whether an entry is the mark.
pub(crate) fn is_mark(state: &SessionState) -> bool {
    state.initialize_params.client_info.name == NAME
}
