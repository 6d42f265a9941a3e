//! A build without the command line: the author's code names each configuration, so all entries
//! run.

use super::{Upstream, upstream_error::UpstreamError};

/// The approval of an upstream's entry.
#[derive(Debug, Default)]
pub(crate) struct UpstreamApproval {
    /// Always `false` here.
    is_waiting: bool,
}

impl Upstream {
    pub(crate) const fn awaits_approval(&self) -> bool {
        self.approval.is_waiting
    }

    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the command line has entries that wait"
    )]
    pub(crate) const fn check_approval(&self) -> Result<(), UpstreamError> {
        Ok(())
    }
}
