//! What "no text is lost" means: every word of a doc comment stands in some text of the expansion, as often as it was written.
//! What is left out on purpose is left out here as well: headings that name a section, what speaks to Rust callers, and the
//! targets of links.

use std::collections::HashMap;

/// Headings whose words are said by where their text stands.
const SECTIONS: [&str; 5] = [
    "# Example",
    "# Examples",
    "# Guidance",
    "# Notes",
    "# Errors",
];

pub(super) fn assert_none(doc: &str, texts: &[String]) {
    if speaks_to_rust(doc) {
        return;
    }
    let is_section = |line: &&str| SECTIONS.contains(&line.trim_end());
    let said = doc
        .split('\n')
        .filter(|line| !is_section(line) && !is_fence(line))
        .flat_map(words);
    let mut left = count(texts.iter().flat_map(|text| words(text)));
    for (word, times) in count(said) {
        let kept = left.remove(&word).unwrap_or_default();
        assert!(
            kept >= times,
            "`{word}` stands {times} times in the doc comment, {kept} times in {texts:?}"
        );
    }
}

/// `# Panics`, `# Safety` and fences of Rust are for Rust callers, an unlabelled one among examples as well; a link's target is
/// nothing that a model can follow.
fn speaks_to_rust(doc: &str) -> bool {
    let has_examples = doc.contains("# Example");
    let is_rust =
        |label: &str| !["json", "text"].contains(&label) && (!label.is_empty() || has_examples);
    let is_heading =
        |line: &str| line.starts_with('#') && ["Panics", "Safety"].contains(&title(line));
    doc.contains('[')
        || labels(doc).into_iter().any(is_rust)
        || doc.split('\n').any(|line| is_heading(line.trim_start()))
}

fn title(line: &str) -> &str {
    line.trim_start_matches('#').trim()
}

/// What the fences say they hold.
fn labels(doc: &str) -> Vec<&str> {
    let mut is_open = false;
    let mut found = Vec::new();
    for line in doc.split('\n').filter(|line| is_fence(line)) {
        let label = line.trim().trim_start_matches(['`', '~']).trim();
        if !is_open || !label.is_empty() {
            found.push(label);
        }
        is_open = !is_open;
    }
    found
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn count<'a>(words: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counted = HashMap::new();
    for word in words {
        *counted.entry(word).or_default() += 1;
    }
    counted
}
