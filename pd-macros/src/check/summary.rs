//! The rule for the summary: one line that describes what the tool does.

use super::words::stray;
use crate::{
    args::Args,
    doc::{ToolDoc, UNREAD},
    errors::Errors,
    item::Function,
};
use proc_macro2::Span;

/// The default maximum length of `pd_runtime`, in characters.
const SUMMARY_MAX: usize = 60;

/// Returns the summary if it is valid. Otherwise reports one error.
pub(super) fn check(
    args: &Args,
    name: &str,
    function: &Function,
    doc: &ToolDoc,
    errors: &mut Errors,
) -> Option<String> {
    let max = args.summary_max.unwrap_or(SUMMARY_MAX);
    let candidate = find(args, doc);
    if let Some(description) = &args.description {
        errors.at(
            &description.key,
            description.instead(candidate.is_some() || args.has_summary, max),
        );
    }
    let Some((summary, span)) = candidate else {
        // An invalid summary was reported at its value. A `description` was reported with the
        // replacement for both.
        if !args.has_summary && args.description.is_none() {
            report_missing(function, doc, errors);
        }
        return None;
    };
    // The first fault is enough: a summary that is too long often has other faults, too.
    let fault = check_form(&summary)
        .or_else(|| check_length(&summary, max))
        .or_else(|| check_content(&summary, name));
    match fault {
        Some(fault) => errors.push(span, fault),
        None => return Some(summary),
    }
    None
}

fn find(args: &Args, doc: &ToolDoc) -> Option<(String, Span)> {
    match &args.summary {
        Some(summary) => Some((summary.value(), summary.span())),
        None if doc.unread_summary().is_some() => None,
        None => {
            let (paragraph, span) = doc.first_paragraph.as_ref()?;
            // A sentence in a doc comment ends with a period; a summary does not.
            Some((
                paragraph.strip_suffix('.').unwrap_or(paragraph).to_owned(),
                *span,
            ))
        }
    }
}

fn report_missing(function: &Function, doc: &ToolDoc, errors: &mut Errors) {
    match doc.unread_summary() {
        Some(tokens) => {
            let message = format!("{UNREAD}, so it cannot be the summary; write `summary = \"what it does\"`");
            errors.at(tokens, message);
        }
        None if !doc.description.is_empty() => errors.push(
            function.signature.ident.span(),
            "the doc comment begins with no line of text, so the summary is missing; write one, or `summary = \"…\"`",
        ),
        None => errors.push(
            function.signature.ident.span(),
            "the summary is missing; write `#[pd_tool(summary = \"what it does, in one line\")]`",
        ),
    }
}

fn check_form(summary: &str) -> Option<String> {
    if summary.trim().is_empty() {
        return Some("the summary is empty; describe in one line what the tool does".to_owned());
    }
    let lines = summary.trim_end().lines().count();
    if lines > 1 {
        return Some(format!(
            "the summary has {lines} lines; keep one, the doc comment holds the rest"
        ));
    }
    stray(summary).map(|what| format!("the summary has {what}; remove it"))
}

fn check_length(summary: &str, max: usize) -> Option<String> {
    let length = summary.chars().count();
    let excess = length.checked_sub(max).filter(|excess| *excess > 0)?;
    let characters = if excess == 1 {
        "1 character".to_owned()
    } else {
        format!("{excess} characters")
    };
    let fits = cut_at_word(summary, max);
    Some(format!(
        "the summary is {characters} too long ({length}, at most {max}); \"{fits}\" would fit: write a shorter \
         `summary = \"…\"` and leave detail to the doc comment, or raise `summary_max`"
    ))
}

/// Returns the longest prefix of whole words that fits, without trailing punctuation that led to
/// the next word.
fn cut_at_word(text: &str, max: usize) -> String {
    let mut fits = String::new();
    for word in text.split_whitespace() {
        let space = usize::from(!fits.is_empty());
        if fits.chars().count() + space + word.chars().count() > max {
            break;
        }
        fits.extend([" ".repeat(space).as_str(), word]);
    }
    fits.trim_end_matches([',', ';', ':', ' ']).to_owned()
}

fn check_content(summary: &str, name: &str) -> Option<String> {
    let letters = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .collect::<String>()
            .to_lowercase()
    };
    if letters(summary).is_empty() {
        return Some("the summary has no word; describe in one line what the tool does".to_owned());
    }
    let repeats = letters(summary) == letters(name);
    repeats.then(|| {
        format!(
            "the summary only repeats the name; describe what `{name}` does that its name does not"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_characters() {
        assert_eq!(check_length("äöü", 3), None);
        assert!(check_length("äöü", 2).is_some());
    }

    #[test]
    fn what_fits_ends_at_a_word() {
        assert_eq!(
            cut_at_word("List commits, newest first", 15),
            "List commits"
        );
        assert_eq!(cut_at_word("Supercalifragilistic", 5), "");
    }
}
