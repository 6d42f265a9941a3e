//! The memory of large messages, for all upstreams of a gateway.

use super::parser_thread::ParserThread;
use parking_lot::Mutex;
use std::{pin::pin, sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout, timeout_at},
};

/// The bytes that one permit stands for.
const UNIT: usize = 64 * 1024;
/// The bytes of a message that are not counted.
const SMALL: usize = 64 * 1024;
/// The memory of all large messages but one.
const POOL: usize = 32 << 20;
/// How long a message waits for the place beyond the pool, and how long it may arrive there.
const OVERFLOW_TIME: Duration = Duration::from_secs(60);
/// How long a message of a shared stream waits for that place, because smaller answers wait behind
/// it.
const SHARED_STREAM_TIME: Duration = Duration::from_secs(10);
/// How long another message may have that place while a message of a shared stream waits. After
/// this, a client reads the answer slowly, or an upstream writes it slowly.
const TURN_TIME: Duration = Duration::from_secs(3);

/// How long a message waits for memory that other messages take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryPatience {
    /// The stream is the response to one request, so only this request waits.
    OwnStream,
    /// The stream carries the answers to other requests, too. They must not wait for a client that
    /// reads slowly.
    SharedStream,
}

/// The memory that large messages may take at once.
///
/// Messages share a pool. When it is used up, one message at a time may take more, whatever its
/// size. So some message always makes progress, and those that wait for it take no more than they
/// have.
#[derive(Debug)]
pub(crate) struct MessageMemory {
    pool: Arc<Semaphore>,
    overflow: Arc<Semaphore>,
    /// When the latest message got the place beyond the pool.
    latest_turn: Mutex<Option<Instant>>,
    pub(super) parser: ParserThread,
}

/// The memory of one message. It is free again when the value is dropped.
#[derive(Debug, Default)]
pub(crate) struct MessageReservation {
    pool: Option<OwnedSemaphorePermit>,
    /// The place beyond the pool, with the time by which the message must have arrived.
    overflow: Option<(OwnedSemaphorePermit, Instant)>,
}

impl Default for MessageMemory {
    fn default() -> Self {
        Self {
            pool: Arc::new(Semaphore::new(POOL / UNIT)),
            overflow: Arc::new(Semaphore::new(1)),
            latest_turn: Mutex::new(None),
            parser: ParserThread::default(),
        }
    }
}

impl MessageMemory {
    /// Waits for the place beyond the pool.
    async fn overflow_place(&self, patience: MemoryPatience) -> Option<OwnedSemaphorePermit> {
        let began = Instant::now();
        // One future for all rounds, because a new one would be the last in the queue again.
        let mut place = pin!(self.overflow.clone().acquire_owned());
        let place = match patience {
            MemoryPatience::OwnStream => timeout(OVERFLOW_TIME, place).await.ok()?.ok()?,
            MemoryPatience::SharedStream => loop {
                let turn_end = self.latest_turn().map_or(began, |turn| turn + TURN_TIME);
                let deadline = turn_end.min(began + SHARED_STREAM_TIME);
                if let Ok(place) = timeout_at(deadline, &mut place).await {
                    break place.ok()?;
                }
                // Another message got the place meanwhile, so the wait goes on.
                let has_moved = self
                    .latest_turn()
                    .is_some_and(|turn| turn + TURN_TIME > deadline);
                if !has_moved || began.elapsed() >= SHARED_STREAM_TIME {
                    return None;
                }
            },
        };
        *self.latest_turn.lock() = Some(Instant::now());
        Some(place)
    }

    fn latest_turn(&self) -> Option<Instant> {
        *self.latest_turn.lock()
    }
}

impl MessageReservation {
    /// Waits until the message may take this memory. Returns `None` if other messages take it for
    /// too long.
    pub(crate) async fn cover(
        &mut self,
        memory: &MessageMemory,
        bytes: usize,
        patience: MemoryPatience,
    ) -> Option<()> {
        let units = bytes.saturating_sub(SMALL).div_ceil(UNIT);
        let missing = units.saturating_sub(
            self.pool
                .as_ref()
                .map_or(0, OwnedSemaphorePermit::num_permits),
        );
        if missing == 0 || self.overflow.is_some() {
            return Some(());
        }
        // Any number over the 512 units of the pool leads to the place beyond it.
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        // Not awaited: two messages that each have a part of the pool would wait for each other.
        if let Ok(permits) = memory.pool.clone().try_acquire_many_owned(missing) {
            match &mut self.pool {
                Some(pool) => pool.merge(permits),
                None => self.pool = Some(permits),
            }
            return Some(());
        }
        let place = memory.overflow_place(patience).await?;
        self.overflow = Some((place, Instant::now() + OVERFLOW_TIME));
        Some(())
    }

    /// Returns whether the message takes none of the memory that is counted.
    pub(crate) const fn is_empty(&self) -> bool {
        self.pool.is_none() && self.overflow.is_none()
    }

    /// Returns the time by which the message must have arrived, because others wait for its place.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.overflow.as_ref().map(|(_, deadline)| *deadline)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{
        MemoryPatience::{OwnStream, SharedStream},
        *,
    };

    #[tokio::test(start_paused = true)]
    async fn one_message_at_a_time_exceeds_the_pool() {
        let memory = MessageMemory::default();
        let mut small = MessageReservation::default();
        small.cover(&memory, SMALL, OwnStream).await.unwrap();
        assert!(small.pool.is_none());
        let (mut one, mut other, mut third) = Default::default();
        let cover = async |reservation: &mut MessageReservation, bytes| {
            reservation.cover(&memory, bytes, OwnStream).await
        };
        cover(&mut one, POOL).await.unwrap();
        cover(&mut other, POOL).await.unwrap();
        cover(&mut other, 10 * POOL).await.unwrap();
        assert!(one.deadline().is_none() && other.deadline().is_some());
        assert!(
            cover(&mut third, 2 * SMALL).await.is_some(),
            "the pool has a rest"
        );
        assert!(
            cover(&mut third, POOL).await.is_none(),
            "the place is taken"
        );
        drop(other);
        cover(&mut third, POOL).await.unwrap();
        drop((one, third));
        cover(&mut MessageReservation::default(), POOL)
            .await
            .unwrap();
    }

    /// Returns how long a message of a shared stream waits, and whether it gets the memory.
    async fn shared_wait(memory: &MessageMemory) -> (u64, bool) {
        let began = Instant::now();
        let mut message = MessageReservation::default();
        let covered = message.cover(memory, 2 * POOL, SharedStream).await;
        (began.elapsed().as_secs(), covered.is_some())
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_holds_a_shared_stream_up_only_once() {
        let memory = MessageMemory::default();
        let mut slow = MessageReservation::default();
        slow.cover(&memory, 2 * POOL, SharedStream).await.unwrap();
        assert_eq!(shared_wait(&memory).await, (3, false));
        assert_eq!(shared_wait(&memory).await, (0, false), "it is still slow");
        drop(slow);
        assert_eq!(shared_wait(&memory).await, (0, true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_shared_stream_waits_longer_while_others_take_turns() {
        for (turns, expected) in [(3, (6, true)), (9, (10, false))] {
            let memory = Arc::new(MessageMemory::default());
            for _ in 0..turns {
                let memory = memory.clone();
                tokio::spawn(async move {
                    let mut turn = MessageReservation::default();
                    turn.cover(&memory, 2 * POOL, OwnStream).await.unwrap();
                    tokio::time::sleep(Duration::from_secs(2)).await;
                });
            }
            tokio::task::yield_now().await;
            assert_eq!(shared_wait(&memory).await, expected);
        }
    }
}
