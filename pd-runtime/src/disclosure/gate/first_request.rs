//! The first request about tools in a session. A client that opens a session for each call begins
//! with a call; all others list tools first.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The kind of a request about tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ToolRequestKind {
    /// A list of tools, or another method by which clients learn about tools.
    List = 1,
    /// A call of a meta-tool that finds or describes tools.
    Describe = 2,
    /// A call of a tool, directly or through a meta-tool.
    Call = 3,
}

/// The kind of the first request about tools, in a session or on the connection of the process's
/// own client. Later requests do not change it: an SDK requests the lists that follow a call. It
/// checks output schemas with them and shows them to no model.
#[derive(Debug, Default)]
pub(crate) struct FirstToolRequest(AtomicU8);

impl FirstToolRequest {
    pub(crate) fn record(&self, kind: ToolRequestKind) {
        // An error means that there was a request before.
        let _ = self.0.compare_exchange(0, kind as u8, Relaxed, Relaxed);
    }

    /// Returns whether a call was first.
    pub(crate) fn is_call(&self) -> bool {
        self.0.load(Relaxed) == ToolRequestKind::Call as u8
    }

    /// Returns whether a call was first, of any tool or meta-tool.
    pub(crate) fn is_any_call(&self) -> bool {
        // A call of a meta-tool is a call, too. `Call` is greater than `Describe`.
        self.0.load(Relaxed) >= ToolRequestKind::Describe as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_request_counts_and_later_ones_do_not() {
        for (kinds, is_call, is_any_call) in [
            (&[][..], false, false),
            (
                &[ToolRequestKind::List, ToolRequestKind::Call],
                false,
                false,
            ),
            (
                &[ToolRequestKind::Describe, ToolRequestKind::Call],
                false,
                true,
            ),
            (&[ToolRequestKind::Call, ToolRequestKind::List], true, true),
        ] {
            let first = FirstToolRequest::default();
            kinds.iter().for_each(|kind| first.record(*kind));
            assert_eq!(
                (first.is_call(), first.is_any_call()),
                (is_call, is_any_call),
                "{kinds:?}"
            );
        }
    }
}
