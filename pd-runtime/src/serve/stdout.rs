//! Standard output for a server with a client that may stop reading.

use super::immediate_output::ImmediateOutput;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::{
    io::{self, ErrorKind, Write},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    thread,
};
use tokio::io::AsyncWrite;

/// The size of the buffer between the server and the writing thread.
const BUFFER_MAX: usize = 64 << 10;

/// Returns a writer to the output of the protocol. A dedicated thread writes the bytes that a
/// client has no room for. tokio's own writer blocks a thread of its runtime, which then cannot
/// shut down while the client does not read. This thread ends with the process.
pub(super) fn stdout(
    output: impl Write + Send + 'static,
    immediate: Option<ImmediateOutput>,
) -> impl AsyncWrite + Send + Unpin + 'static {
    let pipe = Arc::new(StdoutPipe::default());
    let writing = pipe.clone();
    thread::spawn(move || writing.write_all(output));
    StdoutWriter { pipe, immediate }
}

struct StdoutWriter {
    pipe: Arc<StdoutPipe>,
    /// The same output, for bytes that it takes at once. An answer then needs no other thread.
    immediate: Option<ImmediateOutput>,
}

#[derive(Default)]
struct StdoutPipe {
    state: Mutex<StdoutBuffer>,
    /// Wakes the writing thread.
    filled: Condvar,
}

#[derive(Default)]
struct StdoutBuffer {
    buffer: Vec<u8>,
    is_writing: bool,
    is_closed: bool,
    failed: Option<ErrorKind>,
    /// The task that waits for the writing thread. One is enough, since [`StdoutWriter`] is not
    /// cloned.
    waiting: Option<Waker>,
}

impl StdoutPipe {
    fn state(&self) -> MutexGuard<'_, StdoutBuffer> {
        self.state.lock()
    }

    /// Writes all bytes until the other end is closed or writing fails.
    fn write_all(&self, mut out: impl Write) {
        while let Some(bytes) = self.next() {
            let written = out.write_all(&bytes).and_then(|()| out.flush());
            let mut state = self.state();
            state.is_writing = false;
            state.failed = written.err().map(|error| error.kind());
            let has_failed = state.failed.is_some();
            let waiting = state.waiting.take();
            // Released before waking, so that the woken task does not run into the lock.
            drop(state);
            waiting.into_iter().for_each(Waker::wake);
            if has_failed {
                return;
            }
        }
    }

    /// Waits for the next bytes. Returns `None` when the other end is closed and all bytes have
    /// been taken.
    fn next(&self) -> Option<Vec<u8>> {
        let is_idle = |state: &mut StdoutBuffer| state.buffer.is_empty() && !state.is_closed;
        let mut state = self.state();
        self.filled.wait_while(&mut state, is_idle);
        // Takes all bytes at once, so that the server can fill the buffer again during the write.
        let bytes = std::mem::take(&mut state.buffer);
        state.is_writing = !bytes.is_empty();
        (!bytes.is_empty()).then_some(bytes)
    }
}

impl StdoutBuffer {
    /// Resolves once `is_over` holds, or fails once writing has failed.
    fn poll(
        &mut self,
        context: &Context<'_>,
        is_over: impl FnOnce(&Self) -> bool,
    ) -> Poll<io::Result<()>> {
        if let Some(failed) = self.failed {
            return Poll::Ready(Err(failed.into()));
        }
        if is_over(self) {
            return Poll::Ready(Ok(()));
        }
        self.waiting = Some(context.waker().clone());
        Poll::Pending
    }
}

impl AsyncWrite for StdoutWriter {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.pipe.state();
        std::task::ready!(state.poll(context, |state| state.buffer.len() < BUFFER_MAX))?;
        // Bytes that the thread has not written come first.
        if state.buffer.is_empty()
            && !state.is_writing
            && let Some(immediate) = &self.immediate
        {
            match immediate.write(bytes) {
                // The thread writes what has no room now.
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                written => return Poll::Ready(written),
            }
        }
        let taken = bytes
            .get(..BUFFER_MAX - state.buffer.len())
            .unwrap_or(bytes);
        state.buffer.extend_from_slice(taken);
        self.pipe.filled.notify_one();
        Poll::Ready(Ok(taken.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pipe.state().poll(context, |state| {
            state.buffer.is_empty() && !state.is_writing
        })
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

impl Drop for StdoutWriter {
    fn drop(&mut self) {
        self.pipe.state().is_closed = true;
        self.pipe.filled.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use tokio::io::AsyncWriteExt;

    /// A writer that fails after some bytes.
    struct Broken(usize);

    impl Write for Broken {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self
                .0
                .checked_sub(bytes.len())
                .ok_or(ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn over(out: impl Write + Send + 'static) -> (StdoutWriter, thread::JoinHandle<()>) {
        let pipe = Arc::new(StdoutPipe::default());
        let writing = pipe.clone();
        (
            StdoutWriter {
                pipe,
                immediate: None,
            },
            thread::spawn(move || writing.write_all(out)),
        )
    }

    #[tokio::test]
    async fn all_bytes_arrive_in_order_and_flushing_waits_for_them() {
        let written = Arc::new(Mutex::new(Vec::new()));
        struct Kept(Arc<Mutex<Vec<u8>>>);
        impl Write for Kept {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.lock().extend_from_slice(bytes);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (mut output, thread) = over(Kept(written.clone()));
        let bytes: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
        output.write_all(&bytes).await.unwrap();
        output.flush().await.unwrap();
        assert!(*written.lock() == bytes);
        drop(output);
        thread.join().unwrap();
    }

    /// Most of the bytes have no room in the pipe until the client reads.
    #[cfg(unix)]
    #[tokio::test]
    async fn what_a_slow_client_has_no_room_for_arrives_in_order() {
        use std::{fs::File, io::Read, os::fd::OwnedFd, os::unix::net::UnixStream, time::Duration};

        let (reader, writer) = std::io::pipe().unwrap();
        let (left, right) = UnixStream::pair().unwrap();
        let kinds: [(Box<dyn Read + Send>, OwnedFd); 2] = [
            (Box::new(reader), writer.into()),
            (Box::new(left), right.into()),
        ];
        for (mut reader, writer) in kinds {
            let writer = File::from(writer);
            let immediate = ImmediateOutput::new(&writer);
            assert!(immediate.is_some());
            let reading = thread::spawn(move || {
                thread::sleep(Duration::from_millis(300));
                let mut read = Vec::new();
                reader.read_to_end(&mut read).unwrap();
                read
            });
            let mut output = stdout(writer, immediate);
            let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
            for line in bytes.chunks(1_003) {
                output.write_all(line).await.unwrap();
            }
            output.flush().await.unwrap();
            drop(output);
            assert!(reading.join().unwrap() == bytes);
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_client_that_has_left_is_an_error_at_once() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let writer = std::fs::File::from(std::os::fd::OwnedFd::from(writer));
        let immediate = ImmediateOutput::new(&writer);
        let failed = stdout(writer, immediate)
            .write_all(b"{}\n")
            .await
            .unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn a_failure_reaches_whoever_writes() {
        let (mut output, thread) = over(Broken(100));
        let failed = output.write_all(&[0; 1_000_000]).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::BrokenPipe);
        thread.join().unwrap();
    }
}
