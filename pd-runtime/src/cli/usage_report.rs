//! The flags of `serve` for the audit log and metrics.

use super::CliError;
#[cfg(feature = "metrics")]
use super::address::ListenAddress;
use crate::{
    ServerBuilder,
    telemetry::audit::{AuditDetail, JsonLines},
};
use clap::{Args, ValueEnum};
use rmcp::ServerHandler;
use std::{path::PathBuf, sync::Arc};

/// The telemetry to record, and its destinations.
#[derive(Debug, Clone, Args)]
pub(super) struct TelemetryFlags {
    /// Append events to this file as lines of JSON; the command `audit` reads it. On Unix, SIGHUP
    /// reopens the file, so that it can be rotated
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Personal data to include in the file, separated by commas; none by default
    #[arg(long, value_enum, value_delimiter = ',', requires = "audit")]
    audit_detail: Vec<DetailFlag>,
    /// Serve metrics for Prometheus on this address, e.g. 127.0.0.1:9464, at /metrics; port 0
    /// selects a free port
    #[cfg(feature = "metrics")]
    #[arg(long, value_name = "ADDR", value_parser = ListenAddress::parse)]
    metrics: Option<ListenAddress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DetailFlag {
    /// The caller's name
    Subjects,
    /// Search queries, and names that are not tools
    Queries,
    /// Arguments of calls
    Arguments,
}

/// The running telemetry outputs.
#[derive(Debug, Default)]
pub(super) struct TelemetryOutputs {
    audit: Option<Arc<JsonLines>>,
    /// The task that reopens the audit file on SIGHUP.
    reopening: Option<tokio::task::JoinHandle<()>>,
    #[cfg(feature = "metrics")]
    scrape: Option<(String, tokio::task::JoinHandle<()>)>,
}

impl TelemetryFlags {
    /// Adds the telemetry outputs to the builder.
    pub(super) async fn watch<S, H>(
        &self,
        mut builder: ServerBuilder<S, H>,
        #[cfg_attr(
            not(feature = "metrics"),
            expect(unused_variables, reason = "only metrics have a host")
        )]
        allowed_hosts: &[String],
    ) -> Result<(ServerBuilder<S, H>, TelemetryOutputs), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let mut seeing = TelemetryOutputs::default();
        if let Some(path) = &self.audit {
            // An error ends the command: a server must not run without the log that was asked for.
            let audit = JsonLines::append(path);
            let audit =
                audit.map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            let audit = seeing.audit.insert(Arc::new(audit)).clone();
            seeing.reopening = reopen_on_hangup(&audit)?;
            builder = builder.audit(audit).audit_detail(self.detail());
        }
        #[cfg(feature = "metrics")]
        if let Some(address) = &self.metrics {
            let metrics = crate::Metrics::prometheus();
            let scrape = crate::serve::MetricsServer::bind(address.target())
                .await
                .map_err(|error| address.failure(&error))?;
            let scrape = scrape.with_allowed_hosts(allowed_hosts);
            seeing.scrape = Some((scrape.url(), tokio::spawn(scrape.serve(metrics.clone()))));
            builder = builder.metrics(metrics);
        }
        Ok((builder, seeing))
    }

    fn detail(&self) -> AuditDetail {
        AuditDetail {
            subjects: self.has(DetailFlag::Subjects),
            queries: self.has(DetailFlag::Queries),
            arguments: self.has(DetailFlag::Arguments),
        }
    }

    fn has(&self, flag: DetailFlag) -> bool {
        self.audit_detail.contains(&flag)
    }
}

impl TelemetryOutputs {
    /// Prints the URL of the metrics on standard error, for scripts.
    pub(super) fn print_metrics_url(&self) {
        #[cfg(feature = "metrics")]
        if let Some((url, _)) = &self.scrape {
            eprintln!("{url}");
        }
    }

    /// Writes the remaining events and stops the tasks.
    pub(super) fn end(self) {
        if let Some(reopening) = &self.reopening {
            // By itself, the task would end at the next signal only.
            reopening.abort();
        }
        if let Some(audit) = &self.audit {
            // The server holds the file, too, so dropping this handle would write nothing.
            audit.flush();
        }
        #[cfg(feature = "metrics")]
        if let Some((_, serving)) = &self.scrape {
            serving.abort();
        }
    }
}

/// Reopens the audit file whenever the process receives SIGHUP. The signal no longer ends the
/// process.
///
/// # Errors
///
/// Returns an error if the system cannot install the signal handler.
#[cfg(unix)]
fn reopen_on_hangup(
    audit: &Arc<JsonLines>,
) -> Result<Option<tokio::task::JoinHandle<()>>, CliError> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangups = signal(SignalKind::hangup())?;
    // The task has a weak reference, so that it does not keep the audit file open after the server
    // ends.
    let audit = Arc::downgrade(audit);
    let reopening = async move {
        while hangups.recv().await.is_some() {
            let Some(audit) = audit.upgrade() else { return };
            audit.reopen();
        }
    };
    Ok(Some(tokio::spawn(reopening)))
}

#[cfg(not(unix))]
fn reopen_on_hangup(_: &Arc<JsonLines>) -> Result<Option<tokio::task::JoinHandle<()>>, CliError> {
    Ok(None)
}
