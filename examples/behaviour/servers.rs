//! The servers that the tasks are about, each of which a setting configures.

mod calendar;
mod calendar_terms;
mod git_fixture;
mod github;

use super::{Failure, call_log::CallLog, setting::Setting};
use calendar::Calendar;
use clap::ValueEnum;
use git_fixture::GitFixture;
use pd_runtime::{PdServer, Registry, audit::AuditDetail, server::NoHandler};
use rmcp::ServiceExt;
use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc};
use tokio::io::DuplexStream;

/// What a task is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Subject {
    /// Thirty tools over a small repository
    Git,
    /// Sixteen captured tools
    Github,
    /// Ten tools with nested arguments
    Calendar,
}

/// A server in a setting, and the log of the calls that reached its tools.
pub(crate) struct Site {
    pub(crate) setting: Setting,
    pub(crate) subject: Subject,
    pub(crate) log: Arc<CallLog>,
    server: Box<dyn Connect>,
    /// The Git server's repository, which is removed with this value.
    _fixture: Option<GitFixture>,
}

/// A server of any state.
trait Connect: Send + Sync {
    /// Serves one client.
    fn connect(&self, pipe: DuplexStream);
}

impl<S: Send + Sync + 'static> Connect for PdServer<S, NoHandler> {
    fn connect(&self, pipe: DuplexStream) {
        let handler = self.handler();
        tokio::spawn(async move {
            if let Ok(serving) = handler.serve(pipe).await {
                // It ends with the client.
                let _ = serving.waiting().await;
            }
        });
    }
}

impl Subject {
    /// What the model is told of its work, where the setting tells nothing.
    pub(crate) fn role(self) -> &'static str {
        match self {
            Self::Git => {
                "You answer questions about a Git repository with the tools you are given."
            }
            Self::Github => "You work with repositories on GitHub with the tools you are given.",
            Self::Calendar => "You keep a person's calendar with the tools you are given.",
        }
    }
}

impl Site {
    /// Builds the subject's server in this setting.
    ///
    /// # Errors
    ///
    /// The server's data cannot be written or read.
    pub(crate) fn build(setting: Setting, subject: Subject) -> Result<Self, Failure> {
        let log = Arc::new(CallLog::default());
        let fixture = (subject == Subject::Git)
            .then(GitFixture::create)
            .transpose()?;
        let server = match (subject, &fixture) {
            (Subject::Git, Some(fixture)) => {
                configure(setting, &log, pd_examples::git::registry(), fixture.repo()?)?
            }
            (Subject::Calendar, _) => {
                configure(setting, &log, calendar::registry(), Calendar::default())?
            }
            _ => configure(setting, &log, github::registry()?, ())?,
        };
        Ok(Self {
            setting,
            subject,
            log,
            server,
            _fixture: fixture,
        })
    }

    /// Serves one client.
    pub(crate) fn connect(&self, pipe: DuplexStream) {
        self.server.connect(pipe);
    }
}

fn configure<S: Send + Sync + 'static>(
    setting: Setting,
    log: &Arc<CallLog>,
    registry: Registry<S>,
    state: S,
) -> Result<Box<dyn Connect>, Failure> {
    let tools: Vec<String> = registry.names().map(str::to_owned).collect();
    let server = setting.apply(PdServer::builder(registry, state), &tools)?;
    Ok(Box::new(
        server
            .audit(log.clone())
            .audit_detail(AuditDetail::NONE.with_arguments())
            .build()?,
    ))
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            self.to_possible_value()
                .as_ref()
                .map_or("", |value| value.get_name()),
        )
    }
}
