//! The signals that stop a server.

/// Resolves when the process receives SIGINT or SIGTERM. On systems other than Unix it resolves on
/// Ctrl-C.
#[cfg(unix)]
pub(crate) async fn requested() {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    match (interrupt, terminate) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "could not install a signal handler; the server stops only with its client");
            // Serving without a clean stop is better than not serving.
            std::future::pending().await
        }
    }
}

/// Resolves on Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn requested() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        tracing::warn!(%error, "could not install a signal handler; the server stops only with its client");
        std::future::pending().await
    }
}
