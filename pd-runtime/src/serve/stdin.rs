//! Standard input for a server that must be able to stop while its client is silent.

use super::ready_input::ReadyInput;
use futures::stream;
use std::{
    io::{self, Cursor, ErrorKind, Read},
    thread,
};
use tokio::{io::AsyncRead, sync::mpsc};
use tokio_util::{either::Either, io::StreamReader};

/// The most bytes that are read at once.
const CHUNK_MAX: usize = 8 << 10;

/// Returns a reader of the input of the protocol. Without `ready`, a dedicated thread reads it.
pub(super) fn stdin(
    input: impl Read + Send + 'static,
    ready: Option<ReadyInput>,
) -> impl AsyncRead + Send + Unpin + 'static {
    ready.map_or_else(|| Either::Right(read_by_thread(input)), Either::Left)
}

/// tokio's own reader blocks a thread of its runtime, which then cannot shut down before the next
/// line arrives. This thread ends with the process.
fn read_by_thread(
    mut input: impl Read + Send + 'static,
) -> impl AsyncRead + Send + Unpin + 'static {
    // A channel of one chunk: the thread reads on only after the server has taken the previous
    // chunk, so a fast client cannot fill the memory.
    let (sender, mut receiver) = mpsc::channel(1);
    thread::spawn(move || {
        while let Some(chunk) = next_chunk(&mut input)
            && sender.blocking_send(chunk).is_ok()
        {}
    });
    StreamReader::new(stream::poll_fn(move |context| receiver.poll_recv(context)))
}

/// Returns the next chunk, or `None` at the end of input.
fn next_chunk(input: &mut impl Read) -> Option<io::Result<Cursor<Vec<u8>>>> {
    let mut chunk = vec![0; CHUNK_MAX];
    let read = loop {
        match input.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    match read {
        Ok(0) => None,
        Ok(bytes) => {
            chunk.truncate(bytes);
            Some(Ok(Cursor::new(chunk)))
        }
        Err(error) => Some(Err(error)),
    }
}
