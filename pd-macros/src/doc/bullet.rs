//! Sections that consist of bullets: `# Guidance`, `# Notes`, and `# Errors` with its own syntax.

use super::line::DocLine;
use crate::errors::Errors;
use proc_macro2::Span;

/// One bullet of `# Errors`.
pub(crate) struct ErrorBullet {
    pub(crate) code: String,
    pub(crate) cause: String,
    pub(crate) solution: String,
    pub(crate) span: Span,
}

/// Parses bullets. Continuation lines are joined to their bullet.
pub(super) fn parse(section: &str, lines: &[DocLine], errors: &mut Errors) -> Vec<DocLine> {
    let mut bullets: Vec<DocLine> = Vec::new();
    for line in lines.iter().filter(|line| !line.is_blank()) {
        match (bullet(&line.text), bullets.last_mut()) {
            (Some(text), _) => bullets.push(DocLine {
                text: text.to_owned(),
                span: line.span,
            }),
            // A line without a blank line before it continues the bullet, indented or not.
            (None, Some(open)) if line.text.starts_with(' ') || !after_blank(lines, line) => {
                open.text.push(' ');
                open.text.push_str(line.text.trim());
            }
            _ => errors.push(
                line.span,
                format_args!("`# {section}` is a list; begin this line with `- `"),
            ),
        }
    }
    bullets
}

fn bullet(line: &str) -> Option<&str> {
    line.strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .map(str::trim)
}

/// Returns whether a blank line precedes `line`. A blank line ends a bullet, unless the next line
/// is indented.
fn after_blank(lines: &[DocLine], line: &DocLine) -> bool {
    // Lines are compared by address, because two lines of a section may have the same text.
    let before = lines
        .iter()
        .take_while(|other| !std::ptr::eq(*other, line))
        .last();
    before.is_none_or(DocLine::is_blank)
}

/// Parses `# Errors`: the bullets, and the paragraphs that clippy's `missing_errors_doc` asks for.
///
/// A paragraph that begins with a code was meant as a bullet, so it is reported.
pub(super) fn parse_errors(
    lines: &[DocLine],
    errors: &mut Errors,
) -> (Vec<ErrorBullet>, Vec<DocLine>) {
    let mut listed = Vec::new();
    let mut prose = Vec::new();
    let mut is_listed = false;
    for line in lines {
        is_listed = match bullet(&line.text) {
            Some(_) => true,
            // A bullet continues on the next lines, and after a blank line on indented ones.
            None => {
                is_listed
                    && (line.is_blank() || line.text.starts_with(' ') || !after_blank(lines, line))
            }
        };
        if !is_listed && split_code(&line.text).is_some() {
            errors.push(
                line.span,
                "an error with a code is a bullet; begin this line with `- `",
            );
        }
        if is_listed {
            listed.push(line.clone())
        } else {
            prose.push(line.clone())
        }
    }
    let bullets = parse("Errors", &listed, errors);
    let bullets = bullets
        .iter()
        .filter_map(|bullet| parse_error(&bullet.text, bullet.span, errors))
        .collect();
    (bullets, prose)
}

/// Parses `` `CODE`: cause. Solution. `` or `` `CODE` `` alone. A code alone takes its texts from
/// the error type.
fn parse_error(text: &str, span: Span, errors: &mut Errors) -> Option<ErrorBullet> {
    let Some((code, text)) = split_code(text) else {
        errors.push(
            span,
            "a bullet of `# Errors` reads ``- `CODE`: cause. Solution.``, with the code in SCREAMING_SNAKE; prose is a \
             paragraph, without `- `",
        );
        return None;
    };
    let (cause, solution) = text.split_at(first_sentence(text));
    let cause = cause.trim().to_owned();
    let solution = solution.trim().to_owned();
    Some(ErrorBullet {
        code: code.to_owned(),
        cause,
        solution,
        span,
    })
}

fn split_code(bullet: &str) -> Option<(&str, &str)> {
    let (code, text) = bullet.strip_prefix('`')?.split_once('`')?;
    let is_code = code.starts_with(|first: char| first.is_ascii_uppercase())
        && code
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let text = if text.is_empty() {
        text
    } else {
        text.strip_prefix(':')?.trim()
    };
    is_code.then_some((code, text))
}

/// Returns the length of the first sentence. A text of one sentence is all cause.
fn first_sentence(text: &str) -> usize {
    let ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let mut ends = ends.filter(|end| {
        let (before, after) = text.split_at(*end);
        // An abbreviation, or a period before a lowercase letter, does not end a sentence.
        let abbreviated = before.ends_with("e.g.") || before.ends_with("i.e.");
        !abbreviated
            && after.starts_with(' ')
            && !after.trim_start().starts_with(|c: char| c.is_lowercase())
    });
    ends.next().unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_the_cause() {
        for (bullet, cause, solution) in [
            ("`A`: gone. Look in `ls`.", "gone.", "Look in `ls`."),
            (
                "`A`: the path, e.g. `a.rs`, is gone. Look.",
                "the path, e.g. `a.rs`, is gone.",
                "Look.",
            ),
            ("`A`: only a cause", "only a cause", ""),
            ("`A`", "", ""),
        ] {
            let mut errors = Errors::default();
            let read = parse_error(bullet, Span::call_site(), &mut errors);
            assert!(
                read.is_some_and(|read| read.cause == cause && read.solution == solution),
                "{bullet}"
            );
        }
    }

    #[test]
    fn prose_stands_beside_bullets() {
        let line = |text: &str| DocLine {
            text: text.to_owned(),
            span: Span::call_site(),
        };
        let lines = [
            "",
            "If it is gone.",
            "Or never was.",
            "",
            "- `A`: gone.",
            "  Look.",
            "",
            "  Again.",
            "",
            "Else none.",
        ];
        let mut errors = Errors::default();
        let (bullets, prose) = parse_errors(&lines.map(line), &mut errors);
        assert!(
            errors.is_empty()
                && bullets
                    .iter()
                    .all(|bullet| bullet.solution == "Look. Again.")
        );
        let prose: Vec<_> = prose
            .iter()
            .map(|line| line.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        assert_eq!(
            (bullets.len(), prose),
            (1, vec!["If it is gone.", "Or never was.", "Else none."])
        );
    }

    #[test]
    fn a_code_without_its_bullet_is_no_prose() {
        let mut errors = Errors::default();
        parse_errors(
            &[DocLine {
                text: "`GONE`: it is gone.".to_owned(),
                span: Span::call_site(),
            }],
            &mut errors,
        );
        assert!(!errors.is_empty());
    }

    #[test]
    fn a_code_is_screaming_snake_in_backticks() {
        for bullet in ["A: gone.", "`gone`: gone.", "`A` gone.", "``: gone."] {
            assert!(split_code(bullet).is_none(), "{bullet}");
        }
    }
}
