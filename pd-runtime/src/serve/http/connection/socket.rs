//! A client's socket with time limits. A read or write that waits longer fails, which ends the
//! connection.

use super::{
    ClientTimeouts,
    connection_state::{ConnectionPhase, ConnectionState},
    slow_client::WriteLag,
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

/// The silence after which the operating system probes a connection, and the interval between its
/// probes.
const ASK_AFTER: Duration = Duration::from_secs(60);
const ASK_EVERY: Duration = Duration::from_secs(15);

/// Sets socket options: answers are sent at once, and a client that vanished is detected.
///
/// # Errors
///
/// Returns an error if the operating system does not support an option.
pub(super) fn tune(stream: &TcpStream, patience: Duration) -> io::Result<()> {
    // Nagle's algorithm would hold the end of an answer back until the client has acknowledged the
    // rest.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(ASK_AFTER);
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "windows"))]
    let keepalive = keepalive.with_interval(ASK_EVERY);
    socket.set_tcp_keepalive(&keepalive)?;
    // The kernel retransmits unacknowledged data for this time, instead of a quarter of an hour by
    // default.
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(patience))?;
    Ok(())
}

/// A client's socket.
#[derive(Debug)]
pub(super) struct TimedSocket {
    stream: TcpStream,
    phase: Arc<ConnectionState>,
    patience: ClientTimeouts,
    /// The time at which the state last changed, and its value then.
    since: Instant,
    last_seen: u32,
    /// Wakes the connection when its time may be over.
    alarm: Pin<Box<Sleep>>,
    lag: WriteLag,
}

impl TimedSocket {
    pub(super) fn new(
        stream: TcpStream,
        phase: Arc<ConnectionState>,
        patience: ClientTimeouts,
    ) -> Self {
        let (since, (last_seen, _)) = (Instant::now(), phase.now());
        let alarm = Box::pin(sleep_until(since + patience.head));
        Self {
            stream,
            phase,
            patience,
            since,
            last_seen,
            alarm,
            lag: WriteLag::default(),
        }
    }

    /// Resolves when the client has had its time to send something.
    fn poll_out_of_time(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (now, doing) = self.phase.now();
        if now != self.last_seen {
            (self.last_seen, self.since) = (now, Instant::now());
        }
        let patience = match doing {
            ConnectionPhase::Head => self.patience.head,
            ConnectionPhase::Idle => self.patience.idle,
            ConnectionPhase::Answering => return Poll::Pending,
        };
        let end = self.since + patience;
        // Only an earlier deadline resets the timer at once. A later one is handled when the timer
        // fires, so that a busy connection does not reset it for each request.
        if self.alarm.deadline() > end {
            self.alarm.as_mut().reset(end);
        }
        // The timer may have fired for an earlier request's deadline.
        while self.alarm.as_mut().poll(context).is_ready() {
            if Instant::now() >= end {
                return Poll::Ready(());
            }
            self.alarm.as_mut().reset(end);
        }
        Poll::Pending
    }

    /// Returns the result of a write, or an error if it has waited for too long.
    fn in_time(
        &mut self,
        wrote: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(wrote) = wrote {
            // A failed write counts as no bytes; the error is returned anyway.
            self.lag
                .record_read(*wrote.as_ref().unwrap_or(&0), &self.patience);
            return Poll::Ready(wrote);
        }
        ready!(self.lag.poll_too_long(context, &self.patience));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client read too little of an answer for too long",
        )))
    }
}

impl AsyncRead for TimedSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, buffer) {
            // A read of nothing is the end of the input, and begins no request.
            if buffer.filled().len() > before && self.phase.now().1 == ConnectionPhase::Idle {
                self.phase.enter_head();
            }
            return Poll::Ready(read);
        }
        ready!(self.poll_out_of_time(context));
        Poll::Ready(Err(io::Error::new(
            io::ErrorKind::TimedOut,
            "the client took too long to send a request",
        )))
    }
}

impl AsyncWrite for TimedSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
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
        // hyper flushes after it has written everything, so a completed flush means that the answer
        // is out.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if let Poll::Ready(Ok(())) = flushed {
            self.phase.report_flushed();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
