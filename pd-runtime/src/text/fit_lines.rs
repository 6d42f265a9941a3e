//! A list of names, each with a line about it, within a limit of characters.

/// The longest texts after a name that are tried, in characters. Shorter ones say too little.
const WIDTHS: [usize; 5] = [160, 120, 80, 60, 40];

/// The width of texts if not all items have one.
const WIDTH_OF_SOME: usize = 60;

/// The room for ` and 1234567890 more`.
const MORE: usize = 20;

/// Renders `\n- name: text` for each item, in at most `max` characters. All texts are cut to the
/// same width. If they do not fit at a width that says something, the first items have a text and a
/// last line names the others. As many names as fit are there, and the line counts the rest.
pub(crate) fn fit_lines(items: &[(String, String)], max: usize) -> String {
    let mut texts = WIDTHS.iter().map(|width| render(items, *width));
    // From the widest down: the first width that fits loses the least text.
    texts
        .find(|text| text.chars().count() <= max)
        .unwrap_or_else(|| some_with_texts(items, max))
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

/// Renders the first items with a text and the names of the others.
fn some_with_texts(items: &[(String, String)], max: usize) -> String {
    let limit = max.saturating_sub(MORE);
    // `+ 2` for the comma and the space.
    let name_cost = |name: &String| name.chars().count() + 2;
    let mut names: usize = items.iter().map(|(name, _)| name_cost(name)).sum();
    let mut text = String::new();
    let mut length = 0;
    let mut described = 0;
    for (name, about) in items {
        let line = format!("\n- {name}: {}", cut(about, WIDTH_OF_SOME));
        let longer = length + line.chars().count();
        // The names of the others come first: a server without a name cannot be asked for.
        let left = names - name_cost(name);
        if longer + left > limit {
            break;
        }
        (length, names) = (longer, left);
        text.push_str(&line);
        described += 1;
    }
    text.push_str("\n- ");
    length += 3;
    let others = items.get(described..).unwrap_or_default();
    for (place, (name, _)) in others.iter().enumerate() {
        length += name_cost(name);
        if length > limit {
            text.push_str(&format!(" and {} more", others.len() - place));
            break;
        }
        if place > 0 {
            text.push_str(", ");
        }
        text.push_str(name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::fit_lines;

    fn items(count: usize) -> Vec<(String, String)> {
        (0..count)
            .map(|number| {
                let about = "reads and writes files ".repeat(6);
                (format!("server-{number}"), about)
            })
            .collect()
    }

    #[test]
    fn texts_become_shorter_before_names_are_left_out() {
        assert!(fit_lines(&items(2), 2_000).contains("server-1: reads and writes files reads"));
        for count in [2, 20, 40, 60, 100, 150, 400] {
            let text = fit_lines(&items(count), 2_000);
            assert!(text.chars().count() <= 2_000, "{count}: {}", text.len());
            let names = text.matches("server-").count();
            assert_eq!(names == count, count <= 150, "{count}: {names}");
            let (_, last) = text.rsplit_once('\n').unwrap_or_default();
            let more = format!(" and {} more", count - names);
            assert_eq!(last.ends_with(&more), names < count, "{last}");
        }
    }

    #[test]
    fn the_first_have_a_text_if_not_all_can() {
        let text = fit_lines(&items(100), 2_000);
        let described = text.matches(": reads and writes").count();
        assert!((8..30).contains(&described), "{text}");
        assert!(text.contains("\n- server-0: reads") && text.contains(", server-99"));
    }
}
