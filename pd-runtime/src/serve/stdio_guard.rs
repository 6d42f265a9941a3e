//! Keeps standard input and output for the protocol while a server uses them. What a tool prints
//! goes to standard error, and what it reads is empty. A single byte of another origin between two
//! messages ends the connection of a strict client.

use super::{immediate_output::ImmediateOutput, ready_input::ReadyInput};
use std::io::{self, Read, Write};

/// The descriptors of the protocol, and the restoration of standard input and output.
pub(super) struct ProtocolStdio {
    pub(super) input: Box<dyn Read + Send>,
    /// The same input, if the runtime can wait for it.
    pub(super) ready: Option<ReadyInput>,
    pub(super) output: Box<dyn Write + Send>,
    /// The same output, if it can take bytes without a wait.
    pub(super) immediate: Option<ImmediateOutput>,
    /// Restores both when the server has ended.
    pub(super) guard: Option<StdioGuard>,
}

/// Takes standard input and output. A process that lacks one of them, and a system without such
/// descriptors, leaves both as they are.
pub(super) fn take() -> ProtocolStdio {
    // Text that was printed before belongs before the protocol.
    let _ = io::stdout().flush();
    match descriptors::take() {
        Ok((input, output, guard)) => {
            let ready = ReadyInput::new(&input);
            let immediate = ImmediateOutput::new(&output);
            ProtocolStdio {
                input: Box::new(input),
                ready,
                output: Box::new(output),
                immediate,
                guard: Some(guard),
            }
        }
        Err(error) => {
            tracing::debug!(%error, "standard output is not protected from what tools print");
            let input = Box::new(io::stdin());
            let output = Box::new(io::stdout());
            ProtocolStdio {
                input,
                ready: None,
                output,
                immediate: None,
                guard: None,
            }
        }
    }
}

pub(super) use descriptors::StdioGuard;

#[cfg(unix)]
mod descriptors {
    use rustix::{
        io::fcntl_dupfd_cloexec,
        stdio::{dup2_stdin, dup2_stdout},
    };
    use std::{fs::File, io, os::fd::OwnedFd};

    /// The lowest descriptor of a copy. A lower one could become the input or output of a child.
    const LOWEST: i32 = 3;

    /// Restores standard input and output when it is dropped.
    pub(in super::super) struct StdioGuard {
        input: OwnedFd,
        output: OwnedFd,
    }

    pub(super) fn take() -> io::Result<(File, File, StdioGuard)> {
        let input = fcntl_dupfd_cloexec(rustix::stdio::stdin(), LOWEST)?;
        let output = fcntl_dupfd_cloexec(rustix::stdio::stdout(), LOWEST)?;
        let reader = File::from(input.try_clone()?);
        let writer = File::from(output.try_clone()?);
        let empty = File::open("/dev/null")?;
        // The guard first: it also restores where only one of both could be replaced.
        let guard = StdioGuard { input, output };
        dup2_stdin(&empty)?;
        if dup2_stdout(rustix::stdio::stderr()).is_err() {
            // Without standard error, what is printed is lost.
            dup2_stdout(File::options().write(true).open("/dev/null")?)?;
        }
        Ok((reader, writer, guard))
    }

    impl Drop for StdioGuard {
        fn drop(&mut self) {
            // Printed text must not follow the last answer.
            let _ = io::Write::flush(&mut io::stdout());
            // `drop` cannot return an error, and neither call can fail: the descriptors are valid.
            let _ = dup2_stdin(&self.input);
            let _ = dup2_stdout(&self.output);
        }
    }
}

#[cfg(not(unix))]
mod descriptors {
    use std::io;

    pub(in super::super) struct StdioGuard;

    pub(super) fn take() -> io::Result<(io::Stdin, io::Stdout, StdioGuard)> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
