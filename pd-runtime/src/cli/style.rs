//! The format of output: colors on terminals only, numbers with separators, long lines cut.

pub(crate) use crate::text::thousands::thousands;
use crate::text::{escape, truncate::with_ellipsis};
use anstream::{AutoStream, ColorChoice, stream::RawStream};
use anstyle::{AnsiColor, Style};
use std::{borrow::Cow, fmt, io::Write};

/// The most decimals of a share.
const DECIMALS_MAX: usize = 9;
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default();
const GREEN: Style = AnsiColor::Green.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();
const BOLD_GREEN: Style = AnsiColor::Green.on_default().bold();
/// The codes that these styles render, and their reset.
const CODES: [&str; 6] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
];

/// Writes to standard output, in colors if it is a terminal that accepts them
/// (<https://no-color.org>). Callers escape texts of strangers with the functions of this module or
/// with [`escape`]. As a second line of defense, everything is escaped here except newlines, tabs
/// and the codes of this module's styles. So are hidden characters.
pub fn print(text: fmt::Arguments<'_>) -> std::io::Result<()> {
    write(&escaped_around_codes(
        &text.to_string(),
        escape::visible_lines,
    ))
}

/// Does the same as [`print()`], except that hidden characters stay: a program reads the text.
pub(super) fn print_data(text: &str) -> std::io::Result<()> {
    write(&escaped_around_codes(text, escape::lines))
}

fn write(text: &str) -> std::io::Result<()> {
    anstream::stdout().lock().write_all(text.as_bytes())
}

/// Writes a message to standard error, with its line breaks. Control characters are escaped.
pub fn report(message: &dyn fmt::Display) {
    // Standard error may be closed, and nothing else is left to report that on.
    let _ = writeln!(
        std::io::stderr(),
        "{}",
        escape::visible_lines(&message.to_string())
    );
}

/// Escapes everything except newlines, tabs and the codes of this module's styles.
fn escaped_around_codes(text: &str, escape: fn(&str) -> Cow<'_, str>) -> String {
    let mut out = String::with_capacity(text.len());
    // Every code ends with `m`, so each piece ends with at most one code.
    for piece in text.split_inclusive('m') {
        let code = CODES
            .iter()
            .find_map(|code| Some((piece.strip_suffix(code)?, *code)));
        let (before, code) = code.unwrap_or((piece, ""));
        out.push_str(&escape(before));
        out.push_str(code);
    }
    out
}

/// Returns whether an output is a terminal that accepts colors.
pub(super) fn accepts_colors(output: &impl RawStream) -> bool {
    AutoStream::choice(output) != ColorChoice::Never
}

/// Returns the text in bold.
pub fn bold(text: impl fmt::Display) -> String {
    styled(BOLD, text)
}

pub(super) fn bold_green(text: impl fmt::Display) -> String {
    styled(BOLD_GREEN, text)
}

/// Returns the text in a fainter color.
pub fn dim(text: impl fmt::Display) -> String {
    styled(DIM, text)
}

/// Returns the text in green, for success.
pub fn green(text: impl fmt::Display) -> String {
    styled(GREEN, text)
}

/// Returns the text in red, for failures.
pub fn red(text: impl fmt::Display) -> String {
    styled(RED, text)
}

/// Returns the text in yellow, for warnings.
pub fn yellow(text: impl fmt::Display) -> String {
    styled(YELLOW, text)
}

/// Renders the text on one line between the codes of the style and the reset.
fn styled(style: Style, text: impl fmt::Display) -> String {
    format!("{style}{}{style:#}", escape::one_line(&text.to_string()))
}

/// Renders `1 tool`, `2 tools`. The noun must take an `s`.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(number))
}

/// Returns at most `width` characters of the text, on one line.
pub(super) fn cut(text: &str, width: usize) -> String {
    // Line breaks before the escape, which would show each as two characters.
    let line = escape::one_line(&text.replace('\n', " ")).into_owned();
    with_ellipsis(&line, width)
}

/// Renders a saved share in percent with at least this many decimals. A part is never rounded to
/// `100 %`, and something that is saved is never rounded to `0 %`.
pub fn saved_percent(from: usize, to: usize, decimals: usize) -> String {
    let share = saved(from, to);
    let mut texts = (decimals..DECIMALS_MAX).map(|decimals| format!("{share:.decimals$}"));
    let exact = texts.find(|text| {
        // Decided by the printed text, because the rounding happens there.
        let is_rounded = (to > 0 && is_number(text, 100.0)) || (to != from && is_number(text, 0.0));
        !is_rounded
    });
    exact.unwrap_or_else(|| format!("{share:.DECIMALS_MAX$}"))
}

fn is_number(text: &str, number: f64) -> bool {
    text.parse()
        .is_ok_and(|value: f64| (value - number).abs() < f64::EPSILON)
}

/// Returns the saved share in percent.
pub(super) fn saved(from: usize, to: usize) -> f64 {
    if from == 0 {
        0.0
    } else {
        100.0 * (1.0 - to as f64 / from as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_strangers_are_escaped_beside_our_own() {
        let text = format!(
            "{} {}\n",
            bold("a\u{1b}[1mb\n"),
            "\u{1b}[35mc\u{1b}]0;x\u{7}m"
        );
        let expected = "\u{1b}[1ma\\u{1b}[1mb\\n\u{1b}[0m \\u{1b}[35mc\\u{1b}]0;x\\u{7}m\n";
        assert_eq!(escaped_around_codes(&text, escape::lines), expected);
        let all = [
            bold("a"),
            bold_green("a"),
            dim("a"),
            green("a"),
            red("a"),
            yellow("a"),
        ]
        .concat();
        assert_eq!(escaped_around_codes(&all, escape::lines), all);
    }

    #[test]
    fn a_part_is_never_rounded_to_all_or_to_nothing() {
        for (from, to, decimals, text) in [
            (29_405, 88, 0, "99.7"),
            (200_000, 1, 0, "99.999"),
            (1_000, 1, 1, "99.9"),
            (1_000, 0, 0, "100"),
            (1_000, 999, 0, "0.1"),
            (1_000, 1_001, 1, "-0.1"),
            (1_000, 1_000, 0, "0"),
            (200, 20, 0, "90"),
        ] {
            assert_eq!(saved_percent(from, to, decimals), text, "{from} {to}");
        }
    }

    #[test]
    fn numbers_and_lines_are_made_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(
            [0, 1, 1000].map(|number| counted(number, "tool")),
            ["0 tools", "1 tool", "1,000 tools"]
        );
        assert_eq!(cut("abcdef", 3), "abc…");
        assert_eq!(cut("a\nb", 3), "a b");
        assert!((saved(200, 20) - 90.0).abs() < f64::EPSILON);
    }
}
