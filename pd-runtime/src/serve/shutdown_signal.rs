//! The signals that stop a server.

/// SIGINT and SIGTERM, from when they are listened to. On systems other than Unix, Ctrl-C.
#[derive(Debug)]
pub struct ShutdownSignals {
    #[cfg(unix)]
    signals: Option<[tokio::signal::unix::Signal; 2]>,
}

impl ShutdownSignals {
    /// Listens to the signals. One that arrives between two calls of `next` is kept.
    #[cfg(unix)]
    pub fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let both = signal(SignalKind::interrupt())
            .and_then(|one| Ok([one, signal(SignalKind::terminate())?]));
        let signals = both.inspect_err(warn).ok();
        Self { signals }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen() -> Self {
        Self {}
    }

    /// Resolves when the process receives a signal.
    #[cfg(unix)]
    pub async fn next(&mut self) {
        let Some([interrupt, terminate]) = &mut self.signals else {
            // Serving without a clean stop is better than not serving.
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        if let Err(error) = tokio::signal::ctrl_c().await {
            warn(&error);
            std::future::pending().await
        }
    }
}

fn warn(error: &std::io::Error) {
    tracing::warn!(%error, "could not install a signal handler; the server stops only with its client");
}
