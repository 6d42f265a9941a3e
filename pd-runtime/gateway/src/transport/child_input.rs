//! The standard input of a child: one message a line, in the order in which they are sent.

use crate::transport::{QUEUE, request_error::RequestError};
use parking_lot::Mutex;
use std::{io, sync::Arc};
use system::ChildPipe;
use tokio::{process::ChildStdin, sync::mpsc};
use tokio_util::sync::CancellationToken;

/// Writes lines without waiting for the child to read them.
#[derive(Debug)]
pub(crate) struct ChildInput {
    queue: mpsc::Sender<Vec<u8>>,
    state: Arc<Mutex<InputState>>,
}

#[derive(Debug)]
struct InputState {
    /// `None` once the input is closed.
    pipe: Option<Arc<ChildPipe>>,
    /// The lines of the queue, and the one that is being written.
    unwritten: usize,
}

impl ChildInput {
    /// Takes the input of a child, which ends once `closing` is cancelled.
    pub(crate) fn new(stdin: ChildStdin, closing: CancellationToken) -> io::Result<Self> {
        let pipe = Arc::new(ChildPipe::new(stdin)?);
        let (queue, lines) = mpsc::channel(QUEUE);
        let state = Arc::new(Mutex::new(InputState {
            pipe: Some(pipe.clone()),
            unwritten: 0,
        }));
        tokio::spawn(write_lines(pipe, state.clone(), lines, closing));
        Ok(Self { queue, state })
    }

    /// Sends a line with its end. A line that the pipe has room for needs no other task.
    ///
    /// # Errors
    ///
    /// Returns an error if the input is closed, or too many lines wait for the child.
    pub(crate) fn send(&self, mut line: Vec<u8>) -> Result<(), RequestError> {
        let mut state = self.state.lock();
        let pipe = state.pipe.as_ref().ok_or(RequestError::InputClosed)?;
        // Lines that wait come first.
        if state.unwritten == 0 {
            match pipe.try_write(&line) {
                Ok(written) if written == line.len() => return Ok(()),
                // The lock is held until the rest is queued, so no other line comes between the
                // parts.
                Ok(written) => drop(line.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return Err(RequestError::InputClosed),
            }
        }
        // Without waiting: a server that does not read its input fails its own requests only.
        self.queue.try_send(line).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => RequestError::InputFull,
            mpsc::error::TrySendError::Closed(_) => RequestError::InputClosed,
        })?;
        // Under the same lock, so that the task cannot count the line off before.
        state.unwritten += 1;
        Ok(())
    }
}

async fn write_lines(
    pipe: Arc<ChildPipe>,
    state: Arc<Mutex<InputState>>,
    mut lines: mpsc::Receiver<Vec<u8>>,
    closing: CancellationToken,
) {
    let writing = async {
        while let Some(line) = lines.recv().await
            && pipe.write_all(&line).await.is_ok()
        {
            // After the write: until then, `send` must not write a later line.
            state.lock().unwritten -= 1;
        }
    };
    // The end of its input is how a server learns that it should exit (MCP, stdio, shutdown).
    let _ = closing.run_until_cancelled(writing).await;
    state.lock().pipe = None;
}

#[cfg(unix)]
mod system {
    use std::io;
    use tokio::{net::unix::pipe, process::ChildStdin};

    #[derive(Debug)]
    pub(crate) struct ChildPipe(pipe::Sender);

    impl ChildPipe {
        pub(crate) fn new(stdin: ChildStdin) -> io::Result<Self> {
            pipe::Sender::from_owned_fd(stdin.into_owned_fd()?).map(Self)
        }

        pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
            self.0.try_write(bytes)
        }

        pub(crate) async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
            while !bytes.is_empty() {
                self.0.writable().await?;
                match self.0.try_write(bytes) {
                    Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                    // Readiness may be a false positive, which this error clears (`try_write` of
                    // tokio).
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use tokio::{io::AsyncWriteExt, process::ChildStdin, sync::Mutex};

    #[derive(Debug)]
    pub(crate) struct ChildPipe(Mutex<ChildStdin>);

    impl ChildPipe {
        pub(crate) fn new(stdin: ChildStdin) -> io::Result<Self> {
            Ok(Self(Mutex::new(stdin)))
        }

        /// A write of this system may wait, so it is left to the task.
        pub(crate) fn try_write(&self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::WouldBlock.into())
        }

        pub(crate) async fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
            let mut stdin = self.0.lock().await;
            stdin.write_all(bytes).await?;
            stdin.flush().await
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::process::Stdio;
    use tokio::{io::AsyncReadExt, process::Command};

    fn child(script: &str) -> tokio::process::Child {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// The pipe takes the first line, a part of the second, and nothing of the others.
    #[tokio::test]
    async fn what_a_slow_child_has_no_room_for_arrives_in_order() {
        let mut child = child("sleep 0.3; exec cat");
        let closing = CancellationToken::new();
        let mut echoed = Vec::new();
        let input = ChildInput::new(child.stdin.take().unwrap(), closing.clone()).unwrap();
        let mut expected = Vec::new();
        for number in 0..200_usize {
            let line = format!("{number} {}\n", "a".repeat(number * 613 % 90_001)).into_bytes();
            expected.extend_from_slice(&line);
            input.send(line).unwrap();
            if number == 1 {
                // The runtime learns that the pipe has room.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
        let mut stdout = child.stdout.take().unwrap().take(expected.len() as u64);
        stdout.read_to_end(&mut echoed).await.unwrap();
        assert!(echoed == expected);
        closing.cancel();
        assert!(child.wait().await.unwrap().success(), "its input has ended");
        assert!(matches!(
            input.send(b"late\n".to_vec()),
            Err(RequestError::InputClosed)
        ));
    }

    #[tokio::test]
    async fn a_child_that_reads_nothing_fails_what_is_sent_to_it() {
        let mut child = child("exec sleep 10");
        let input = ChildInput::new(child.stdin.take().unwrap(), CancellationToken::new()).unwrap();
        let refused = (0..QUEUE + 20).find_map(|_| input.send(vec![b'a'; 64 << 10]).err());
        assert!(
            matches!(refused, Some(RequestError::InputFull)),
            "{refused:?}"
        );
    }
}
