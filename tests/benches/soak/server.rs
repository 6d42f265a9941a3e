//! The server that is soaked, and what changes about it.

use super::{
    Failure,
    names::with_names,
    over_http::server,
    tools::{Tools, tools},
};
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use http::request::Parts;
use pd_runtime::{
    PdServer, Principal, Registry, ToolError,
    config::MetaTools,
    pd_tool,
    serve::{Authenticate, AuthenticationError, HttpOptions, bearer},
};
use std::{sync::Arc, time::Duration};

with_names! { 30 => tools! { thirty; } }

/// How long a session lives that its client left behind: short, so that many end this way.
const IDLE: Duration = Duration::from_secs(15);
/// How often the registry is replaced.
const REPLACED: Duration = Duration::from_secs(3);

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) server: PdServer<()>,
    pub(crate) url: String,
}

/// Begins to serve.
///
/// # Errors
///
/// There is no port.
pub(crate) async fn serve() -> Result<Site, Failure> {
    let server = PdServer::builder(registry(0)?, ())
        .listing(pd_runtime::Listing::Minimal)
        .meta_tools(MetaTools::all())
        .limits(server::unreached())
        .build()?;
    let options = HttpOptions::new()
        .session_idle(IDLE)
        .authenticate(Arc::new(Everyone));
    let url = server::ours(&server, options).await?;
    Ok(Site { server, url })
}

/// Replaces the registry by another edition, again and again.
///
/// # Errors
///
/// An edition is no good.
pub(crate) async fn replace_now_and_then(server: &PdServer<()>) -> Result<Failure, Failure> {
    for edition in 1.. {
        tokio::time::sleep(REPLACED).await;
        server.replace(registry(edition)?)?;
    }
    Err("no more editions".into())
}

/// All tools; those of one kind have another contract in every second edition.
fn registry(edition: usize) -> Result<Registry<()>, Failure> {
    let changing = if edition.is_multiple_of(2) {
        pd_runtime::registry! { first::moved }
    } else {
        pd_runtime::registry! { second::moved }
    };
    let others = pd_runtime::registry! {
        fails, scoped::s0, scoped::s1, scoped::s2, scoped::s3, scoped::s4, scoped::s5, scoped::s6, scoped::s7,
    };
    Ok(thirty::Plain::registry().merge(changing)?.merge(others)?)
}

/// Always fail
#[pd_tool]
fn fails() -> Result<String, ToolError> {
    Err(ToolError::new("AS_ALWAYS", "it did not work out"))
}

mod first {
    use pd_runtime::pd_tool;

    /// Say where something is
    #[pd_tool]
    pub(super) fn moved(
        /// What is looked for.
        what: String,
    ) -> String {
        what
    }
}

mod second {
    use pd_runtime::pd_tool;

    /// Say where something is
    #[pd_tool]
    pub(super) fn moved(
        /// What is looked for.
        what: String,
        /// Where it was seen last.
        last: Option<String>,
    ) -> String {
        last.unwrap_or(what)
    }
}

/// Tools that some callers do not see: 256 sets of visible tools.
mod scoped {
    use pd_runtime::pd_tool;

    macro_rules! scoped {
        ($($name:ident $scope:literal)*) => {$(
            /// Tell a secret
            #[pd_tool(scopes($scope))]
            pub(super) fn $name() -> &'static str {
                $scope
            }
        )*};
    }

    scoped! { s0 "0" s1 "1" s2 "2" s3 "3" s4 "4" s5 "5" s6 "6" s7 "7" }
}

/// Takes every caller for whom they say they are. The digits of their number name their scopes.
struct Everyone;

impl Authenticate for Everyone {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let known = bearer(request).map(|name| {
            let scopes = (b'0'..=b'7').filter(|digit| name.as_bytes().contains(digit));
            Principal::new(name).with_scopes(scopes.map(|digit| char::from(digit).to_string()))
        });
        ready(known).boxed()
    }
}
