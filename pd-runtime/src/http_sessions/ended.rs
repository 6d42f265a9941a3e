//! The mark of an ended session, in the store that replicas share. Without the mark, the session's
//! id alone would open it again at another replica.

use rmcp::{
    model::{ClientCapabilities, Implementation, InitializeRequestParams},
    transport::streamable_http_server::session::SessionState,
};

/// The client's name in the mark.
const NAME: &str = "dev.pd-runtime/ended";

/// Returns the mark as an entry of the store.
pub(crate) fn mark() -> SessionState {
    SessionState::new(InitializeRequestParams::new(
        ClientCapabilities::default(),
        Implementation::new(NAME, ""),
    ))
}

/// Returns whether an entry of the store is the mark.
pub(crate) fn is_mark(state: &SessionState) -> bool {
    state.initialize_params.client_info.name == NAME
}
