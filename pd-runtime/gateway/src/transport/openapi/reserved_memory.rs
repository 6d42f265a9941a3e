//! The memory of an API's answers, which they share with the messages of all upstreams.

use crate::message::wire::{MemoryPatience, MessageMemory, MessageReservation, MessageScan};
use pd_runtime::upstream::openapi::AnswerMemory;
use tokio::time::timeout_at;

/// The copies of an answer: its bytes, the value, its text, and the message to the client.
const COPIES: usize = 4;
/// The length from which the values of an answer are counted. Those of a shorter one take little.
const SCANNED_FROM: usize = 16 * 1024;

/// The memory of one answer.
pub(super) struct ReservedMemory<'m> {
    memory: &'m MessageMemory,
    reservation: MessageReservation,
}

impl<'m> ReservedMemory<'m> {
    pub(super) fn new(memory: &'m MessageMemory) -> Self {
        Self {
            memory,
            reservation: MessageReservation::default(),
        }
    }

    /// Returns the memory, which the answer takes until the client has it.
    pub(super) fn into_reservation(self) -> MessageReservation {
        self.reservation
    }
}

impl AnswerMemory for ReservedMemory<'_> {
    async fn wait<T: Send>(&mut self, more: impl Future<Output = T> + Send) -> Option<T> {
        match self.reservation.deadline() {
            Some(deadline) => timeout_at(deadline, more).await.ok(),
            None => Some(more.await),
        }
    }

    async fn cover(&mut self, body: &[u8], is_whole: bool) -> bool {
        let bytes = if is_whole && body.len() >= SCANNED_FROM {
            let mut scan = MessageScan::default();
            scan.feed(body);
            body.len()
                .saturating_mul(COPIES)
                .saturating_add(scan.memory())
        } else {
            body.len()
        };
        self.reservation
            .cover(self.memory, bytes, MemoryPatience::OwnStream)
            .await
            .is_some()
    }
}
