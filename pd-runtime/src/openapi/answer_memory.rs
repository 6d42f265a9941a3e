//! The memory of answers, which many calls may take at once.

/// Who grants the memory of an answer while it is read.
#[doc(hidden)]
pub trait AnswerMemory: Send {
    /// Waits for more of the answer. Returns `None` if that takes too long while others wait for
    /// the memory.
    fn wait<T: Send>(
        &mut self,
        more: impl Future<Output = T> + Send,
    ) -> impl Future<Output = Option<T>> + Send;

    /// Waits until the answer may take its memory: these bytes, or all that is made of them if they
    /// are the whole. Returns `false` if others take it for too long.
    fn cover(&mut self, body: &[u8], is_whole: bool) -> impl Future<Output = bool> + Send;
}

/// The memory of answers that nobody counts.
#[derive(Debug)]
pub(super) struct UncountedMemory;

impl AnswerMemory for UncountedMemory {
    async fn wait<T: Send>(&mut self, more: impl Future<Output = T> + Send) -> Option<T> {
        Some(more.await)
    }

    async fn cover(&mut self, _: &[u8], _: bool) -> bool {
        true
    }
}
