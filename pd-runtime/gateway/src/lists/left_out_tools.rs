//! Tools of an upstream that are not offered, and their lines in the log.

use parking_lot::Mutex;
use pd_runtime::upstream::text::equal_lines::{group_by, render_names};
use tracing::Level;

/// The reasons of one upstream that have a line in the log.
const LOGGED_MAX: usize = 10;

/// A tool of an upstream that is not offered, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) tool: String,
    pub(crate) reason: String,
}

/// The tools that are left out of the latest list. A change of any server makes the list of all
/// once more, and says nothing new about the others, so each is logged once.
#[derive(Debug, Default)]
pub(crate) struct LeftOutTools(Mutex<LatestTools>);

#[derive(Debug, Default)]
struct LatestTools {
    left_out: Vec<LeftOut>,
    is_logged: bool,
}

impl LeftOutTools {
    /// Replaces the tools, and logs them if they differ from the former ones.
    pub(crate) fn set(&self, server: &str, left_out: Vec<LeftOut>) {
        let mut latest = self.0.lock();
        if latest.left_out != left_out {
            *latest = LatestTools {
                left_out,
                is_logged: false,
            };
        }
        // `log` takes the lock again.
        drop(latest);
        self.log(server);
    }

    /// Logs one line for each reason, unless that was done. A server builds its first list before
    /// it has a log.
    pub(crate) fn log(&self, server: &str) {
        let mut latest = self.0.lock();
        if latest.is_logged || !tracing::enabled!(Level::WARN) {
            return;
        }
        latest.is_logged = true;
        let groups = group_by(&latest.left_out, |left| left.reason.as_str());
        for group in groups.iter().take(LOGGED_MAX) {
            let tools = render_names(group.iter().map(|left| left.tool.as_str()));
            match group.as_slice() {
                [] => {}
                [LeftOut { tool, reason }] => {
                    tracing::warn!(server, tool, reason, "a tool is not offered")
                }
                [LeftOut { reason, .. }, ..] => {
                    tracing::warn!(
                        server,
                        tools,
                        count = group.len(),
                        reason,
                        "tools are not offered"
                    );
                }
            }
        }
        let left_out_lines: usize = groups.iter().skip(LOGGED_MAX).map(Vec::len).sum();
        if left_out_lines > 0 {
            tracing::warn!(
                server,
                count = left_out_lines,
                "further tools are not offered; `doctor` shows each"
            );
        }
    }
}
