//! Serving what the files say now. Where one is broken, what it said before stays.

use crate::{principals::Table, source::Source, watch::Changes};
use pd_runtime::{
    PdServer,
    cli::{CliError, report},
    serve::{Authenticate, HttpOptions},
};
use std::sync::Arc;

/// A server that follows its files.
struct Follower {
    source: Source,
    server: PdServer<()>,
    /// The rights that clients were last told of.
    rights: Option<Arc<Table>>,
    /// What is wrong with the catalog's file.
    broken: Option<String>,
}

/// Authenticates callers over HTTP by the source's principals, and follows its files for as long as
/// the server runs.
pub(crate) fn follow(
    source: Source,
    server: PdServer<()>,
    http: HttpOptions,
) -> Result<HttpOptions, CliError> {
    let http = authenticate(&source, http)?;
    let rights = source
        .principals
        .as_ref()
        .map(|principals| principals.table());
    let changes = Changes::beside(source.files())
        .map_err(|error| format!("the files cannot be watched: {error}"))?;
    tokio::spawn(
        Follower {
            source,
            server,
            rights,
            broken: None,
        }
        .run(changes),
    );
    Ok(http)
}

/// Sets the principals to authenticate callers. A guard that a flag of `serve` set stays: it is
/// neither removed nor replaced.
fn authenticate(source: &Source, http: HttpOptions) -> Result<HttpOptions, CliError> {
    let Some(principals) = source.principals.clone() else {
        return Ok(http);
    };
    if http.has_authenticator() {
        return Err(
            "`--principals` and `--jwt-issuer` both authenticate callers; leave one of them out"
                .into(),
        );
    }
    let principals: Arc<dyn Authenticate> = principals;
    Ok(http.authenticate(principals))
}

impl Follower {
    async fn run(mut self, mut changes: Changes) {
        loop {
            // The first time for what was written before the watch began. Many tools take a while; calls go on meanwhile.
            tokio::task::block_in_place(|| self.look());
            if changes.settled().await.is_none() {
                return;
            }
        }
    }

    fn look(&mut self) {
        // Rights first: a tool must not be seen between its arrival and a right that was taken away with it.
        let (rights, stale) = self.follow_principals();
        self.follow_catalog();
        // Also where the tools changed: clients that see no other tools than before may have other rights.
        if rights {
            self.server.notify_tools_changed();
        }
        self.source.tell(self.broken.iter().cloned().chain(stale));
    }

    /// Whether rights changed, and what is wrong with their file.
    fn follow_principals(&mut self) -> (bool, Option<String>) {
        let Some(principals) = &self.source.principals else {
            return (false, None);
        };
        let stale = principals
            .reload()
            .err()
            .map(|error| format!("error: {error}; the old principals stay"));
        let now = principals.table();
        if self
            .rights
            .as_ref()
            .is_some_and(|told| Arc::ptr_eq(told, &now))
        {
            return (false, stale);
        }
        report(&format_args!(
            "{} changed: {} principals",
            principals.path().display(),
            now.len()
        ));
        self.rights = Some(now);
        (true, stale)
    }

    /// Replaces the tools if the files of the catalog changed.
    fn follow_catalog(&mut self) {
        let Some(reread) = self.source.reread() else {
            return;
        };
        let replaced = reread
            .map_err(|error| error.to_string())
            .and_then(|registry| {
                let tools = registry.len();
                self.server
                    .replace(registry)
                    .map_err(|problems| problems.to_string())
                    .map(|()| tools)
            });
        self.broken = replaced
            .as_ref()
            .err()
            .map(|error| format!("error: {error}; the old catalog stays"));
        if let Ok(tools) = replaced {
            report(&format_args!("the catalog changed: {tools} tools"));
        }
    }
}
