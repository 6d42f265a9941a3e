//! JSON as Python writes it. For the floats that JSON lacks, `json.dumps` writes a bare word, which
//! no other reader accepts. The reference implementation of MCP-SD does this for each missing
//! number of a table.

// `-Infinity` comes first: replacing `Infinity` first would leave a minus sign.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Replaces each such word outside of strings with `null`.
pub(crate) fn replace_with_null(mut text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    while let Some(begin) = text.find('"') {
        let (outside, rest) = text.split_at(begin + 1);
        // Words in strings are data, so strings are copied as they are.
        let (inside, rest) = rest.split_at(string_len(rest));
        push(&mut written, outside);
        written.push_str(inside);
        text = rest;
    }
    push(&mut written, text);
    written
}

/// Reads a text. If that fails, reads it again with `null` for each such word.
///
/// # Errors
///
/// Returns the error of the first attempt, because its positions refer to the original text.
pub(crate) fn read<T, E>(text: &str, read: impl Fn(&str) -> Result<T, E>) -> Result<T, E> {
    read(text).or_else(|error| read(&replace_with_null(text)).map_err(|_| error))
}

fn push(written: &mut String, outside: &str) {
    // All three words contain one of these letters, which are rare outside of strings.
    match outside.contains(['N', 'I']) {
        true => written.push_str(
            &WORDS
                .iter()
                .fold(outside.to_owned(), |text, word| text.replace(word, "null")),
        ),
        false => written.push_str(outside),
    }
}

/// Returns the length of a string after its opening quote, with the closing quote.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    // A string without an end is invalid JSON, and the reader reports it.
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_outside_of_strings_are_null() {
        for (text, mended) in [
            (
                r#"{"n":NaN,"m":[-Infinity, Infinity ]}"#,
                r#"{"n":null,"m":[null, null ]}"#,
            ),
            (
                r#"{"NaN":"-Infinity","é":"\"NaN, \\",  "n":NaN}"#,
                r#"{"NaN":"-Infinity","é":"\"NaN, \\",  "n":null}"#,
            ),
            (r#"[NaN,"NaN"#, r#"[null,"NaN"#),
            (r#"[NaN,"NaN\"#, r#"[null,"NaN\"#),
            ("", ""),
        ] {
            assert_eq!(replace_with_null(text), mended);
        }
    }

    #[test]
    fn what_cannot_be_read_either_way_is_told_as_it_stands() {
        let numbers = |text: &str| serde_json::from_str::<Vec<Option<f64>>>(text);
        assert!(matches!(
            read("[NaN, 2]", numbers).as_deref(),
            Ok([None, Some(_)])
        ));
        assert!(
            read("[NaN", numbers)
                .is_err_and(|error| error.to_string() == "expected value at line 1 column 2")
        );
    }
}
