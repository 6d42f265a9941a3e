//! A text of a server in one line.

use pd_runtime::upstream::text::{invisible::is_invisible, truncate::first_chars};

/// The characters of a server's line in instructions.
const LINE_MAX: usize = 160;

/// Returns a text in one line of bounded length, or `None` if nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line
        .chars()
        .filter(|letter| !letter.is_control() && !is_invisible(*letter))
        .collect();
    (!line.is_empty()).then(|| whole_sentences(&line))
}

/// Returns the sentences that fit into a line, or the words of a longer one.
fn whole_sentences(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(LINE_MAX) else {
        return line.to_owned();
    };
    let (fitting, next) = line.split_at_checked(end).unwrap_or((line, ""));
    // A period ends a sentence only before a space, which may be the first character that is cut.
    let sentence = match fitting.ends_with('.') && next.starts_with(' ') {
        true => Some(fitting),
        false => fitting.rfind(". ").and_then(|place| fitting.get(..=place)),
    };
    // A sentence of few words, such as `E.g. `, says too little.
    if let Some(sentence) = sentence.filter(|sentence| sentence.len() > LINE_MAX / 4) {
        return sentence.to_owned();
    }
    let words = fitting.rsplit_once(' ').map_or(fitting, |(words, _)| words);
    format!(
        "{}…",
        first_chars(words, LINE_MAX - 1)
            .to_owned()
            .trim_end_matches([',', ';', ':'])
    )
}
