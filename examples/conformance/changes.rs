//! What comes and goes while the server runs: one tool and one prompt. Tools ask for it here, and whoever follows makes it
//! so.

use crate::{App, handler::Beside, registry};
use pd_runtime::{PdServer, prelude::*};
use tokio::sync::watch;

/// Whether the tool and the prompt that come and go are there. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub(crate) tool: watch::Sender<bool>,
    pub(crate) prompt: watch::Sender<bool>,
}

/// Adds a tool to the list, or takes it away again.
#[pd_tool(summary = "Change the list of tools", eager)]
pub(crate) fn test_trigger_tool_change(changes: &Changes) {
    changes.tool.send_modify(|there| *there = !*there);
}

/// Adds a prompt to the list, or takes it away again.
#[pd_tool(summary = "Change the list of prompts", eager)]
pub(crate) async fn test_trigger_prompt_change(changes: &Changes, call: &CallContext) {
    changes.prompt.send_modify(|there| *there = !*there);
    // Clients since 2026-07-28 listen; the session that called is told here. One that went away needs no telling.
    if let Some(request) = call.request()
        && request.meta.protocol_version().is_none()
    {
        let _ = request.peer.notify_prompt_list_changed().await;
    }
}

/// Comes and goes with `test_trigger_tool_change`.
#[pd_tool(summary = "Be there or not", eager)]
pub(crate) fn test_added_tool() -> &'static str {
    "Here now."
}

/// Serves the registry that the tools ask for, for as long as the server runs.
pub(crate) fn follow(server: &PdServer<App, Beside>) {
    let (server, mut wanted) = (server.clone(), server.state().changes.tool.subscribe());
    tokio::spawn(async move {
        while wanted.changed().await.is_ok() {
            let with_added = *wanted.borrow_and_update();
            if let Err(problems) =
                registry(with_added).and_then(|registry| server.replace(registry))
            {
                eprintln!("the tools stay as they are: {problems}");
            }
        }
    });
}
