//! Where the rows of one call wait to be divided.

use crate::selective::table::Table;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A place for the rows of a call whose caller chose columns. Clones share it, so that a tool may keep its context.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tray(Arc<Mutex<Option<Table>>>);

impl Tray {
    pub(super) fn put(&self, table: Table) {
        *self.lock() = Some(table);
    }

    /// The rows, if the tool returned any.
    pub(crate) fn take(&self) -> Option<Table> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Table>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
