//! The pages for contributors name files and items that exist.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const CRATES: [&str; 2] = ["pd-macros", "pd-runtime"];
/// Items that only an example has.
const EXAMPLES: [&str; 1] = ["Clock::now"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// All files below a directory by their paths in the repository, without what is built or installed.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["target", "node_modules", ".git"].contains(&&*name) {
            files(&path, found);
        }
        found.push(path.strip_prefix(root()).unwrap().to_owned());
    }
}

/// A source file: its path as text, the text, and the names in it.
struct Source {
    path: String,
    text: String,
    words: BTreeSet<String>,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

/// Returns whether a file or its directory is a module of this name.
fn is_in_module(source: &Source, module: &str) -> bool {
    source.path.ends_with(&format!("/{module}.rs")) || source.path.contains(&format!("/{module}/"))
}

/// Returns whether a file defines an item, a field or a variant of this name.
fn defines(source: &Source, name: &str) -> bool {
    const KEYWORDS: [&str; 9] = [
        "fn",
        "struct",
        "enum",
        "trait",
        "type",
        "const",
        "static",
        "mod",
        "macro_rules",
    ];
    source.words.contains(name)
        && source.text.lines().any(|line| {
            let line = line.trim_start();
            let names: Vec<&str> = words(line).collect();
            let is_item = names
                .windows(2)
                .any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == name);
            let member = line.trim_start_matches("pub ").strip_prefix(name);
            is_item
                || member
                    .is_some_and(|rest| rest.trim_start().starts_with([':', ',', '(', '{', '=']))
        })
}

/// Returns whether `module::Type::member` leads to an item of the sources.
fn resolves(path: &str, sources: &[Source]) -> bool {
    let names: Vec<&str> = path
        .split("::")
        .filter(|name| !["crate", "pd_runtime"].contains(name))
        .collect();
    let Some((last, outer)) = names.split_last() else {
        return true;
    };
    let mut places: Vec<&Source> = sources.iter().collect();
    for name in outer {
        let inside: Vec<&Source> = places
            .iter()
            .copied()
            .filter(|source| is_in_module(source, name))
            .collect();
        let has_type: Vec<&Source> = places
            .iter()
            .copied()
            .filter(|source| defines(source, name))
            .collect();
        places = if inside.is_empty() {
            // The methods of a type may be in the files beside and below it.
            let directories: Vec<&str> = has_type
                .iter()
                .map(|source| source.path.rsplit_once('/').unwrap().0)
                .collect();
            sources
                .iter()
                .filter(|source| directories.iter().any(|one| source.path.starts_with(one)))
                .collect()
        } else {
            inside
        };
    }
    places
        .iter()
        .any(|source| is_in_module(source, last) || defines(source, last))
}

/// The spans of code outside of fenced blocks.
fn spans(text: &str) -> Vec<String> {
    let mut is_fenced = false;
    let prose = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence
    });
    let prose = prose.collect::<Vec<_>>().join("\n");
    prose
        .split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Returns whether the text is a path of a file: with an extension, or from the top of the repository.
fn is_file_path(text: &str) -> bool {
    let is_path = text
        .chars()
        .all(|letter| letter.is_alphanumeric() || "_-./".contains(letter));
    let has_extension = [".rs", ".py", ".md", ".toml", ".txt", ".mjs"]
        .iter()
        .any(|end| text.ends_with(end));
    let top = ["pd-macros/", "pd-runtime/", "examples/", "tests/"]
        .iter()
        .any(|top| text.starts_with(top));
    is_path && (has_extension || top)
}

#[test]
fn pages_for_contributors_name_what_exists() {
    let mut all = Vec::new();
    files(root(), &mut all);
    let all: Vec<String> = all
        .iter()
        .map(|path| format!("/{}", path.to_str().unwrap()))
        .collect();
    let sources: Vec<Source> = all
        .iter()
        .filter(|path| {
            path.ends_with(".rs")
                && CRATES
                    .iter()
                    .any(|name| path.starts_with(&format!("/{name}/")))
        })
        .map(|path| {
            let text = fs::read_to_string(root().join(&path[1..])).unwrap();
            Source {
                path: path.clone(),
                words: words(&text).map(str::to_owned).collect(),
                text,
            }
        })
        .collect();
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let is_dependency = |name: &str| {
        name == "std"
            || manifest
                .lines()
                .any(|line| line.split([' ', '.']).next().unwrap().replace('-', "_") == name)
    };

    let pages = all
        .iter()
        .filter(|path| path.starts_with("/pd-runtime/docs/architecture/"));
    let pages = pages
        .map(|path| &path[1..])
        .filter(|path| path.ends_with(".md"));
    let (mut checked, mut faults) = (0, Vec::new());
    for page in pages.chain(["ARCHITECTURE.md", "CONTRIBUTING.md"]) {
        for span in spans(&fs::read_to_string(root().join(page)).unwrap()) {
            let path = span
                .trim_start_matches("impl ")
                .trim_end_matches("()")
                .trim_end_matches('/');
            let names: Vec<&str> = path.split("::").collect();
            let humps = path.chars().filter(char::is_ascii_uppercase).count();
            let exists = if is_file_path(path) {
                all.iter().any(|file| file.ends_with(&format!("/{path}")))
            } else if !names.iter().all(|name| is_name(name))
                || EXAMPLES.contains(&path)
                || is_dependency(names[0])
            {
                continue;
            } else if names.len() > 1 {
                resolves(path, &sources)
            } else if humps > 1 && path.starts_with(|letter: char| letter.is_ascii_uppercase()) {
                sources.iter().any(|source| source.words.contains(path))
            } else {
                continue;
            };
            checked += 1;
            if !exists {
                faults.push(format!("{page}: `{span}`"));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "these names lead nowhere:\n{}",
        faults.join("\n")
    );
    assert!(checked > 150, "{checked} names");
}
