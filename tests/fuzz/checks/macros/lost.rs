//! What "no text is lost" means: every word of a doc comment stands in some text of the expansion, as often as it was written.
//! What is left out on purpose is left out here as well: headings that name a section, what speaks to Rust callers, and the
//! targets of links.

use std::collections::HashMap;

/// Headings whose words are said by where their text stands.
const SECTIONS: [&str; 5] = ["# Example", "# Examples", "# Guidance", "# Notes", "# Errors"];

pub(super) fn assert_none(doc: &str, texts: &[String]) {
    if speaks_to_rust(doc) {
        return;
    }
    let is_section = |line: &&str| SECTIONS.contains(&line.trim_end());
    let said = doc.split('\n').filter(|line| !is_section(line) && !is_fence(line)).flat_map(words);
    let mut left = count(texts.iter().flat_map(|text| words(text)));
    for (word, times) in count(said) {
        let kept = left.remove(&word).unwrap_or_default();
        assert!(kept >= times, "`{word}` stands {times} times in the doc comment, {kept} times in {texts:?}");
    }
}

/// `# Panics`, `# Safety` and fences of Rust are for Rust callers; a link's target is nothing that a model can follow.
fn speaks_to_rust(doc: &str) -> bool {
    let speaks = |line: &str| {
        let line = line.trim_start();
        let title = line.trim_start_matches('#').trim();
        (line.starts_with('#') && matches!(title, "Panics" | "Safety"))
            || (is_fence(line)
                && !["json", "text"].contains(&line.trim_start_matches(['`', '~']).trim())
                && opens(line))
    };
    doc.contains('[') || doc.split('\n').any(speaks)
}

fn opens(line: &str) -> bool {
    !line.trim_start_matches(['`', '~']).trim().is_empty()
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn count<'a>(words: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    let mut counted = HashMap::new();
    for word in words {
        *counted.entry(word).or_default() += 1;
    }
    counted
}
