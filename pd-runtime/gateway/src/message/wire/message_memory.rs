//! The memory of large messages, for all upstreams of a gateway.

use super::parser_thread::ParserThread;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout},
};

/// The bytes that one permit stands for.
const UNIT: usize = 64 * 1024;
/// The bytes of a message that are not counted.
const SMALL: usize = 64 * 1024;
/// The memory of all large messages but one.
const POOL: usize = 32 << 20;
/// How long a message waits for the place beyond the pool, and how long it may arrive there.
const OVERFLOW_TIME: Duration = Duration::from_secs(60);

/// The memory that large messages may take at once.
///
/// Messages share a pool. When it is used up, one message at a time may take more, whatever its
/// size. So some message always makes progress, and those that wait for it take no more than they
/// have.
#[derive(Debug)]
pub(crate) struct MessageMemory {
    pool: Arc<Semaphore>,
    overflow: Arc<Semaphore>,
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
            parser: ParserThread::default(),
        }
    }
}

impl MessageReservation {
    /// Waits until the message may take this memory. Returns `None` if other messages take it for
    /// too long.
    pub(crate) async fn cover(&mut self, memory: &MessageMemory, bytes: usize) -> Option<()> {
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
        let place = timeout(OVERFLOW_TIME, memory.overflow.clone().acquire_owned())
            .await
            .ok()?
            .ok()?;
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

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_message_at_a_time_exceeds_the_pool() {
        let memory = MessageMemory::default();
        let mut small = MessageReservation::default();
        small.cover(&memory, SMALL).await.unwrap();
        assert!(small.pool.is_none());
        let (mut one, mut other, mut third) = Default::default();
        let cover = async |reservation: &mut MessageReservation, bytes| {
            reservation.cover(&memory, bytes).await
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
}
