//! Why something failed, for three readers: any caller, the gateway's owner, and the log.

use crate::failure::secret_filter::SecretFilter;
use pd_runtime::upstream::text::{invisible::is_invisible, truncate::first_chars};
use std::{fmt, sync::Arc};

/// The longest text of a server in an error, in characters.
const SHOWN_MAX: usize = 200;

/// A reason. `Display` renders what any caller may read: no text of the server, and nothing of its
/// entry. Texts of the server are without the secrets of its entry (`secret_filter`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailureText {
    text: Arc<str>,
    /// The same for the gateway's owner, if that says more.
    for_owner: Option<Arc<str>>,
    /// What the server wrote, and how the gateway introduces that.
    output: Option<(&'static str, Arc<str>)>,
    /// What the owner can do, after all else.
    advice: Option<Arc<str>>,
}

impl FailureText {
    /// Adds what only the gateway's owner reads, in place of the text.
    pub(crate) fn with_owner_text(mut self, text: impl Into<Arc<str>>) -> Self {
        self.for_owner = Some(text.into());
        self
    }

    /// Adds the lines that the server wrote to its standard error.
    pub(crate) fn with_standard_error(self, lines: &str) -> Self {
        self.with_output("its standard error ends with", lines)
    }

    /// Adds the body of the server's answer.
    pub(crate) fn with_body(self, body: &str) -> Self {
        self.with_output("it answered", body)
    }

    /// Adds what the gateway's owner can do.
    pub(crate) fn with_advice(mut self, advice: impl Into<Arc<str>>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    fn with_output(mut self, verb: &'static str, output: &str) -> Self {
        // An empty text would leave an introduction with nothing after it.
        self.output = (!output.trim().is_empty()).then(|| (verb, output.trim().into()));
        self
    }

    /// Puts the failure into a sentence that names the step.
    pub(crate) fn map(self, render: impl Fn(&str) -> String) -> Self {
        let for_owner = self.for_owner.map(|text| render(&text).into());
        Self {
            text: render(&self.text).into(),
            for_owner,
            output: self.output,
            advice: self.advice,
        }
    }

    /// Replaces the secrets of the server's entry.
    pub(crate) fn without_secrets(self, secrets: &SecretFilter) -> Self {
        let for_owner = self.for_owner.map(|text| hidden_in(&text, secrets));
        let output = self
            .output
            .map(|(verb, output)| (verb, hidden_in(&output, secrets)));
        Self {
            text: hidden_in(&self.text, secrets),
            for_owner,
            output,
            // The advice is the text of the gateway itself.
            advice: self.advice,
        }
    }

    fn owner_text(&self) -> &str {
        self.for_owner.as_deref().unwrap_or(&self.text)
    }

    /// Renders the failure for a model that acts for the gateway's owner: with one line of the
    /// server.
    pub(crate) fn for_owner(&self) -> String {
        let line = self
            .output
            .as_ref()
            .and_then(|(verb, output)| Some((verb, last_line(output)?)));
        let text = match line {
            Some((verb, line)) => format!("{}; {verb}: {line}", self.owner_text()),
            None => self.owner_text().to_owned(),
        };
        self.advice
            .iter()
            .fold(text, |text, advice| format!("{text}; {advice}"))
    }

    /// Renders all of it, for the log and for `doctor`.
    pub(crate) fn whole(&self) -> String {
        let text = match &self.output {
            Some((verb, output)) if output.contains('\n') => {
                format!("{}; {verb}:\n{output}", self.owner_text())
            }
            Some((verb, output)) => format!("{}; {verb}: {output}", self.owner_text()),
            None => self.owner_text().to_owned(),
        };
        self.advice
            .iter()
            .fold(text, |text, advice| format!("{text}\n{advice}"))
    }
}

fn hidden_in(text: &str, secrets: &SecretFilter) -> Arc<str> {
    secrets.hide(text).as_ref().into()
}

impl fmt::Display for FailureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Arc<str>> for FailureText {
    fn from(text: Arc<str>) -> Self {
        Self {
            text,
            for_owner: None,
            output: None,
            advice: None,
        }
    }
}

impl From<String> for FailureText {
    fn from(text: String) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl From<&str> for FailureText {
    fn from(text: &str) -> Self {
        Arc::<str>::from(text).into()
    }
}

/// Returns the last line with a text, which usually says why a process ended.
fn last_line(output: &str) -> Option<String> {
    output
        .lines()
        .rev()
        .map(one_line)
        .find(|line| !line.is_empty())
}

/// Returns a text of a server as one short line of visible characters.
pub(crate) fn one_line(text: &str) -> String {
    // Joiners are visible in some scripts, and a run of them can carry a hidden text.
    let is_shown = |letter: &char| {
        !letter.is_control() && !is_invisible(*letter) && !matches!(letter, '\u{200c}' | '\u{200d}')
    };
    // Cut before the words are joined: the text can be long.
    let words: String = first_chars(text, 8 * SHOWN_MAX).to_owned();
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = words.chars().filter(is_shown).take(SHOWN_MAX + 1).collect();
    if line.chars().count() > SHOWN_MAX {
        // One for the character over the limit, and one for the ellipsis.
        line.pop();
        line.pop();
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_reads_what_a_server_wrote_and_only_one_line_of_it() {
        let text = FailureText::from("its process ended (exit status: 1)");
        let text =
            text.with_standard_error("Traceback\n  Error: \u{1b}[31mno\u{202e} file\u{200d}\n\n");
        assert_eq!(text.to_string(), "its process ended (exit status: 1)");
        let line =
            "its process ended (exit status: 1); its standard error ends with: Error: [31mno file";
        assert_eq!(text.for_owner(), line);
        assert!(
            text.whole().contains("ends with:\nTraceback\n"),
            "{}",
            text.whole()
        );
        let text = FailureText::from("the program could not be started")
            .with_owner_text("`x` does not exist");
        assert_eq!(
            (text.to_string().as_str(), text.for_owner().as_str()),
            ("the program could not be started", "`x` does not exist")
        );
    }

    #[test]
    fn a_line_of_a_server_is_short() {
        assert_eq!(one_line(&"ab ".repeat(10_000)).chars().count(), SHOWN_MAX);
        assert_eq!(one_line(&"a".repeat(SHOWN_MAX)).chars().count(), SHOWN_MAX);
    }
}
