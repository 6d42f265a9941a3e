//! Summaries for imported tools: as much of the description's first sentence as fits.

use crate::{
    text::truncate::{cut_at_word, first_chars},
    tool::descriptor::SUMMARY_MAX,
};

/// The shortest clause to stop at, in characters. A shorter beginning rarely contains what the tool
/// does.
const CLAUSE_MIN: usize = 20;

/// Separators before a clause that only adds details.
const DETAILS: [&str; 13] = [
    ", ",
    "; ",
    ": ",
    " - ",
    " – ",
    " — ",
    " (",
    " including ",
    " such as ",
    " using ",
    " with ",
    " based on ",
    " so that ",
];

/// English words that have no meaning at the end of a cut line.
const JOINING: [&str; 24] = [
    "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "is", "its", "of", "on", "or",
    "that", "the", "their", "this", "to", "when", "whether", "which", "your",
];

/// Returns the summary of a description, or an empty text where it has no first sentence.
pub(crate) fn summarize(description: &str) -> String {
    shorten(&first_sentence(description))
}

/// Shortens a sentence to the limit: whole if it fits, then without parentheses, then up to the
/// last clause or word that fits.
pub(crate) fn shorten(sentence: &str) -> String {
    if sentence.chars().count() <= SUMMARY_MAX {
        return sentence.to_owned();
    }
    // Parentheses hold details, so they are the first to go.
    let plain = without_parentheses(sentence);
    if plain.chars().count() <= SUMMARY_MAX {
        return plain;
    }
    let fits = cut_at_word(&plain, SUMMARY_MAX);
    // One more character than the limit, so that a separator right after the last fitting one is
    // found.
    let window = first_chars(&plain, SUMMARY_MAX + 1);
    let ends = DETAILS.iter().filter_map(|detail| window.rfind(detail));
    let whole = ends
        .filter_map(|end| window.get(..end))
        .filter(|clause| clause.chars().count() >= CLAUSE_MIN);
    // The longest clause that fits keeps the most of the sentence. Otherwise the text ends at a
    // word.
    let whole = whole.max_by_key(|clause| clause.len()).unwrap_or(fits);
    without_loose_end(whole).to_owned()
}

/// Removes joining words and marks from the end, which lost what they joined.
fn without_loose_end(text: &str) -> &str {
    let text = text.trim_end_matches([',', ';', ' ', '-', ':']);
    match text.rsplit_once(' ') {
        Some((before, word)) if JOINING.contains(&word) => without_loose_end(before),
        _ => text,
    }
}

fn without_parentheses(sentence: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(sentence.len());
    for character in sentence.chars() {
        match character {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    // A removed parenthesis leaves its surrounding spaces behind, also before punctuation.
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    plain.replace(" ,", ",").replace(" .", ".")
}

/// Returns the first sentence in one line, without its full stop. `e.g. x` does not end a sentence,
/// because the next word must not begin in lower case.
fn first_sentence(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim);
    let paragraph = lines
        .enumerate()
        .take_while(|(place, line)| *place == 0 || is_same_paragraph(line));
    let words = paragraph.flat_map(|(_, line)| line.split_whitespace());
    let line = words.collect::<Vec<_>>().join(" ");
    let mut marks = line.match_indices(['.', '!', '?']);
    let end = marks.find(|(at, mark)| {
        let rest = line.get(at + mark.len()..).unwrap_or_default();
        rest.is_empty()
            || rest
                .strip_prefix(' ')
                .is_some_and(|next| !next.starts_with(char::is_lowercase))
    });
    let sentence = end.map_or(line.as_str(), |(at, _)| line.get(..at).unwrap_or_default());
    sentence.trim().to_owned()
}

/// Returns whether a line goes on with the paragraph of the line before. A heading such as `Args:` does
/// not, and neither does an item of a list.
fn is_same_paragraph(line: &str) -> bool {
    let is_item = ["- ", "* ", "@", "#", "```"]
        .iter()
        .any(|mark| line.starts_with(mark));
    !line.is_empty() && !line.ends_with(':') && !is_item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_found_in_real_descriptions() {
        for (text, sentence) in [
            ("Get a file. Use it often.", "Get a file"),
            (
                "Lists (e.g. open) issues\nof a repo.\n\nMore.",
                "Lists (e.g. open) issues of a repo",
            ),
            (
                "Notion | Retrieve a user\nError Responses:\n400: 400",
                "Notion | Retrieve a user",
            ),
            (
                "Adds\r\ntwo numbers\n  - a: one\n  - b: another",
                "Adds two numbers",
            ),
            ("Sums up\n\t\nMore", "Sums up"),
            ("Returns:\n  a number", "Returns: a number"),
            ("Version 1.2 of it", "Version 1.2 of it"),
            ("Really? Yes.", "Really"),
            ("", ""),
            ("...", ".."),
        ] {
            assert_eq!(first_sentence(text), sentence);
        }
    }

    #[test]
    fn a_long_sentence_stops_where_a_clause_does() {
        for (sentence, fits) in [
            (
                "Manage Grafana alerting routing configuration, including notification policies and times",
                "Manage Grafana alerting routing configuration",
            ),
            (
                "Add a note (userNote activity) to an existing incident's timeline, in Markdown as it is",
                "Add a note to an existing incident's timeline",
            ),
            (
                "Annotate subsequent actions performed on the page and whatever else",
                "Annotate subsequent actions performed on the page",
            ),
            (
                "Lists, and then goes on without any pause to tell us more than we want",
                "Lists, and then goes on without any pause to tell us more",
            ),
            (
                "Tells who wrote each line of a text file, and with which change it came",
                "Tells who wrote each line of a text file",
            ),
            ("Short (it is)", "Short (it is)"),
        ] {
            assert_eq!(shorten(sentence), fits);
        }
    }
}
