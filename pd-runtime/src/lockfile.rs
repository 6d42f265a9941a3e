//! The reviewed contracts of a registry's tools, kept in a file beside the code: [`ContractLock`].
//! `compare` and `schema` find the differences between two locks; `file` defines the file's
//! format. `definition` and `servers` have the contracts of other servers' tools, which a gateway
//! offers.

mod change;
mod columns;
mod compare;
mod contract;
mod definition;
mod file;
mod render;
mod schema;
mod servers;

pub use change::{ContractChange, ContractChanges};
pub use compare::HINT_DEFAULTS;
pub use contract::ToolContract;
pub use file::LockError;
pub use servers::{ServerContracts, ServerLocks};

use crate::registry::{Registry, problem::RegistryErrors};
use std::path::Path;

/// The contracts of all tools: everything that callers read, send, receive and need.
///
/// A contract contains the full description with its digest, the summary, annotations, scopes,
/// aliases, related tools and `_meta`. Groups and the server's instructions are not part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ContractLock {
    tools: Vec<ToolContract>,
}

impl ContractLock {
    /// Returns the number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Returns whether the lock has no tools.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Returns the changes from this lock to `newer`, in the newer one's order. Removed tools come
    /// last.
    pub fn changes_to(&self, newer: &Self) -> ContractChanges {
        compare::compare_locks(&self.tools, &newer.tools)
    }
}

impl<S: 'static> Registry<S> {
    /// Returns the contracts of the registry's tools.
    ///
    /// # Errors
    ///
    /// Returns every error that [`Registry::check`] finds, because an invalid registry promises
    /// nothing.
    pub fn lock(&self) -> Result<ContractLock, RegistryErrors> {
        self.check()?;
        Ok(ContractLock {
            tools: self
                .tools
                .iter()
                .map(|tool| ToolContract::from_tool(&tool.about))
                .collect(),
        })
    }

    /// Compares the tools' contracts with those in a file, so that no contract changes without a
    /// review (feature `lock`):
    ///
    /// ```no_run
    /// # use pd_runtime::prelude::*;
    /// # /// Say hello
    /// # #[pd_tool]
    /// # fn hello() -> String { "hello".into() }
    /// # fn registry() -> Registry<()> { pd_runtime::registry! { hello } }
    /// // #[test]
    /// fn no_contract_changes_unseen() -> Result<(), pd_runtime::check::LockError> {
    ///     registry().check_lock("tools.lock")
    /// }
    /// ```
    ///
    /// `UPDATE_LOCK=1 cargo test` writes the file instead, and so does the command `check --lock
    /// FILE --update`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is missing or is not a valid lock, or if a contract differs.
    /// The error lists each change, and whether it breaks callers.
    pub fn check_lock(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        let current = self.lock()?;
        // After the check above, so that an invalid registry cannot be locked.
        if std::env::var_os("UPDATE_LOCK").is_some() {
            return current.write(path);
        }
        let changes = ContractLock::read(path)?.changes_to(&current);
        if changes.is_empty() {
            Ok(())
        } else {
            Err(LockError::Changed {
                path: path.to_owned(),
                changes,
            })
        }
    }
}

#[cfg(test)]
mod tests;
