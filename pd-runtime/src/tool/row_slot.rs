//! The slot in which the rows of one call wait for `server::dispatch`, which splits them into
//! columns.

use crate::selective::table::Table;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

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

    fn lock(&self) -> MutexGuard<'_, Option<Table>> {
        self.0.lock()
    }
}
