//! Lines that differ by the name of a thing alone, summed up to one line.

use super::escape::visible;
use std::{collections::HashMap, hash::Hash};

/// The names that a line shows.
const NAMES_SHOWN: usize = 3;

/// Groups items by a key. Groups are in the order of their first items.
pub fn group_by<T: Copy, K: Eq + Hash>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(T) -> K,
) -> Vec<Vec<T>> {
    // A map of places, because a map of groups would lose the order of the first items.
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        let place = *places.entry(key(item)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

/// Renders names: `` `a` ``, `` `a` and `b` ``, or `` `a`, `b`, `c` and 9 more ``.
pub fn render_names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let mut shown: Vec<_> = names
        .by_ref()
        .take(NAMES_SHOWN)
        .map(|name| format!("`{}`", visible(name)))
        .collect();
    // If all names are shown, the last of them follows the "and".
    let last = match names.count() {
        0 => shown.pop().unwrap_or_default(),
        more => format!("{more} more"),
    };
    if shown.is_empty() {
        last
    } else {
        format!("{} and {last}", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_up_to_three_and_counted_from_there() {
        let rendered = |names: &[&str]| render_names(names.iter().copied());
        assert_eq!(rendered(&[]), "");
        assert_eq!(rendered(&["a"]), "`a`");
        assert_eq!(rendered(&["a", "b"]), "`a` and `b`");
        assert_eq!(rendered(&["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(
            rendered(&["a", "b", "c\nd", "e", "f"]),
            "`a`, `b`, `c\\nd` and 2 more"
        );
    }

    #[test]
    fn groups_are_in_the_order_of_their_first_items() {
        let groups = group_by(["bee", "ant", "bat", "cow", "asp"], |name| {
            name.chars().next()
        });
        assert_eq!(
            groups,
            [vec!["bee", "bat"], vec!["ant", "asp"], vec!["cow"]]
        );
    }
}
