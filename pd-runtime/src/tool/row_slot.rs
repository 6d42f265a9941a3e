//! The slot in which the rows of one call wait for `server::dispatch`, which splits them into
//! columns.

use crate::selective::table::Table;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A slot for the rows of a call whose caller chose columns. Clones share it, because a tool may
/// keep a clone of its context.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowSlot(Arc<Mutex<Option<Table>>>);

impl RowSlot {
    pub(super) fn put(&self, table: Table) {
        *self.lock() = Some(table);
    }

    /// Takes the rows, if the tool returned any.
    pub(crate) fn take(&self) -> Option<Table> {
        self.lock().take()
    }

    // One assignment is all that runs under the lock, so a poisoned lock holds a valid value.
    fn lock(&self) -> MutexGuard<'_, Option<Table>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
