//! A light stemmer: the root that a word shares with its other forms. It strips English endings and
//! then cuts the word after a few letters, which works for most inflected languages. It only needs
//! to join forms of a word: every word is also indexed as it is.

/// The number of letters that distinguish a word.
const BEGINNING: usize = 6;

/// Writes the root of `word`, which must be in lower case, to `root`.
pub(super) fn write_root(word: &str, root: &mut String) {
    root.clear();
    root.push_str(word);
    // The endings are English. Words with other letters are only cut.
    if word.len() > 3 && word.bytes().all(|letter| letter.is_ascii_lowercase()) {
        drop_plural(root);
        drop_ending(root);
        // `delete` and `deleting`, `query` and `queries` meet here.
        match root.pop() {
            Some('e') if root.len() > 2 => {}
            Some('y') if root.len() > 2 => root.push('i'),
            other => root.extend(other),
        }
    }
    // Counted in letters, not bytes: Cyrillic and Greek letters have two bytes.
    if let Some((end, _)) = root.char_indices().nth(BEGINNING) {
        root.truncate(end);
    }
}

/// Strips a plural ending: `queries`, `boxes`, `files`, but not `status`, `access`, `analysis`.
pub(super) fn drop_plural(word: &mut String) {
    let is_part_of_it = |ending: &str| word.ends_with(ending);
    if word.len() > 4 && is_part_of_it("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if ["sses", "xes", "ches", "shes", "zes"]
        .into_iter()
        .any(is_part_of_it)
    {
        word.truncate(word.len() - 2);
    } else if is_part_of_it("s") && !["ss", "us", "is"].into_iter().any(is_part_of_it) {
        word.pop();
    }
}

/// Strips a verb ending: `listing`, `stopped`, `copied`, but not `string`, `feed`.
fn drop_ending(word: &mut String) {
    if word.ends_with("ied") {
        word.truncate(word.len() - 3);
        word.push('y');
        return;
    }
    let Some(stem) = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed")) else {
        return;
    };
    if stem.len() < 3 || !stem.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
        return;
    }
    word.truncate(stem.len());
    // `stopped` becomes `stop`. Doubled letters that often belong to the stem stay: `calling`,
    // `passed`.
    let mut ends = word.bytes().rev();
    if let Some((last, before)) = ends.next().zip(ends.next())
        && last == before
        && !b"lszaeiou".contains(&last)
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(word: &str) -> String {
        let mut root = String::new();
        write_root(word, &mut root);
        root
    }

    #[test]
    fn forms_of_one_word_share_it() {
        for forms in [
            &["list", "lists", "listing", "listed"][..],
            &["query", "queries", "querying"],
            &["delete", "deleted", "deletes", "deleting"],
            &["stop", "stopped", "stopping"],
            &["copy", "copies", "copied"],
            &["box", "boxes"],
            &["archive", "archived", "archives"],
            &["rechnung", "rechnungen"],
            &["документ", "документы", "документов"],
        ] {
            for form in forms {
                assert_eq!(
                    Some(root(form)),
                    forms.first().map(|first| root(first)),
                    "{form}"
                );
            }
        }
    }

    #[test]
    fn other_words_keep_theirs() {
        for (one, other) in [
            ("status", "state"),
            ("string", "str"),
            ("feed", "fe"),
            ("is", "i"),
            ("access", "acces"),
        ] {
            assert_ne!(root(one), root(other));
        }
        assert_eq!(root("创建"), "创建");
    }
}
