//! Writes to the client's pipe or socket that do not wait for it to read.

pub(super) use system::ImmediateOutput;
#[cfg(unix)]
pub(super) use system::poll_now;

#[cfg(unix)]
mod system {
    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        net::{SendFlags, send},
    };
    use std::{
        fs::File,
        io::{self, ErrorKind, Write},
        os::unix::fs::FileTypeExt,
    };

    /// Returns the state of a pipe without waiting.
    pub(in super::super) fn poll_now(pipe: &File, events: PollFlags) -> io::Result<PollFlags> {
        let mut polled = [PollFd::new(pipe, events)];
        poll(
            &mut polled,
            Some(&Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            }),
        )?;
        let [state] = polled;
        Ok(state.revents())
    }

    /// The number of bytes that a writable pipe takes without a wait: `PIPE_BUF` of Linux. POSIX
    /// promises 512, and other systems announce less room than they have.
    const PIPE_BUF: usize = if cfg!(target_os = "linux") {
        4_096
    } else {
        512
    };

    /// An output that takes bytes at once if its reader has left room for them.
    #[derive(Debug)]
    pub(in super::super) enum ImmediateOutput {
        Pipe(File),
        Socket(File),
    }

    impl ImmediateOutput {
        /// Copies the descriptor. Returns `None` for files and terminals, where a write may wait.
        pub(in super::super) fn new(output: &File) -> Option<Self> {
            let kind = output.metadata().ok()?.file_type();
            let output = output.try_clone().ok()?;
            match (kind.is_fifo(), kind.is_socket()) {
                (true, _) => Some(Self::Pipe(output)),
                (_, true) => Some(Self::Socket(output)),
                _ => None,
            }
        }

        /// Writes some of the bytes.
        ///
        /// # Errors
        ///
        /// Returns [`ErrorKind::WouldBlock`] if there is no room, and the errors of the system.
        pub(in super::super) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
            match self {
                // The flag of the descriptor stays as it is: other processes may share it.
                Self::Pipe(pipe) => {
                    if !poll_now(pipe, PollFlags::OUT)?.contains(PollFlags::OUT) {
                        return Err(ErrorKind::WouldBlock.into());
                    }
                    let mut pipe = pipe;
                    // A longer write could wait for the reader, although the pipe is writable.
                    let fitting = bytes.get(..PIPE_BUF).unwrap_or(bytes);
                    pipe.write(fitting)
                }
                // `NOSIGNAL`: a client that has gone is an error here, also in a process that does
                // not ignore SIGPIPE.
                Self::Socket(socket) => Ok(send(
                    socket,
                    bytes,
                    SendFlags::DONTWAIT | SendFlags::NOSIGNAL,
                )?),
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    /// Outputs of this system take no bytes at once.
    #[derive(Debug)]
    pub(in super::super) enum ImmediateOutput {}

    impl ImmediateOutput {
        pub(in super::super) fn new(_: &io::Stdout) -> Option<Self> {
            None
        }

        pub(in super::super) fn write(&self, _: &[u8]) -> io::Result<usize> {
            match *self {}
        }
    }
}
