//! The transports that a server is served on. rmcp converts them, and the lines of streams are
//! watched.

use super::line_watch::{LineWatch, WatchedInput};
use rmcp::{
    RoleServer,
    transport::{
        IntoTransport, Transport, TransportAdapterIdentity,
        async_rw::{TransportAdapterAsyncCombinedRW, TransportAdapterAsyncRW},
        sink_stream::{
            TransportAdapterAsyncCombinedRW as TransportAdapterCombined, TransportAdapterSinkStream,
        },
    },
};
use std::error::Error;
use tokio::io::{AsyncRead, AsyncWrite};

/// What [`transport`](super::transport) serves a client on: what rmcp converts by [`IntoTransport`].
///
/// The compiler infers `A`, which distinguishes the kinds:
///
/// - a stream that implements [`AsyncRead`] and [`AsyncWrite`], such as a `TcpStream`, a `UnixStream`
///   or a `DuplexStream`
/// - a pair of a reader and a writer
/// - a sink and a stream of messages, as one value or a pair
/// - a [`Transport`]
///
/// Any other implementation of `IntoTransport` needs a call of `into_transport()` before.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a transport",
    label = "neither streams of bytes or of messages nor an rmcp `Transport`",
    note = "serve on a stream that implements `AsyncRead` and `AsyncWrite`, a pair `(reader, writer)`, or a `Transport`"
)]
pub trait ServedTransport<A>: sealed::WatchTransport<A> {}

impl<T: sealed::WatchTransport<A>, A> ServedTransport<A> for T {}

pub(super) mod sealed {
    use super::LineWatch;
    use rmcp::{RoleServer, transport::Transport};

    #[allow(
        unnameable_types,
        reason = "only this crate implements it, so that it may change"
    )]
    pub trait WatchTransport<A>: Send + 'static {
        /// Returns the transport, whose lines are noted in the watch if it reads lines.
        fn watched(self, watch: &LineWatch) -> impl Transport<RoleServer> + 'static;
    }
}

use sealed::WatchTransport;

impl<R, W> WatchTransport<TransportAdapterAsyncRW> for (R, W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn watched(self, watch: &LineWatch) -> impl Transport<RoleServer> + 'static {
        let (input, output) = self;
        IntoTransport::<RoleServer, _, TransportAdapterAsyncRW>::into_transport((
            WatchedInput::new(input, watch.clone()),
            output,
        ))
    }
}

impl<S> WatchTransport<TransportAdapterAsyncCombinedRW> for S
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    fn watched(self, watch: &LineWatch) -> impl Transport<RoleServer> + 'static {
        WatchTransport::<TransportAdapterAsyncRW>::watched(tokio::io::split(self), watch)
    }
}

// What returns messages has read them already. The markers have the error, because it depends on the
// type.

impl<T, E> WatchTransport<(TransportAdapterIdentity, E)> for T
where
    T: IntoTransport<RoleServer, E, TransportAdapterIdentity>,
    E: Error + Send + Sync + 'static,
{
    fn watched(self, _: &LineWatch) -> impl Transport<RoleServer> + 'static {
        self.into_transport()
    }
}

impl<T, E> WatchTransport<(TransportAdapterSinkStream, E)> for T
where
    T: IntoTransport<RoleServer, E, TransportAdapterSinkStream>,
    E: Error + Send + Sync + 'static,
{
    fn watched(self, _: &LineWatch) -> impl Transport<RoleServer> + 'static {
        self.into_transport()
    }
}

impl<T, E> WatchTransport<(TransportAdapterCombined, E)> for T
where
    T: IntoTransport<RoleServer, E, TransportAdapterCombined>,
    E: Error + Send + Sync + 'static,
{
    fn watched(self, _: &LineWatch) -> impl Transport<RoleServer> + 'static {
        self.into_transport()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::{PdServer, Registry, serve};
    use futures::future::BoxFuture;
    use rmcp::transport::{IntoTransport, async_rw::AsyncRwTransport};
    use std::time::Duration;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};

    type Server = PdServer<()>;

    const OPENING: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
        r#""clientInfo":{"name":"unit","version":"0"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
    );

    /// Sends a request that can be repaired, one that cannot, and one that is valid. Returns as many
    /// answers as are expected.
    async fn answers(
        expected: usize,
        serving: impl FnOnce(Server, DuplexStream) -> BoxFuture<'static, ()>,
    ) -> String {
        let server = PdServer::builder(Registry::<()>::builder().build().unwrap(), ())
            .build()
            .unwrap();
        let (ours, theirs) = duplex(1 << 16);
        let serving = tokio::spawn(serving(server, theirs));
        let mut client = BufReader::new(ours);
        let requests = concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":01}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
            "\n",
        );
        client.write_all(OPENING.as_bytes()).await.unwrap();
        client.write_all(requests.as_bytes()).await.unwrap();
        let mut found = String::new();
        for _ in 0..expected {
            let reading = client.read_line(&mut found);
            let read = tokio::time::timeout(Duration::from_secs(20), reading).await;
            // Answers are written by tasks of their own, in any order.
            assert!(read.is_ok_and(|read| read.is_ok()), "{found}");
        }
        serving.abort();
        found
    }

    #[tokio::test]
    async fn lines_of_streams_are_watched() {
        let one = answers(4, |server, stream| {
            Box::pin(async move { serve::transport(&server, stream).await.unwrap() })
        });
        let pair = answers(4, |server, stream| {
            let stream = tokio::io::split(stream);
            Box::pin(async move { serve::transport(&server, stream).await.unwrap() })
        });
        for found in [one.await, pair.await] {
            assert!(found.contains(r#""id":1,"result""#), "{found}");
            assert!(found.contains(r#""id":2,"error""#), "{found}");
            assert!(found.contains("not valid JSON"), "{found}");
            assert!(found.contains(r#""id":3,"result""#), "{found}");
        }
    }

    #[tokio::test]
    async fn a_transport_of_messages_is_served_as_it_is() {
        let transport = answers(2, |server, stream| {
            let (read, write) = tokio::io::split(stream);
            let transport = AsyncRwTransport::<rmcp::RoleServer, _, _>::new(read, write);
            Box::pin(async move { serve::transport(&server, transport).await.unwrap() })
        });
        let converted = answers(2, |server, stream| {
            let transport = stream.into_transport();
            Box::pin(async move { serve::transport(&server, transport).await.unwrap() })
        });
        for found in [transport.await, converted.await] {
            assert!(!found.contains(r#""id":2"#), "{found}");
            assert!(found.contains(r#""id":3,"result""#), "{found}");
        }
    }

    /// Sinks and streams of messages need no conversion of their own.
    #[tokio::test]
    async fn messages_in_memory_are_served() {
        use futures::{SinkExt, StreamExt, channel::mpsc};
        use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
        let server = PdServer::builder(Registry::<()>::builder().build().unwrap(), ())
            .build()
            .unwrap();
        let (mut requests, input) = mpsc::unbounded::<RxJsonRpcMessage<rmcp::RoleServer>>();
        let (output, mut answers) = mpsc::unbounded::<TxJsonRpcMessage<rmcp::RoleServer>>();
        let serving = tokio::spawn(async move { serve::transport(&server, (output, input)).await });
        for line in OPENING.lines() {
            let message = serde_json::from_str(line).unwrap();
            requests.send(message).await.unwrap();
        }
        assert!(answers.next().await.is_some());
        drop(requests);
        assert!(serving.await.unwrap().is_ok());
    }
}
