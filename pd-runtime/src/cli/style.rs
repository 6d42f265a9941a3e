//! The format of output: colors on terminals only, numbers with separators, long lines cut.

use crate::text::escape;
use std::{
    fmt,
    io::{IsTerminal, Write},
};

/// The codes of Select Graphic Rendition that [`TerminalStyle`] uses.
const CODES: [&str; 7] = [RESET, BOLD, DIM, RED, GREEN, YELLOW, BOLD_GREEN];
const RESET: &str = "\u{1b}[0m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const YELLOW: &str = "\u{1b}[33m";
const BOLD_GREEN: &str = "\u{1b}[1;32m";

/// Writes to standard output. Callers escape texts of strangers with [`TerminalStyle`] or
/// [`escape`]. As a second line of defense, everything is escaped here except newlines, tabs and
/// the codes of `TerminalStyle`.
pub(super) fn print(text: fmt::Arguments<'_>) -> std::io::Result<()> {
    let text = text.to_string();
    // Without colors no code of `TerminalStyle` is legitimate, so every control character is
    // escaped.
    let safe =
        if TerminalStyle::of_stdout().colours { escaped_around_codes(&text) } else { escape::lines(&text).into() };
    std::io::stdout().lock().write_all(safe.as_bytes())
}

/// Writes a message to standard error, with its line breaks. Control characters are escaped.
pub fn report(message: &dyn fmt::Display) {
    // Standard error may be closed, and there is no other place to report that.
    let _ = writeln!(std::io::stderr(), "{}", escape::lines(&message.to_string()));
}

/// Escapes everything except newlines, tabs and the codes of [`TerminalStyle`].
fn escaped_around_codes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Every code ends with `m`, so each piece ends with at most one code.
    for piece in text.split_inclusive('m') {
        let code = CODES.iter().find_map(|code| Some((piece.strip_suffix(code)?, *code)));
        let (before, code) = code.unwrap_or((piece, ""));
        out.push_str(&escape::lines(before));
        out.push_str(code);
    }
    out
}

/// Returns whether output is a terminal that accepts colors (<https://no-color.org>). An empty
/// `NO_COLOR` has no effect.
pub(super) fn wants_colors(output: &impl IsTerminal) -> bool {
    output.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Colors, if standard output is a terminal that accepts them (<https://no-color.org>).
#[derive(Debug, Clone, Copy)]
pub(super) struct TerminalStyle {
    colours: bool,
}

impl TerminalStyle {
    pub(super) fn of_stdout() -> Self {
        Self { colours: wants_colors(&std::io::stdout()) }
    }

    pub(super) fn bold(self, text: impl fmt::Display) -> String {
        self.coded(BOLD, text)
    }

    pub(super) fn bold_green(self, text: impl fmt::Display) -> String {
        self.coded(BOLD_GREEN, text)
    }

    pub(super) fn dim(self, text: impl fmt::Display) -> String {
        self.coded(DIM, text)
    }

    pub(super) fn green(self, text: impl fmt::Display) -> String {
        self.coded(GREEN, text)
    }

    pub(super) fn red(self, text: impl fmt::Display) -> String {
        self.coded(RED, text)
    }

    pub(super) fn yellow(self, text: impl fmt::Display) -> String {
        self.coded(YELLOW, text)
    }

    /// Renders the text on one line between the code and the reset.
    fn coded(self, code: &str, text: impl fmt::Display) -> String {
        let text = text.to_string();
        let line = escape::one_line(&text);
        if self.colours { format!("{code}{line}{RESET}") } else { line.into_owned() }
    }
}

/// Renders `12345` as `12,345`.
pub(super) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Renders `1 tool`, `2 tools`. The noun must take an `s`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// Returns at most `width` characters of the text, on one line.
pub(super) fn cut(text: &str, width: usize) -> String {
    let line = escape::one_line(&text.replace('\n', " ")).into_owned();
    match line.char_indices().nth(width) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

/// Returns the saved share in percent.
pub(super) fn saved(from: usize, to: usize) -> f64 {
    if from == 0 { 0.0 } else { 100.0 * (1.0 - to as f64 / from as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_strangers_are_escaped_beside_our_own() {
        let style = TerminalStyle { colours: true };
        let text = format!("{} {}\n", style.bold("a\u{1b}[1mb\n"), "\u{1b}[35mc\u{1b}]0;x\u{7}m");
        let expected = "\u{1b}[1ma\\u{1b}[1mb\\n\u{1b}[0m \\u{1b}[35mc\\u{1b}]0;x\\u{7}m\n";
        assert_eq!(escaped_around_codes(&text), expected);
        assert_eq!(TerminalStyle { colours: false }.green("a\u{9b}b"), "a\\u{9b}b");
    }

    #[test]
    fn numbers_and_lines_are_made_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!([0, 1, 1000].map(|number| counted(number, "tool")), ["0 tools", "1 tool", "1,000 tools"]);
        assert_eq!(cut("abcdef", 3), "abc…");
        assert_eq!(cut("a\nb", 3), "a b");
        assert!((saved(200, 20) - 90.0).abs() < f64::EPSILON);
    }
}
