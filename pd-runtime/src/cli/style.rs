//! How output looks: colours on a terminal only, numbers with separators, long lines cut.

use std::{
    fmt,
    io::{IsTerminal, Write},
};

/// Writes to standard output.
pub(super) fn print(text: fmt::Arguments<'_>) -> std::io::Result<()> {
    std::io::stdout().lock().write_fmt(text)
}

/// Colours, where standard output is a terminal that wants them (<https://no-color.org>).
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    colours: bool,
}

impl Style {
    pub(super) fn of_stdout() -> Self {
        Self { colours: std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() }
    }

    pub(super) fn bold(self, text: impl fmt::Display) -> String {
        self.sgr(1, text)
    }

    pub(super) fn dim(self, text: impl fmt::Display) -> String {
        self.sgr(2, text)
    }

    pub(super) fn green(self, text: impl fmt::Display) -> String {
        self.sgr(32, text)
    }

    pub(super) fn red(self, text: impl fmt::Display) -> String {
        self.sgr(31, text)
    }

    pub(super) fn yellow(self, text: impl fmt::Display) -> String {
        self.sgr(33, text)
    }

    fn sgr(self, code: u8, text: impl fmt::Display) -> String {
        if self.colours { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }
}

/// `12345` as `12,345`.
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

/// `1 tool`, `2 tools`: of a noun that takes an `s`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// At most `width` characters of the text, in one line.
pub(super) fn cut(text: &str, width: usize) -> String {
    let line = text.replace('\n', " ");
    match line.char_indices().nth(width) {
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

/// The share that was saved, in percent.
pub(super) fn saved(from: usize, to: usize) -> f64 {
    if from == 0 { 0.0 } else { 100.0 * (1.0 - to as f64 / from as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
