//! Ids of groups, which are any text and may be paths, as names that a registry takes: `[a-z0-9-]{1,64}`, each once.

use std::collections::HashSet;

/// The longest name.
const MOST: usize = 64;

/// What stands between the groups of a path.
pub(crate) const SEPARATOR: char = '/';

/// A name for each path: its last part where no other path ends so, else all its parts.
pub(crate) fn of_paths(paths: &[&str]) -> Vec<String> {
    let ends: Vec<String> = paths.iter().map(|path| legal(end(path))).collect();
    let is_shared = |name: &String| ends.iter().filter(|end| *end == name).count() > 1;
    let wanted = paths.iter().zip(&ends).map(|(path, end)| {
        if is_shared(end) {
            legal(path)
        } else {
            end.clone()
        }
    });
    let wanted: Vec<String> = wanted.collect();
    // Who has a legal name keeps it.
    let mut taken: HashSet<String> = paths
        .iter()
        .zip(&wanted)
        .filter(|(p, w)| *p == w)
        .map(|(_, w)| w.clone())
        .collect();
    let free = |(path, wanted): (&&str, String)| {
        if *path == wanted {
            wanted
        } else {
            unique(&wanted, &mut taken)
        }
    };
    paths.iter().zip(wanted).map(free).collect()
}

/// The last part of a path.
pub(crate) fn end(path: &str) -> &str {
    path.rsplit(SEPARATOR).next().unwrap_or(path)
}

/// The words of a text in lower case, with hyphens between.
fn legal(id: &str) -> String {
    let lower = id.to_lowercase();
    let words = lower
        .split(|char: char| !char.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join("-");
    let name: String = name.chars().take(MOST).collect();
    if name.is_empty() {
        "group".to_owned()
    } else {
        name.trim_end_matches('-').to_owned()
    }
}

/// The name, or where it is taken the first free one with a number.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let numbered = (2..).map(|number| {
        let number = format!("-{number}");
        let cut: String = name.chars().take(MOST - number.len()).collect();
        cut.trim_end_matches('-').to_owned() + &number
    });
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_end_of_its_path() {
        for (paths, names) in [
            (&["history", "history/blame"][..], &["history", "blame"][..]),
            (
                &["Issue Tracking", "über_uns", "日本"],
                &["issue-tracking", "ber-uns", "group"],
            ),
            (
                &["issues/list", "pulls/list"],
                &["issues-list", "pulls-list"],
            ),
            (&["list", "pulls/list"], &["list", "pulls-list"]),
            (
                &["Query", "query", "QUERY"],
                &["query-2", "query", "query-3"],
            ),
            (&["a-b", "a/c", "a/b", "d/b"], &["a-b", "c", "a-b-2", "d-b"]),
            (&["日", "本"], &["group", "group-2"]),
        ] {
            assert_eq!(of_paths(paths), names);
        }
    }

    #[test]
    fn a_long_name_is_cut() {
        let long = [
            "x".repeat(63) + "/y",
            "x".repeat(70) + "y",
            "x".repeat(70) + "z",
        ];
        let names = of_paths(&long.each_ref().map(String::as_str));
        assert_eq!(
            names,
            ["y".to_owned(), "x".repeat(64), "x".repeat(62) + "-2"]
        );
    }
}
