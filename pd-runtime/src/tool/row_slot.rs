//! The slot in which the rows of one call wait for `server::dispatch`, which splits them into
//! columns.

use crate::selective::table::Table;
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::JsonObject;
use std::sync::Arc;

/// The rows of one call.
#[derive(Debug)]
pub(crate) struct CallRows {
    pub(crate) table: Table,
    /// The result around the rows of an upstream's tool. `None` for an own tool, because its result
    /// is rows alone.
    pub(crate) frame: Option<ResultFrame>,
}

/// What the result of an upstream has beside its rows.
#[derive(Debug, Default)]
pub struct ResultFrame {
    /// The members of the object that contains the rows.
    pub members: JsonObject,
    /// The member of `structuredContent` that must be the text of the answer.
    pub text_key: Option<String>,
}

/// A slot for the rows of a call with chosen columns. Clones share it, because a tool may keep a
/// clone of its context.
#[derive(Debug, Clone, Default)]
pub struct RowSlot(Arc<Mutex<Option<CallRows>>>);

impl RowSlot {
    pub(super) fn put(&self, table: Table) {
        *self.lock() = Some(CallRows { table, frame: None });
    }

    /// Puts the rows of an upstream's result.
    pub fn put_upstream(&self, table: Table, frame: ResultFrame) {
        *self.lock() = Some(CallRows {
            table,
            frame: Some(frame),
        });
    }

    /// Takes the rows, if the tool returned any.
    pub(crate) fn take(&self) -> Option<CallRows> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<CallRows>> {
        self.0.lock()
    }
}
