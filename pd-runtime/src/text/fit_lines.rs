//! A list of names, each with a line about it, within a limit of characters.

/// The longest texts after a name that are tried, in characters.
const WIDTHS: [usize; 6] = [160, 120, 80, 60, 40, 20];

/// Renders `\n- name: text` for each item, in at most `max` characters. All texts are cut to the
/// same width, so that no name is missing as long as the names alone fit. The last line counts the
/// others.
pub(crate) fn fit_lines(items: &[(String, String)], max: usize) -> String {
    let mut texts = WIDTHS.iter().map(|width| render(items, *width));
    // From the widest down: the first width that fits loses the least text.
    texts
        .find(|text| text.chars().count() <= max)
        .unwrap_or_else(|| names_within(items, max))
}

fn render(items: &[(String, String)], width: usize) -> String {
    items
        .iter()
        .map(|(name, about)| format!("\n- {name}: {}", cut(about, width)))
        .collect()
}

/// Cuts a text after a word. The mark of the cut is part of the width.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    // One character less, for the `…`.
    let start: String = text.chars().take(width.saturating_sub(1)).collect();
    let whole = start
        .rfind(' ')
        .and_then(|end| start.get(..end))
        .unwrap_or(&start);
    // A mark before `…` would look like the end of a sentence.
    format!("{}…", whole.trim_end_matches([',', ';', ':', '.', ' ']))
}

fn names_within(items: &[(String, String)], max: usize) -> String {
    // Room for the line that counts the others: a line break, ` more`, and a number of up to ten
    // digits.
    let limit = max.saturating_sub(16);
    let mut text = String::new();
    let mut length = 0;
    for (place, (name, _)) in items.iter().enumerate() {
        // `+ 3` for the line break, the dash and the space.
        length += name.chars().count() + 3;
        if length > limit {
            text.push_str(&format!("\n{} more", items.len() - place));
            break;
        }
        text.push_str(&format!("\n- {name}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::fit_lines;

    #[test]
    fn texts_become_shorter_before_names_are_left_out() {
        let items = |count: usize| -> Vec<_> {
            (0..count)
                .map(|number| {
                    (
                        format!("server-{number}"),
                        "reads and writes files ".repeat(6),
                    )
                })
                .collect()
        };
        assert!(fit_lines(&items(2), 2_000).contains("server-1: reads and writes files reads"));
        for count in [2, 20, 60, 100, 400] {
            let text = fit_lines(&items(count), 2_000);
            assert!(text.chars().count() <= 2_000, "{count}: {}", text.len());
            let names = text.matches("server-").count();
            assert_eq!(names == count, count <= 100, "{count}: {names}");
            assert_eq!(text.ends_with(" more"), names < count);
        }
    }
}
