//! The flags of `serve` by which one sees what happens.

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

/// What to see, and where it goes.
#[derive(Debug, Clone, Args)]
pub(super) struct TelemetryFlags {
    /// Write events to this file, as lines of JSON; the command `audit` reads it. On Unix, SIGHUP
    /// opens the file again, so that it can be rotated
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,
    /// Personal data that the file shall hold; it holds none by default
    #[arg(long, value_enum, value_delimiter = ',', requires = "audit")]
    audit_detail: Vec<DetailFlag>,
    /// Tell numbers to Prometheus on this address, e.g. 127.0.0.1:9464, at /metrics; port 0 takes a free one
    #[cfg(feature = "metrics")]
    #[arg(long, value_name = "ADDR", value_parser = ListenAddress::parse)]
    metrics: Option<ListenAddress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DetailFlag {
    /// Who called, by name
    Subjects,
    /// What was searched for, and names that are of no tool
    Queries,
    /// What tools were called with
    Arguments,
}

/// What sees a server while it serves.
#[derive(Debug, Default)]
pub(super) struct TelemetryOutputs {
    audit: Option<Arc<JsonLines>>,
    /// Opens the audit file again on a signal.
    reopening: Option<tokio::task::JoinHandle<()>>,
    #[cfg(feature = "metrics")]
    scrape: Option<(String, tokio::task::JoinHandle<()>)>,
}

impl TelemetryFlags {
    /// The builder with those who listen.
    pub(super) async fn watch<S, H>(
        &self,
        mut builder: ServerBuilder<S, H>,
        #[cfg_attr(not(feature = "metrics"), expect(unused_variables, reason = "only metrics have a host"))]
        allowed_hosts: &[String],
    ) -> Result<(ServerBuilder<S, H>, TelemetryOutputs), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let mut seeing = TelemetryOutputs::default();
        if let Some(path) = &self.audit {
            let audit = JsonLines::append(path);
            let audit = audit.map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
            let audit = seeing.audit.insert(Arc::new(audit)).clone();
            seeing.reopening = reopen_on_hangup(&audit)?;
            builder = builder.audit(audit).audit_detail(self.detail());
        }
        #[cfg(feature = "metrics")]
        if let Some(address) = &self.metrics {
            let metrics = crate::Metrics::prometheus();
            let scrape =
                crate::serve::MetricsServer::bind(address.target()).await.map_err(|error| address.failure(&error))?;
            let scrape = scrape.with_allowed_hosts(allowed_hosts);
            seeing.scrape = Some((scrape.url(), tokio::spawn(scrape.serve(metrics.clone()))));
            builder = builder.metrics(metrics);
        }
        Ok((builder, seeing))
    }

    fn detail(&self) -> AuditDetail {
        let has = |flag| self.audit_detail.contains(&flag);
        AuditDetail {
            subjects: has(DetailFlag::Subjects),
            queries: has(DetailFlag::Queries),
            arguments: has(DetailFlag::Arguments),
        }
    }
}

impl TelemetryOutputs {
    /// Says where numbers are told, on standard error, for scripts.
    pub(super) fn print_metrics_url(&self) {
        #[cfg(feature = "metrics")]
        if let Some((url, _)) = &self.scrape {
            eprintln!("{url}");
        }
    }

    /// Writes what is left.
    pub(super) fn end(self) {
        if let Some(reopening) = &self.reopening {
            reopening.abort();
        }
        if let Some(audit) = &self.audit {
            audit.flush();
        }
        #[cfg(feature = "metrics")]
        if let Some((_, serving)) = &self.scrape {
            serving.abort();
        }
    }
}

/// Opens the audit file again whenever the process gets SIGHUP, which does not end the process from
/// now on.
///
/// # Errors
///
/// The system has no handler for the signal.
#[cfg(unix)]
fn reopen_on_hangup(audit: &Arc<JsonLines>) -> Result<Option<tokio::task::JoinHandle<()>>, CliError> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut hangups, audit) = (signal(SignalKind::hangup())?, Arc::downgrade(audit));
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
