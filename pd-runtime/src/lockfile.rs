//! What a registry promised when it was last reviewed, kept in a file that stands beside the code: [`Lock`].
//! How two of them differ is in `compare` and `schema`, what the file looks like in `file` and `layout`.

mod change;
mod columns;
mod compare;
mod contract;
mod file;
pub(crate) mod pretty_json;
mod render;
mod schema;

pub use change::{Change, Changes};
pub use file::LockError;

use crate::registry::{Registry, problem::Problems};
use contract::Contract;
use std::path::Path;

/// Every tool's contract, as callers know it: what they read, send, receive and need.
///
/// A contract is the full description with its digest, and beside it the summary, hints, scopes, aliases, related tools and
/// `_meta`. Neither groups nor the server's instructions are part of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    tools: Vec<Contract>,
}

impl Lock {
    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// What changed from this lock to `newer`, in the newer one's order; removed tools come last.
    pub fn changes_to(&self, newer: &Self) -> Changes {
        compare::locks(&self.tools, &newer.tools)
    }
}

impl<S: 'static> Registry<S> {
    /// The contracts of its tools.
    ///
    /// # Errors
    ///
    /// All that [`Registry::check`] finds: what does not hold is not promised.
    pub fn lock(&self) -> Result<Lock, Problems> {
        self.check()?;
        Ok(Lock { tools: self.tools.iter().map(|tool| Contract::of(&tool.about)).collect() })
    }

    /// Holds the tools' contracts against those in a file, so that none changes without a review:
    ///
    /// ```no_run
    /// # use pd_runtime::prelude::*;
    /// # /// Say hello
    /// # #[pd_tool]
    /// # fn hello() -> String { "hello".into() }
    /// # fn registry() -> Registry<()> { pd_runtime::registry! { hello } }
    /// // #[test]
    /// fn no_contract_changes_unseen() -> Result<(), pd_runtime::LockError> {
    ///     registry().check_lock("tools.lock")
    /// }
    /// ```
    ///
    /// `UPDATE_LOCK=1 cargo test` writes the file instead, and so does the command `check --lock FILE --update`.
    ///
    /// # Errors
    ///
    /// There is no such file, it is no lock, or a contract differs: then each change is told, and whether it breaks callers.
    pub fn check_lock(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        let current = self.lock()?;
        if std::env::var_os("UPDATE_LOCK").is_some() {
            return current.write(path);
        }
        let changes = Lock::read(path)?.changes_to(&current);
        if changes.is_empty() { Ok(()) } else { Err(LockError::Changed { path: path.to_owned(), changes }) }
    }
}

#[cfg(test)]
mod tests;
