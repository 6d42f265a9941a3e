//! The worker: a separate process that runs one program and ends. It has no handle but its standard
//! streams, and reaches nothing but the server that started it.

mod confinement;
mod engine;

use super::{
    message::{FromWorker, ToWorker},
    settings::WORKER_ARGUMENT,
};
use std::io::{BufRead, Write};

/// Runs this process as a worker if the server started it as one, and ends the process. Otherwise
/// returns at once.
///
/// Call it first in `main`, before an async runtime starts and before the arguments are parsed.
/// [`cli::main`](crate::cli::main) calls it, too, for binaries that parse no arguments themselves.
///
/// ```no_run
/// pd_runtime::code::run_worker_if_requested();
/// // Parse the arguments, start the runtime, and serve.
/// ```
pub fn run_worker_if_requested() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments
        .next()
        .is_some_and(|argument| argument == WORKER_ARGUMENT)
    {
        let mut number = || arguments.next()?.to_str()?.parse().ok();
        let cpu_seconds = number().unwrap_or(1);
        let memory_bytes = number().unwrap_or_default();
        // `exit` rather than a return: the rest of `main` belongs to the server.
        std::process::exit(i32::from(run(cpu_seconds, memory_bytes).is_err()));
    }
}

/// Confines the process, runs one program, and reports its end.
fn run(cpu_seconds: u64, memory_bytes: u64) -> std::io::Result<()> {
    let confinement::Confinement { means, open_ways } =
        confinement::confine(cpu_seconds, memory_bytes);
    // Before the program is read: the server sends it only to a worker that is confined.
    send(&FromWorker::Ready {
        confinement: means,
        open_ways,
    })?;
    match receive()? {
        Some(ToWorker::Start(start)) => send(&engine::run(start)),
        _ => Err(std::io::ErrorKind::InvalidData.into()),
    }
}

/// Sends one message as one line.
fn send(message: &FromWorker) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = std::io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

/// Waits for the next message. Returns `None` if the server has closed the connection.
fn receive() -> std::io::Result<Option<ToWorker>> {
    let mut line = Vec::new();
    let bytes = std::io::stdin().lock().read_until(b'\n', &mut line)?;
    Ok(if bytes == 0 {
        None
    } else {
        Some(serde_json::from_slice(&line)?)
    })
}
