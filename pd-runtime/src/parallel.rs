//! Processes many items on all cores.

use parking_lot::Mutex;
use std::{
    num::NonZero,
    panic,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The minimum number of items for each thread. Starting a thread costs more than a smaller share
/// saves.
const SHARE_MIN: usize = 64;
/// The number of items that a thread takes at once. Costs of items vary, and neighbors often have
/// similar costs, so fixed shares would end at different times.
const PIECE: usize = 16;

/// Maps each item, and returns the results in order.
pub fn map_items<'a, T: Sync, R: Send>(items: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    map_chunks(items, PIECE, |items| {
        items.iter().map(&work).collect::<Vec<R>>()
    })
    .into_iter()
    .flatten()
    .collect()
}

/// Maps chunks of `size` items, and returns the results in order. A single thread maps all items as
/// one chunk.
pub(crate) fn map_chunks<'a, T: Sync, R: Send>(
    items: &'a [T],
    size: usize,
    work: impl Fn(&'a [T]) -> R + Sync,
) -> Vec<R> {
    let threads = threads().min(items.len() / SHARE_MIN);
    if threads < 2 {
        return vec![work(items)];
    }
    let pieces: Vec<&'a [T]> = items.chunks(size).collect();
    let slots = Mutex::new(
        std::iter::repeat_with(|| None)
            .take(pieces.len())
            .collect::<Vec<Option<R>>>(),
    );
    run_on_threads(threads, pieces.len(), &|place| {
        let result = pieces.get(place).map(|piece| work(piece));
        let mut slots = slots.lock();
        slots
            .get_mut(place)
            .into_iter()
            .zip(result)
            .for_each(|(slot, result)| *slot = Some(result));
    });
    slots.into_inner().into_iter().flatten().collect()
}

/// Runs `work` once for each number below `count`. It is not generic, so that the code that starts
/// threads is compiled once.
fn run_on_threads(threads: usize, count: usize, work: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let share = || {
        // `Relaxed` suffices: the counter only distributes numbers, and joining the threads
        // publishes their results.
        let claimed = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        claimed.take_while(|place| *place < count).for_each(work);
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(share)).collect();
        share();
        for other in others {
            // A panic in the work continues on the caller's thread, as it would without threads.
            other.join().unwrap_or_else(|why| panic::resume_unwind(why));
        }
    });
}

/// Returns the number of threads. It is cached, because the system call takes longer than much of
/// the work.
fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_items_are_worked_on_in_their_order() {
        for count in [0, 1, 63, 64, 129, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(
                super::map_items(&items, |item| item * 2),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
            assert_eq!(
                super::map_chunks(&items, 100, <[usize]>::to_vec).concat(),
                items
            );
        }
    }
}
