//! The end of an HTTP session. rmcp lets the requests of a session that has ended run on.

use std::pin::pin;
use tokio_util::sync::CancellationToken;

/// A token in the extensions of a session's requests. It is cancelled when the session ends.
#[derive(Debug, Clone)]
pub(crate) struct SessionEnd(pub(crate) CancellationToken);

/// Runs the future that answers a request, and cancels the request when its session ends: nobody
/// can read the answer any more.
pub(crate) async fn cancel_at_end<T>(
    SessionEnd(end): SessionEnd,
    request: CancellationToken,
    answer: impl Future<Output = T>,
) -> T {
    let mut answer = pin!(answer);
    tokio::select! {
        // An answer that is ready goes first, even if the session ends at the same time.
        biased;
        answer = &mut answer => answer,
        () = end.cancelled() => {
            request.cancel();
            // The handler sees the token and ends by itself, so that it can release what it holds.
            answer.await
        }
    }
}
