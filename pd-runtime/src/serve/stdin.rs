//! Standard input, for a server that can be told to stop while its client says nothing.

use futures::stream;
use std::{
    io::{self, BufRead, Cursor, ErrorKind},
    thread,
};
use tokio::{io::AsyncRead, sync::mpsc};
use tokio_util::io::StreamReader;

/// Standard input, read by a thread of its own. tokio's own reader blocks in its runtime, which then does not end before
/// another line comes; this thread ends with the process.
pub(super) fn stdin() -> impl AsyncRead + Send + Unpin + 'static {
    let (sender, mut receiver) = mpsc::channel(1);
    thread::spawn(move || {
        while let Some(chunk) = next_chunk()
            && sender.blocking_send(chunk).is_ok()
        {}
    });
    StreamReader::new(stream::poll_fn(move |context| receiver.poll_recv(context)))
}

/// What came next; `None` at the end.
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
