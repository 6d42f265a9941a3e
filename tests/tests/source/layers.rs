//! The map in ARCHITECTURE.md is true: each module of pd-runtime imports modules of lower levels only.

use crate::source_tree::SourceTree;
use proc_macro2::{TokenStream, TokenTree};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../pd-runtime/src");
const MAP: &str = include_str!("../../../ARCHITECTURE.md");
const MODULES_MAX: usize = 27;
const LEVELS_MAX: usize = 13;

/// Reads the rows `| 4 | `tool` | … |` of the map.
fn levels() -> BTreeMap<String, usize> {
    let rows = MAP.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let level = cells.next()?.trim().parse().ok()?;
        Some((level, cells.next()?))
    });
    let modules = rows.flat_map(|(level, names)| {
        names
            .split(", ")
            .map(move |name| (name.trim_matches('`'), level))
    });
    modules
        .map(|(name, level)| (name.to_owned(), level))
        .collect()
}

fn source_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => source_files(&path, files),
            false => files.push(path),
        }
    }
}

/// Returns the top-level module of a source file, unless the file holds tests. Tests may import anything.
fn module_of(file: &Path) -> Option<String> {
    let path = file.strip_prefix(SOURCES).unwrap().with_extension("");
    let names: Vec<&str> = path.iter().map(|name| name.to_str().unwrap()).collect();
    let is_source =
        file.extension().is_some_and(|extension| extension == "rs") && !names.contains(&"tests");
    (is_source && !["lib", "__private", "_docs", "upstream"].contains(&names[0]))
        .then(|| names[0].to_owned())
}

/// Collects the names that follow `crate::`, each alone or in braces. Skips modules of tests.
fn imports(tokens: TokenStream, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |place: usize, text: &str| {
        tokens
            .get(place)
            .is_some_and(|token| token.to_string() == text)
    };
    for (place, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(_)
                if is(place.wrapping_sub(2), "mod") && is(place.wrapping_sub(1), "tests") => {}
            TokenTree::Group(group) => imports(group.stream(), names),
            _ if is(place, "crate") && is(place + 1, ":") => match tokens.get(place + 3) {
                Some(TokenTree::Group(group)) => names.extend(first_names(group.stream())),
                Some(name) => names.push(name.to_string()),
                None => {}
            },
            _ => {}
        }
    }
}

fn first_names(braces: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = braces.into_iter().collect();
    let entries = tokens.split(|token| token.to_string() == ",");
    entries
        .filter_map(|entry| entry.first().map(ToString::to_string))
        .collect()
}

#[test]
fn modules_import_lower_levels_only() {
    let levels = levels();
    let mut files = Vec::new();
    source_files(Path::new(SOURCES), &mut files);
    let mut upward = Vec::new();
    for (file, module) in files
        .iter()
        .filter_map(|file| Some((file, module_of(file)?)))
    {
        let own = levels
            .get(&module)
            .unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{module}`"));
        let mut names = Vec::new();
        imports(
            fs::read_to_string(file).unwrap().parse().unwrap(),
            &mut names,
        );
        let wrong = names
            .iter()
            .filter(|name| **name != module && levels.get(*name).is_some_and(|other| other >= own));
        upward.extend(wrong.map(|name| format!("{}: crate::{name}", file.display())));
    }
    // A name that the root re-exports, such as `crate::Registry`, belongs to its item's module.
    for import in SourceTree::read(&Path::new(SOURCES).join("lib.rs")).imports() {
        if let (Some(importer), Some(definer)) =
            (module_of(&import.importer), module_of(&import.definer))
            && importer != definer
            && levels[&definer] >= levels[&importer]
        {
            let file = import.importer.display();
            let (line, path) = (import.line, import.path);
            upward.push(format!("{file}:{line}: {path} of `{definer}`"));
        }
    }
    assert!(
        upward.is_empty(),
        "imports of the same or a higher level:\n{}",
        upward.join("\n")
    );
}

#[test]
fn the_map_is_small_and_complete() {
    let levels = levels();
    let is_there = |name: &str| Path::new(SOURCES).join(format!("{name}.rs")).exists();
    assert_eq!(
        levels
            .keys()
            .filter(|name| !is_there(name))
            .collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
    assert!(
        levels.len() < MODULES_MAX,
        "{} modules, and `__private`",
        levels.len()
    );
    assert_eq!(levels.values().max(), Some(&LEVELS_MAX));
}
