//! `--principals`: who may see which tools. The file is a JSON object, bearer token → array of tool names.

use crate::registry::scope;
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use http::request::Parts;
use pd_runtime::{
    Principal,
    cli::read_text,
    serve::{Authenticate, AuthenticationError, bearer},
};
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::SystemTime,
};

/// The file, and what it said when it was last sound.
#[derive(Debug)]
pub(crate) struct Principals {
    path: PathBuf,
    held: RwLock<Held>,
}

#[derive(Debug)]
struct Held {
    stamp: Option<Stamp>,
    table: Arc<Table>,
}

/// All principals. Their tokens are not kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Table {
    principals: Vec<([u8; 32], Principal)>,
    /// All tools that the file names.
    pub(crate) tools: BTreeSet<String>,
}

/// What changes when a file is written or replaced.
type Stamp = (u64, Option<SystemTime>, Option<SystemTime>);

#[derive(Debug, thiserror::Error)]
pub(crate) enum PrincipalsError {
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    // Not serde's own words: they would quote tokens.
    #[error("{} is not an object of tokens (line {line}, column {column}); write `{{\"TOKEN\": [\"TOOL\", …], …}}`", path.display())]
    Parse {
        path: PathBuf,
        line: usize,
        column: usize,
    },
}

impl Principals {
    pub(crate) fn open(path: PathBuf) -> Result<Self, PrincipalsError> {
        let held = Held {
            stamp: stamp(&path),
            table: Arc::new(Table::read(&path)?),
        };
        Ok(Self {
            path,
            held: RwLock::new(held),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file again; what was known stays where it is not sound. A table that says the same is the same one.
    pub(crate) fn reload(&self) -> Result<Arc<Table>, PrincipalsError> {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        held.stamp = stamp(&self.path);
        let table = Table::read(&self.path)?;
        if table != *held.table {
            held.table = Arc::new(table);
        }
        Ok(held.table.clone())
    }

    /// What the file says now: rights that were taken away are gone with the next request, before the watcher wakes.
    fn now(&self) -> Arc<Table> {
        let now = stamp(&self.path);
        {
            let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
            if held.stamp == now {
                return held.table.clone();
            }
        }
        // The watcher tells what is wrong with it.
        self.reload().unwrap_or_else(|_| self.table())
    }

    /// What is known.
    pub(crate) fn table(&self) -> Arc<Table> {
        self.held
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .table
            .clone()
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((
        metadata.len(),
        metadata.modified().ok(),
        metadata.created().ok(),
    ))
}

impl Authenticate for Principals {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let advice = "this server does not know the token; send one that its operator put into its principals file";
        let known = bearer(request).and_then(|token| {
            self.now()
                .principal(token)
                .ok_or_else(|| AuthenticationError::invalid_token(advice))
        });
        ready(known).boxed()
    }
}

impl Table {
    fn read(path: &Path) -> Result<Self, PrincipalsError> {
        let text = read_text(path).map_err(|source| PrincipalsError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            PrincipalsError::Parse {
                path: path.to_owned(),
                line,
                column,
            }
        })
    }

    fn parse(text: &str) -> serde_json::Result<Self> {
        let said: BTreeMap<String, BTreeSet<String>> = serde_json::from_str(text)?;
        let principals = said.iter().map(|(token, tools)| {
            let digest = digest(token);
            let subject: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            (
                digest,
                Principal::new(subject).with_scopes(tools.iter().map(|tool| scope(tool))),
            )
        });
        Ok(Self {
            principals: principals.collect(),
            tools: said.values().flatten().cloned().collect(),
        })
    }

    /// How many principals there are.
    pub(crate) fn len(&self) -> usize {
        self.principals.len()
    }

    /// Who has this token. Its digest is compared with every one, to the end: how long it takes tells nothing of a token.
    fn principal(&self, token: &str) -> Option<Principal> {
        let given = digest(token);
        let mut known = None;
        for (digest, principal) in &self.principals {
            if digest
                .iter()
                .zip(&given)
                .fold(0, |differing, (one, other)| differing | (one ^ other))
                == 0
            {
                known = Some(principal);
            }
        }
        known.cloned()
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_token_is_a_principal_with_the_scopes_of_its_tools() {
        let table = Table::parse(r#"{ "s3cret": ["log", "blame", "log"], "other": [] }"#).unwrap();
        let known = table.principal("s3cret").unwrap();
        assert!(
            known.has_scope("tool:log")
                && known.has_scope("tool:blame")
                && !known.has_scope("tool:show")
        );
        assert!(!table.principal("other").unwrap().has_scope("tool:log"));
        for unknown in ["", "s3cre", "s3crets", "S3cret"] {
            assert_eq!(table.principal(unknown), None);
        }
        assert!(
            !format!("{table:?}").contains("s3cret"),
            "tokens are not kept"
        );
    }

    #[test]
    fn a_token_stays_the_same_person_whatever_its_rights() {
        let before = Table::parse(r#"{ "s3cret": ["log"] }"#).unwrap();
        let after = Table::parse(r#"{ "s3cret": [] }"#).unwrap();
        assert_eq!(
            before.principal("s3cret").unwrap().subject(),
            after.principal("s3cret").unwrap().subject()
        );
    }

    #[test]
    fn an_error_tells_no_token() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), r#"{ "log": "s3cret" }"#).unwrap();
        let error = Table::read(file.path()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("is not an object of tokens (line 1, column 17); write `{"),
            "{error}"
        );
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }
}
