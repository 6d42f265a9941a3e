//! The memory of all definitions of a document. If they are too large, the schemas of answers lose a
//! level, and then the largest schemas of arguments lose detail, so that no operation is left out.

use super::{
    document::OperationPlace,
    operation::{OpenApiOperation, OperationReader},
};
use crate::text::value_memory::{memory_of, memory_of_object};

/// The memory of all definitions, in bytes. A gateway keeps at most 24 MiB of a server's lists.
const DEFINITIONS_MAX: usize = 23 << 20;
/// What a gateway adds to each definition: the server, for the lock.
const SERVER_MARK: usize = 700;
/// How often schemas are reduced. The least detailed one of an operation may be over its part, so
/// the others then get less.
const ROUNDS: usize = 4;

/// An operation that was read, with its place in the document.
pub(super) struct ReadOperation<'p, 'd> {
    pub(super) place: &'p OperationPlace<'d>,
    pub(super) operation: OpenApiOperation,
    /// Whether its schema cannot lose more detail.
    is_least: bool,
}

impl<'p, 'd> ReadOperation<'p, 'd> {
    pub(super) fn new(place: &'p OperationPlace<'d>, operation: OpenApiOperation) -> Self {
        Self {
            place,
            operation,
            is_least: false,
        }
    }

    fn input_memory(&self) -> usize {
        memory_of_object(self.operation.input())
    }
}

/// Reduces schemas until all definitions have room.
pub(super) fn make_room(operations: &mut [ReadOperation<'_, '_>], reader: &OperationReader<'_>) {
    if excess(operations) == 0 {
        return;
    }
    for read in operations.iter_mut() {
        reader.reduce_output(&mut read.operation, read.place);
    }
    for _ in 0..ROUNDS {
        let excess = excess(operations);
        if excess == 0 {
            return;
        }
        let reducible = operations.iter().filter(|read| !read.is_least);
        let mut inputs: Vec<_> = reducible.map(ReadOperation::input_memory).collect();
        let room = inputs.iter().sum::<usize>().saturating_sub(excess);
        let bound = shared_bound(&mut inputs, room);
        for read in operations.iter_mut().filter(|read| !read.is_least) {
            if read.input_memory() > bound {
                reader.reduce(&mut read.operation, read.place, bound);
                read.is_least = read.input_memory() > bound;
            }
        }
    }
}

/// Returns by how many bytes the definitions are over their bound.
fn excess(operations: &[ReadOperation<'_, '_>]) -> usize {
    let definitions = operations.iter().map(|read| read.operation.definition());
    let all: usize = definitions
        .map(|definition| memory_of(&definition) + SERVER_MARK)
        .sum();
    all.saturating_sub(DEFINITIONS_MAX)
}

/// Returns the bound with which all values together have this room, if none is over the bound.
fn shared_bound(values: &mut [usize], room: usize) -> usize {
    values.sort_unstable();
    let mut left = room;
    for (place, value) in values.iter().enumerate() {
        let part = left / (values.len() - place);
        if *value > part {
            return part;
        }
        left -= value;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_fills_the_room_and_takes_from_the_largest_alone() {
        for (mut values, room, bound) in [
            (vec![1, 2, 3], 6, usize::MAX),
            (vec![9, 1, 9], 11, 5),
            (vec![4, 4, 4], 3, 1),
            (vec![5, 7], 0, 0),
            (vec![], 0, usize::MAX),
        ] {
            assert_eq!(shared_bound(&mut values, room), bound, "{values:?}");
        }
    }
}
