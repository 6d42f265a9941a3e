//! State for each conversation, bounded in number.

use std::collections::{HashMap, VecDeque};

/// The maximum number of conversations in memory. The oldest one is dropped first.
pub(super) const CONVERSATIONS_MAX: usize = 10_000;

/// A state for each of the latest conversations.
#[derive(Debug, Default)]
pub(super) struct ConversationMap<T> {
    states: HashMap<u64, T>,
    /// Conversations in the order of their first event.
    begun: VecDeque<u64>,
}

impl<T: Default> ConversationMap<T> {
    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        self.states.get_mut(&key)
    }

    /// Returns the state of a conversation, which is new if necessary, and the state that was
    /// dropped for it.
    pub(super) fn entry(&mut self, key: u64) -> (&mut T, Option<T>) {
        let mut dropped = None;
        if !self.states.contains_key(&key) {
            // Without a bound, a long file with many short sessions would fill the memory.
            if self.begun.len() == CONVERSATIONS_MAX {
                dropped = self
                    .begun
                    .pop_front()
                    .and_then(|first| self.states.remove(&first));
            }
            self.begun.push_back(key);
        }
        (self.states.entry(key).or_default(), dropped)
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.states.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_conversation_makes_room() {
        let mut map = ConversationMap::<usize>::default();
        for key in 0..3 * CONVERSATIONS_MAX {
            let (state, dropped) = map.entry(key as u64);
            *state = key;
            assert_eq!(dropped, key.checked_sub(CONVERSATIONS_MAX));
        }
        assert_eq!(
            (map.states.len(), map.begun.len()),
            (CONVERSATIONS_MAX, CONVERSATIONS_MAX)
        );
    }
}
