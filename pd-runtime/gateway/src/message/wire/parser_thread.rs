//! The thread that parses large messages, one after another.

use serde_json::{Value, from_slice};
use std::{
    sync::{OnceLock, mpsc},
    thread,
};
use tokio::sync::oneshot;

type Parsed = (serde_json::Result<Value>, Vec<u8>);
type Job = (Vec<u8>, oneshot::Sender<Parsed>);

/// Parses large messages on its own thread, which begins with the first of them.
///
/// glibc keeps freed memory for the thread that allocated it. Were each message parsed on the
/// thread that received it, every thread of the runtime would keep the memory of a message.
#[derive(Debug, Default)]
pub(super) struct ParserThread(OnceLock<Option<mpsc::Sender<Job>>>);

impl ParserThread {
    /// Parses the bytes of a message, and returns them with the value.
    pub(super) async fn parse(&self, bytes: Vec<u8>) -> Parsed {
        let jobs = self.0.get_or_init(|| {
            let (sender, jobs) = mpsc::channel::<Job>();
            let thread = thread::Builder::new().name("pd-parser".to_owned());
            thread
                .spawn(move || jobs.iter().for_each(run))
                .ok()
                // Not joined: the thread ends when the sender is dropped.
                .map(|_| sender)
        });
        let (sender, parsed) = oneshot::channel();
        // Without a thread, the message is parsed here.
        let left = match jobs {
            Some(jobs) => jobs.send((bytes, sender)).err().map(|refused| refused.0.0),
            None => Some(bytes),
        };
        match left {
            Some(bytes) => (from_slice(&bytes), bytes),
            // The thread has ended without a result. The empty text makes this an error of the
            // parser.
            None => parsed
                .await
                .unwrap_or_else(|_| (from_slice(b""), Vec::new())),
        }
    }
}

fn run((bytes, sender): Job) {
    let value = from_slice(&bytes);
    drop(sender.send((value, bytes)));
}
