//! Conversion of any error type into a failure, by `?` or as the error type of a tool. The text
//! becomes one line of bounded length.

use super::{ErrorHelp, IntoToolError, ToolError};
use std::{
    error::Error,
    fmt::{self, Write},
    iter::from_fn,
};

/// The longest text, in characters. A longer message would fill the model's context.
const TEXT_MAX: usize = 2_000;
/// The number of sources that the text names at most. A type may return itself as its source.
const SOURCES_MAX: usize = 32;

/// An error that `?` converts into a [`ToolError`]. Every [`std::error::Error`] is one.
///
/// This crate has its own trait so that rustc can explain what to write if `?` cannot convert an
/// error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot become a `ToolError`: it is not a `std::error::Error`",
    label = "`{Self}` is not a `std::error::Error`; write `.map_err(ToolError::from_display)?`"
)]
pub trait ConvertibleError {
    /// Returns the text of the error and of its sources.
    fn chain(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: Error> ConvertibleError for E {
    fn chain(&self) -> String {
        sources(self.source()).fold(self.to_string(), with_source)
    }
}

// `ToolError` does not implement `std::error::Error`: this impl would then overlap with std's
// `From<T> for T`.
impl<E: ConvertibleError> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::new(Self::FAILED, error.chain())
    }
}

/// The message contains the error and its sources in one line of at most 2,000 characters.
impl IntoToolError for Box<dyn Error + Send + Sync> {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        // Lines first: `with_source` searches in the text, and a source may contain line breaks.
        let text = line(format_args!("{self}"));
        let sources = sources(self.source()).map(|source| line(format_args!("{source}")));
        ToolError::from_display(sources.fold(text, with_source))
    }
}

/// The message is the chain of contexts (`{:#}`) in one line of at most 2,000 characters.
#[cfg(feature = "anyhow")]
impl IntoToolError for anyhow::Error {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        ToolError::from_display(self)
    }
}

/// Returns a source, its own source, and so on, up to [`SOURCES_MAX`].
fn sources<'e>(
    mut next: Option<&'e (dyn Error + 'static)>,
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    let sources = from_fn(move || {
        let source = next?;
        next = source.source();
        Some(source)
    });
    sources.take(SOURCES_MAX)
}

/// Appends a source, unless the text already contains it. Many errors repeat their source's text.
fn with_source(mut text: String, source: impl fmt::Display) -> String {
    let source = source.to_string();
    if !text.contains(&source) {
        text.push_str(": ");
        text.push_str(&source);
    }
    text
}

/// Renders a text as one line. Each run of white space becomes one space, and a text that is too
/// long ends with `…`.
pub(super) fn line(text: fmt::Arguments<'_>) -> String {
    let mut line = LineBuffer {
        text: String::new(),
        characters: 0,
        has_gap: false,
    };
    // The buffer returns an error at its limit, which stops a `Display` implementation of any
    // length.
    if line.write_fmt(text).is_err() {
        line.text.push('…');
    }
    line.text
}

/// A bounded buffer for one line.
struct LineBuffer {
    text: String,
    characters: usize,
    /// Whether white space precedes the next word. It is written with that word, so none ends the
    /// line.
    has_gap: bool,
}

impl LineBuffer {
    fn push(&mut self, letter: char) -> fmt::Result {
        // Only an error stops a formatter.
        if self.characters == TEXT_MAX {
            return Err(fmt::Error);
        }
        self.characters += 1;
        self.text.push(letter);
        Ok(())
    }
}

impl Write for LineBuffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            if letter.is_whitespace() {
                // A gap before the first word would start the line with a space.
                self.has_gap = !self.text.is_empty();
                continue;
            }
            if std::mem::take(&mut self.has_gap) {
                self.push(' ')?;
            }
            self.push(letter)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_an_end() {
        assert_eq!(
            line(format_args!(" one\n\n  two\tthree \n")),
            "one two three"
        );
        assert_eq!(
            line(format_args!("{}", "é".repeat(TEXT_MAX)))
                .chars()
                .count(),
            TEXT_MAX
        );
        let cut = line(format_args!("{}", "é ".repeat(TEXT_MAX)));
        assert_eq!(cut.chars().count(), TEXT_MAX + 1);
        assert!(cut.ends_with('…'), "{cut}");
    }

    /// An error whose text and sources have no end.
    #[derive(Debug)]
    struct Endless;

    impl fmt::Display for Endless {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            loop {
                f.write_str("again ")?;
            }
        }
    }

    impl Error for Endless {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&Endless)
        }
    }

    #[test]
    fn an_error_without_end_has_a_text_with_one() {
        let boxed: Box<dyn Error + Send + Sync> = Box::new(Endless);
        let message = boxed.into_tool_error().message;
        assert!(
            message.starts_with("again again") && message.chars().count() <= TEXT_MAX + 1,
            "{message}"
        );
        assert!(ToolError::from_display(Endless).message.chars().count() <= TEXT_MAX + 1);
    }
}
