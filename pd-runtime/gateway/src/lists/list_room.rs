//! The memory that the lists of one upstream may take.

use pd_runtime::upstream::text::value_memory::memory_of;
use serde_json::Value;

/// The memory of all lists of one upstream, in bytes. Lists are read, compared, indexed and kept,
/// so they take several times as much for a while.
const LISTS_MAX: usize = 24 << 20;
/// What is left of it.
#[derive(Debug)]
pub(crate) struct ListRoom(usize);

impl Default for ListRoom {
    fn default() -> Self {
        Self(LISTS_MAX)
    }
}

impl ListRoom {
    /// Takes the memory of an entry, if there is room for it.
    pub(crate) fn take(&mut self, entry: &Value) -> bool {
        let rest = self.0.checked_sub(memory_of(entry));
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn entries_are_taken_up_to_the_bound() {
        let mut room = ListRoom::default();
        let tool = json!({ "name": "x".repeat(3 << 20) });
        assert_eq!((0..9).filter(|_| room.take(&tool)).count(), 7);
        let mut room = ListRoom::default();
        assert!((0..5_000).all(|_| room.take(&json!([]))));
        assert!(!ListRoom::default().take(&Value::Array(vec![json!(0); 1 << 20])));
    }
}
