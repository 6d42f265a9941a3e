//! The log of a server that the command line runs.

use super::style;
use crate::text::escape;
use std::fmt::{self, Debug};
use tracing::{Level, Metadata, Subscriber, field::Field};
use tracing_subscriber::{
    EnvFilter,
    field::MakeExt,
    filter::{LevelFilter, filter_fn},
    fmt::{
        MakeWriter,
        format::{self, Writer},
    },
    layer::SubscriberExt,
};

/// The default filter. A span for each request costs more than most logs are worth. rmcp warns of
/// each error response, although most are caused by the client.
const DEFAULT: &str =
    "warn,pd_gateway=info,pd_runtime=info,pd_runtime::request=warn,rmcp::service=error";
/// The crate that implements MCP. Below INFO it logs whole messages, which contain secret row URLs
/// (MCP-SD).
const RMCP: &str = "rmcp";

/// Logs to standard error, because standard output belongs to the protocol. `RUST_LOG` sets the
/// level.
pub(super) fn to_stderr() {
    let directives = std::env::var(EnvFilter::DEFAULT_ENV).ok();
    if let Some(error) = directives
        .as_deref()
        .and_then(|directives| EnvFilter::try_new(directives).err())
    {
        style::report(&format_args!(
            "RUST_LOG is not valid, so the default applies: {error}"
        ));
    }
    if let Some(target) = directives.as_deref().and_then(only_target) {
        style::report(&format_args!(
            "RUST_LOG logs the crate `{target}` alone; for a level write e.g. `RUST_LOG=debug` or \
             `RUST_LOG=pd_runtime=debug`"
        ));
    }
    // A binary with its own logging has installed it already, so the error is ignored.
    let _ =
        tracing::subscriber::set_global_default(subscriber(directives.as_deref(), std::io::stderr));
}

/// Builds a log with these directives. rmcp logs nothing below INFO, unless the directives name it.
pub(crate) fn subscriber<W>(
    directives: Option<&str>,
    writer: W,
) -> impl Subscriber + Send + Sync + use<W>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = directives.and_then(|directives| EnvFilter::try_new(directives).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new(DEFAULT));
    // Naming the crate is explicit consent to log whole messages.
    let names_rmcp = directives.is_some_and(|directives| {
        directives
            .split(',')
            .any(|one| one.trim().starts_with(RMCP))
    });
    let has_colors = style::accepts_colors(&std::io::stderr());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(has_colors)
        .fmt_fields(format::debug_fn(write_field).delimited(" "))
        .with_writer(writer)
        .finish();
    log.with(filter_fn(move |metadata| {
        names_rmcp || !is_message(metadata)
    }))
}

/// Returns the directives if they are a single word that is not a level. Such a word selects a
/// crate and hides all other logs.
fn only_target(directives: &str) -> Option<&str> {
    let word = directives.trim();
    let is_word = !word.is_empty()
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let is_known =
        word.parse::<LevelFilter>().is_ok() || [RMCP, "pd_gateway", "pd_runtime"].contains(&word);
    // An operator may well want the logs of these crates alone.
    (is_word && !is_known).then_some(word)
}

/// Writes a field of an event or a span. Values may come from strangers, so control characters are
/// escaped, and continuation lines are indented. No value can then look like another event.
fn write_field(to: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> fmt::Result {
    if field.name() != "message" {
        write!(to, "{}=", field.name())?;
    }
    let value = format!("{value:?}");
    to.write_str(&escape::lines(&value).replace('\n', "\n  "))
}

/// Returns whether the event may contain a whole message.
fn is_message(metadata: &Metadata<'_>) -> bool {
    *metadata.level() > Level::INFO && metadata.target().split("::").next() == Some(RMCP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::escape::is_obeyed;
    use parking_lot::Mutex;
    use std::{io, sync::Arc};

    /// A log in memory.
    #[derive(Debug, Default, Clone)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_word_that_is_not_a_level_is_a_crate() {
        assert_eq!(only_target("verbose"), Some("verbose"));
        for text in [
            "",
            "debug",
            "OFF",
            "3",
            "pd_gateway",
            "pd_runtime",
            "rmcp",
            "verbose=debug",
            "warn,my_crate",
            "a::b",
        ] {
            assert_eq!(only_target(text), None, "{text}");
        }
    }

    #[test]
    fn texts_of_strangers_are_escaped() {
        let memory = Memory::default();
        let writer = memory.clone();
        let hostile = "a\u{1b}]52;c;aGk=\u{7}\u{9b}31m\u{202e}b\r\n2026-01-01T00:00:00Z ERROR forged: \u{2028}c";
        tracing::subscriber::with_default(subscriber(None, move || writer.clone()), || {
            let _span = tracing::error_span!("call", tool = hostile).entered();
            tracing::error!(name = %hostile, text = hostile, "the message {hostile}");
        });
        let text = String::from_utf8_lossy(&memory.0.lock()).into_owned();
        assert!(
            !text.contains(|letter| is_obeyed(letter) && letter != '\n'),
            "{text:?}"
        );
        assert!(
            !text.lines().any(|line| line.starts_with("2026-01-01")),
            "{text}"
        );
        assert!(
            text.contains("the message a\\u{1b}]52;c;aGk=\\u{7}\\u{9b}31m\\u{202e}b\n  2026-01-01"),
            "{text}"
        );
        assert!(
            text.contains(" name=a\\u{1b}") && text.contains("tool=\"a"),
            "{text}"
        );
    }
}
