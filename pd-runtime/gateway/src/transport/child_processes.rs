//! The processes of all upstreams: how they end when the gateway ends.

#[cfg(unix)]
use crate::transport::orphan_guard::OrphanGuard;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long a process has to exit after its input has ended, and again after SIGTERM.
const GRACE: Duration = Duration::from_secs(2);
/// The same while the gateway ends. Clients kill a server that takes longer than two seconds.
const GRACE_AT_END: Duration = Duration::from_millis(400);

/// The processes that are running.
#[derive(Debug, Default)]
pub(crate) struct ChildProcesses {
    #[cfg(unix)]
    guard: OrphanGuard,
    tasks: TaskTracker,
    ending: CancellationToken,
}

impl ChildProcesses {
    /// Runs the task that waits for a process and ends it. `group` is the process group.
    pub(crate) fn supervise(
        self: &Arc<Self>,
        group: Option<u32>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        // Before the task starts, which removes the group of a process that ends at once.
        #[cfg(unix)]
        group.inspect(|group| self.guard.add(*group));
        let processes = self.clone();
        self.tasks.spawn(async move {
            task.await;
            // The system may give the number to another group, which must not be signaled.
            #[cfg(unix)]
            group.inspect(|group| processes.guard.remove(*group));
            #[cfg(not(unix))]
            drop((processes, group));
        });
    }

    /// Returns the token that is canceled when the gateway ends.
    pub(crate) const fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Waits for as long as a process has to exit: less while the gateway ends.
    pub(crate) async fn grace(&self) {
        let at_end = async {
            self.ending.cancelled().await;
            sleep(GRACE_AT_END).await;
        };
        tokio::select! {
            () = sleep(GRACE) => {}
            () = at_end => {}
        }
    }

    /// Waits until all processes have ended.
    pub(crate) async fn until_ended(&self) {
        // An open tracker waits for ever, because more tasks can come.
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Kills all processes and what they have started, without waiting.
    #[cfg(feature = "cli")]
    pub(crate) fn kill(&self) {
        #[cfg(unix)]
        self.guard.kill();
    }
}
