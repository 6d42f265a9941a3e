//! A client's socket that is patient up to a point: a read or write that waits longer fails, and with it the connection.

use super::{
    Patience,
    connection_state::{Doing, Phase},
    slow_client::Lag,
};
use socket2::{SockRef, TcpKeepalive};
use std::{
    future::Future,
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};

/// How long a connection is silent before the operating system asks whether there is still somebody, and how often then.
const ASK_AFTER: Duration = Duration::from_secs(60);
const ASK_EVERY: Duration = Duration::from_secs(15);

/// Answers leave at once; a client that has gone without a word is found out.
///
/// # Errors
///
/// The operating system does not know one of the settings.
pub(super) fn tune(stream: &TcpStream, patience: Duration) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(ASK_AFTER);
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "windows"))]
    let keepalive = keepalive.with_interval(ASK_EVERY);
    socket.set_tcp_keepalive(&keepalive)?;
    // What was sent is kept for so long: without this, for a quarter of an hour.
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(patience))?;
    Ok(())
}

/// A client's socket.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    phase: Arc<Phase>,
    patience: Patience,
    /// When the phase was last seen to change, and as what.
    since: Instant,
    seen: u32,
    /// Wakes the connection in time to look whether it has waited too long.
    alarm: Pin<Box<Sleep>>,
    lag: Lag,
}

impl Socket {
    pub(super) fn new(stream: TcpStream, phase: Arc<Phase>, patience: Patience) -> Self {
        let (since, (seen, _)) = (Instant::now(), phase.now());
        let alarm = Box::pin(sleep_until(since + patience.head));
        Self { stream, phase, patience, since, seen, alarm, lag: Lag::default() }
    }

    /// Whether the client has had its time to send something.
    fn poll_out_of_time(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (now, doing) = self.phase.now();
        if now != self.seen {
            (self.seen, self.since) = (now, Instant::now());
        }
        let patience = match doing {
            Doing::Head => self.patience.head,
            Doing::Idle => self.patience.idle,
            Doing::Answering => return Poll::Pending,
        };
        let end = self.since + patience;
        if self.alarm.deadline() > end {
            self.alarm.as_mut().reset(end);
        }
        // It may have been set for an earlier request.
        while self.alarm.as_mut().poll(context).is_ready() {
            if Instant::now() >= end {
                return Poll::Ready(());
            }
            self.alarm.as_mut().reset(end);
        }
        Poll::Pending
    }

    /// What a write came to, if it did not wait too long.
    fn in_time(&mut self, wrote: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(wrote) = wrote {
            self.lag.takes(*wrote.as_ref().unwrap_or(&0), &self.patience);
            return Poll::Ready(wrote);
        }
        ready!(self.lag.poll_too_long(context, &self.patience));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client took too little of an answer for too long",
        )))
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer) {
            if buffer.filled().len() > before && self.phase.now().1 == Doing::Idle {
                self.phase.begins();
            }
            return Poll::Ready(read);
        }
        ready!(self.poll_out_of_time(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client took too long to send a request")))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(wrote, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.in_time(wrote, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // hyper flushes when it has nothing left to write.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if let Poll::Ready(Ok(())) = flushed {
            self.phase.has_written();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
