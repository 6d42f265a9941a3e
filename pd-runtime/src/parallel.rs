//! The same work for many items, on as many threads as the machine has.

use std::{
    num::NonZero,
    panic,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The least items that are worth a thread.
const SHARE_MIN: usize = 64;
/// How many items a thread takes at once: neighbours may be equally dear, so that fixed shares would end at different times.
const PIECE: usize = 16;

/// What the work makes of each item, in their order.
pub(crate) fn each<'a, T: Sync, R: Send>(items: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    let piece = |items: &'a [T]| items.iter().map(&work).collect::<Vec<R>>();
    pieces(items, PIECE, piece).into_iter().flatten().collect()
}

/// What the work makes of each so many neighbours, in their order; of all at once where one thread must do.
pub(crate) fn pieces<'a, T: Sync, R: Send>(items: &'a [T], size: usize, work: impl Fn(&'a [T]) -> R + Sync) -> Vec<R> {
    let threads = threads().min(items.len() / SHARE_MIN);
    if threads < 2 {
        return vec![work(items)];
    }
    let pieces: Vec<&'a [T]> = items.chunks(size).collect();
    let next = AtomicUsize::new(0);
    let share = || {
        let taken = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let taken = taken.map_while(|place| Some((place, *pieces.get(place)?)));
        taken.map(|(place, piece)| (place, work(piece))).collect::<Vec<_>>()
    };
    let mut made = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(share)).collect();
        let mut made = share();
        for other in others {
            made.extend(other.join().unwrap_or_else(|why| panic::resume_unwind(why)));
        }
        made
    });
    made.sort_unstable_by_key(|(place, _)| *place);
    made.into_iter().map(|(_, made)| made).collect()
}

/// How many run at once. To find out takes longer than much of the work.
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
            assert_eq!(super::each(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(super::pieces(&items, 100, <[usize]>::to_vec).concat(), items);
        }
    }
}
