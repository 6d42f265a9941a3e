//! The same work for many items, on as many threads as the machine has.

use std::{num::NonZero, panic, thread};

/// The least items that are worth a thread.
const SHARE_MIN: usize = 64;

/// What the work makes of each item, in their order.
pub(crate) fn each<'a, T: Sync, R: Send>(items: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(items.len() / SHARE_MIN);
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let share = |items: &'a [T]| items.iter().map(&work).collect::<Vec<R>>();
    thread::scope(|scope| {
        let shares = items.chunks(items.len().div_ceil(threads));
        let running: Vec<_> = shares.map(|items| scope.spawn(|| share(items))).collect();
        let ended = running.into_iter().map(|thread| thread.join().unwrap_or_else(|why| panic::resume_unwind(why)));
        ended.flatten().collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_items_are_worked_on_in_their_order() {
        for count in [0, 1, 63, 64, 129, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(super::each(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
