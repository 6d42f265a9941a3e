//! Reads of the client's pipe or socket that do not wait for it to write.

pub(super) use system::ReadyInput;

#[cfg(unix)]
mod system {
    use super::super::immediate_output::poll_now;
    use rustix::{
        event::PollFlags,
        net::{RecvFlags, recv},
    };
    use std::{
        fs::File,
        io::{self, ErrorKind, Read},
        os::unix::fs::FileTypeExt,
        pin::Pin,
        task::{Context, Poll, ready},
    };
    use tokio::io::{AsyncRead, Interest, ReadBuf, unix::AsyncFd};

    /// An input that the runtime waits for, so that a message needs no other thread.
    #[derive(Debug)]
    pub(in super::super) struct ReadyInput {
        descriptor: AsyncFd<File>,
        is_socket: bool,
    }

    impl ReadyInput {
        /// Copies the descriptor. Returns `None` for files and terminals, where a read may wait.
        pub(in super::super) fn new(input: &File) -> Option<Self> {
            let kind = input.metadata().ok()?.file_type();
            if !kind.is_fifo() && !kind.is_socket() {
                return None;
            }
            let input = input.try_clone().ok()?;
            #[allow(
                deprecated,
                reason = "the successor is unsafe for types that may close their descriptor early, which a file does not"
            )]
            let descriptor = AsyncFd::with_interest(input, Interest::READABLE).ok()?;
            Some(Self {
                descriptor,
                is_socket: kind.is_socket(),
            })
        }
    }

    impl AsyncRead for ReadyInput {
        fn poll_read(
            self: Pin<&mut Self>,
            context: &mut Context<'_>,
            into: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            loop {
                let mut readiness = ready!(self.descriptor.poll_read_ready(context))?;
                let room = into.initialize_unfilled();
                let size = room.len();
                match readiness
                    .try_io(|descriptor| read(descriptor.get_ref(), self.is_socket, room))
                {
                    // Cleared by `try_io`: the runtime wakes this task with the next bytes.
                    Err(_would_block) => {}
                    Ok(Err(error)) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(Err(error)) => return Poll::Ready(Err(error)),
                    Ok(Ok(bytes)) => {
                        if 0 < bytes && bytes < size {
                            // It was read to its end, which saves the system calls that would say
                            // so.
                            readiness.clear_ready();
                        }
                        into.advance(bytes);
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }

    /// Reads some bytes, none at the end.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::WouldBlock`] if there are none yet, and the errors of the system.
    fn read(mut input: &File, is_socket: bool, into: &mut [u8]) -> io::Result<usize> {
        // The flag of the descriptor stays as it is: other processes may share it.
        if is_socket {
            return Ok(recv(input, into, RecvFlags::DONTWAIT)?.0);
        }
        // The end of a pipe is `HUP` alone.
        match poll_now(input, PollFlags::IN)?.is_empty() {
            true => Err(ErrorKind::WouldBlock.into()),
            false => input.read(into),
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::{
        io,
        pin::Pin,
        task::{Context, Poll},
    };
    use tokio::io::{AsyncRead, ReadBuf};

    /// The runtime waits for no input of this system.
    #[derive(Debug)]
    pub(in super::super) enum ReadyInput {}

    impl ReadyInput {
        pub(in super::super) fn new(_: &io::Stdin) -> Option<Self> {
            None
        }
    }

    impl AsyncRead for ReadyInput {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            match *self {}
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::{
        fs::File, io::Write, os::fd::OwnedFd, os::unix::net::UnixStream, thread, time::Duration,
    };
    use tokio::io::AsyncReadExt;

    /// Some bytes fill the buffer, others end before it, and some arrive late.
    #[tokio::test]
    async fn all_bytes_arrive_in_order_until_the_end() {
        let (reader, writer) = std::io::pipe().unwrap();
        let (left, right) = UnixStream::pair().unwrap();
        let kinds: [(OwnedFd, Box<dyn Write + Send>); 2] = [
            (reader.into(), Box::new(writer)),
            (left.into(), Box::new(right)),
        ];
        for (reader, mut writer) in kinds {
            let mut input = ReadyInput::new(&File::from(reader)).unwrap();
            let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
            let sent = bytes.clone();
            let writing = thread::spawn(move || {
                for (place, chunk) in sent.chunks(9_973).enumerate() {
                    writer.write_all(chunk).unwrap();
                    thread::sleep(Duration::from_millis(if place % 7 == 0 { 5 } else { 0 }));
                }
            });
            let mut read = Vec::new();
            input.read_to_end(&mut read).await.unwrap();
            assert!(read == bytes);
            writing.join().unwrap();
        }
    }

    #[tokio::test]
    async fn a_file_is_read_by_a_thread() {
        assert!(ReadyInput::new(&File::open("/dev/null").unwrap()).is_none());
        assert!(ReadyInput::new(&File::open("Cargo.toml").unwrap()).is_none());
    }
}
