//! Passes a request to a session. rmcp first opens a channel for the answer. It would keep the
//! channel forever if the client left before the request followed.

use super::session::HttpSession;
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::streamable_http_server::session::{
        ServerSseMessage,
        local::{LocalSessionHandle, SessionError},
    },
};
use std::{
    pin::Pin,
    task::{Context, Poll},
};
use tokio::{runtime::Handle, sync::mpsc::Receiver};

type OpenedStream = Result<Receiver<ServerSseMessage>, SessionError>;

/// Passes a request to the session. The answer arrives through the returned channel.
pub(super) fn open(
    session: &HttpSession,
    request: ClientJsonRpcMessage,
) -> impl Future<Output = OpenedStream> + Send + use<> {
    FinishOnDrop(Some(hand_over(session.handle.clone(), request).boxed()))
}

async fn hand_over(handle: LocalSessionHandle, request: ClientJsonRpcMessage) -> OpenedStream {
    let channel = handle.establish_request_wise_channel().await?;
    handle
        .push_message(request, channel.http_request_id)
        .await?;
    Ok(channel.inner)
}

/// A future that runs to completion even if it is dropped.
struct FinishOnDrop<T: 'static>(Option<BoxFuture<'static, T>>);

impl<T> Future for FinishOnDrop<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(rest) = &mut self.0 else {
            // Never reached: a future is not polled again after it has ended.
            return Poll::Pending;
        };
        let done = rest.poll_unpin(context);
        if done.is_ready() {
            self.0 = None;
        }
        done
    }
}

impl<T> Drop for FinishOnDrop<T> {
    fn drop(&mut self) {
        // Without a runtime the server is shutting down, and the session with it.
        if let (Some(rest), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(rest.map(drop));
        }
    }
}
