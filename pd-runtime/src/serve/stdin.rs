//! Standard input for a server that must be able to stop while its client is silent.

use futures::stream;
use std::{
    io::{self, BufRead, Cursor, ErrorKind},
    thread,
};
use tokio::{io::AsyncRead, sync::mpsc};
use tokio_util::io::StreamReader;

/// Returns standard input, read by a dedicated thread. tokio's own reader blocks a thread of its
/// runtime, which then cannot shut down before the next line arrives. This thread ends with the
/// process.
pub(super) fn stdin() -> impl AsyncRead + Send + Unpin + 'static {
    // A channel of one chunk: the thread reads on only after the server has taken the previous
    // chunk, so a fast client cannot fill the memory.
    let (sender, mut receiver) = mpsc::channel(1);
    thread::spawn(move || {
        while let Some(chunk) = next_chunk()
            && sender.blocking_send(chunk).is_ok()
        {}
    });
    StreamReader::new(stream::poll_fn(move |context| receiver.poll_recv(context)))
}

/// Returns the next chunk, or `None` at the end of input.
fn next_chunk() -> Option<io::Result<Cursor<Vec<u8>>>> {
    let mut stdin = io::stdin().lock();
    let read = loop {
        match stdin.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read.map(<[u8]>::to_vec),
        }
    };
    match read {
        Ok(bytes) if bytes.is_empty() => None,
        Ok(bytes) => {
            stdin.consume(bytes.len());
            Some(Ok(Cursor::new(bytes)))
        }
        Err(error) => Some(Err(error)),
    }
}
