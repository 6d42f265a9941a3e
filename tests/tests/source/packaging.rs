//! What registries receive of the published crates: metadata, features and files.

use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path, process::Command};

/// The directories of the published crates.
pub(crate) const CRATES: [(&str, &str); 4] = [
    ("pd-macros", "pd-macros"),
    ("pd-schema", "pd-runtime/schema"),
    ("pd-runtime", "pd-runtime"),
    ("pd-gateway", "pd-runtime/gateway"),
];

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// The packages of the workspace that registries receive.
pub(crate) fn published() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    // `publish = false` is an empty list of registries.
    let published = packages.filter(|package| package["publish"].is_null());
    published.cloned().collect()
}

pub(crate) fn version() -> String {
    published()[0]["version"].as_str().unwrap().to_owned()
}

/// The texts after each occurrence of `before`.
pub(crate) fn after<'a>(text: &'a str, before: &str) -> impl Iterator<Item = &'a str> {
    let places: Vec<usize> = text.match_indices(before).map(|(at, _)| at).collect();
    let length = before.len();
    places.into_iter().map(move |at| &text[at + length..])
}

#[test]
fn registries_accept_the_metadata() {
    let published = published();
    let names = published.iter().map(|package| &package["name"]);
    let mut names: Vec<&str> = names.map(|name| name.as_str().unwrap()).collect();
    names.sort_unstable();
    let mut crates = CRATES.map(|(name, _)| name);
    crates.sort_unstable();
    assert_eq!(
        names, crates,
        "left are the packages without `publish = false`"
    );
    for package in &published {
        let name = &package["name"];
        let list =
            |key: &str| -> Vec<String> { serde_json::from_value(package[key].clone()).unwrap() };
        let keywords = list("keywords");
        // crates.io refuses others.
        assert!((1..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        for keyword in &keywords {
            assert!(
                keyword.len() <= 20,
                "{name}: `{keyword}` has over 20 characters"
            );
        }
        assert!((1..=5).contains(&list("categories").len()), "{name}");
        assert_eq!(package["readme"], "README.md", "{name}");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        for key in ["description", "repository", "rust_version"] {
            assert!(package[key].is_string(), "{name} has no `{key}`");
        }
    }
    let gateway = published
        .iter()
        .find(|package| package["name"] == "pd-gateway");
    let description = gateway.unwrap()["description"].as_str().unwrap();
    assert!(
        description.chars().count() <= 100,
        "the MCP registry takes 100 characters: {description}"
    );
    let python = read("pd-runtime/gateway/pyproject.toml");
    let same = format!("description = \"{}", description.trim_end_matches('.'));
    assert!(
        python.contains(&same),
        "pyproject.toml has another description"
    );
}

/// docs.rs has 15 minutes for a crate. Its pages have every item but those of the sentence model, which
/// brings candle.
#[test]
fn docs_rs_builds_every_feature_but_search_by_meaning() {
    let published = published();
    let runtime = published
        .iter()
        .find(|package| package["name"] == "pd-runtime")
        .unwrap();
    let features = runtime["features"].as_object().unwrap();
    let list = |value: &Value| -> Vec<String> { serde_json::from_value(value.clone()).unwrap() };
    let mut open = list(&runtime["metadata"]["docs"]["rs"]["features"]);
    let line = format!("_all_but_semantic := \"{}\"", open.join(","));
    assert!(
        read("justfile").contains(&line),
        "the justfile has another list: {line}"
    );
    let mut enabled = BTreeSet::from(["default".to_owned(), "semantic".to_owned()]);
    while let Some(name) = open.pop() {
        if let Some(implied) = features.get(&name) {
            open.extend(list(implied));
            enabled.insert(name);
        }
    }
    let all: BTreeSet<String> = features.keys().cloned().collect();
    assert_eq!(enabled, all, "left are the features of docs.rs");
}

#[test]
fn packages_contain_licences_and_readme_and_no_private_key() {
    for (name, directory) in CRATES {
        let list = cargo(&[
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "-p",
            name,
        ]);
        let files: Vec<&str> = list.lines().collect();
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"] {
            assert!(files.contains(&file), "{name} does not contain {file}");
        }
        for file in files {
            // Pictures and the file for Python are read by nobody in a crate.
            assert!(
                !file.contains("pictures/") && !file.ends_with("pyproject.toml"),
                "{name}: {file}"
            );
            // cargo makes some of the files.
            let Ok(bytes) = fs::read(root().join(directory).join(file)) else {
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            let is_private = after(&text, "-----BEGIN ").any(|rest| {
                rest.lines()
                    .next()
                    .unwrap_or_default()
                    .ends_with("PRIVATE KEY-----")
            });
            assert!(!is_private, "{name}: {file} has a private key");
        }
    }
}

/// The programs of the repository are built with the features of the installed one.
#[test]
fn the_gateway_has_one_list_of_features() {
    let manifest = read("pd-runtime/gateway/Cargo.toml");
    let (_, features) = manifest.split_once("\ndefault = [").unwrap();
    let (list, features) = features.split_once("]\n").unwrap();
    let table = features.split("\n\n").next().unwrap();
    let names = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = names
        .map(|line| line.split(" = ").next().unwrap())
        // Its dependencies take minutes to compile. Only the packages of releases have it.
        .filter(|name| *name != "semantic")
        .collect();
    let quoted = names.iter().map(|name| format!("\"{name}\""));
    assert_eq!(
        list,
        quoted.collect::<Vec<_>>().join(", "),
        "`default` has each feature"
    );
    for file in ["examples/Cargo.toml", "tests/Cargo.toml"] {
        let line = format!("pd-gateway = {{ workspace = true, features = [{list}] }}");
        assert!(read(file).contains(&line), "{file} must have `{line}`");
    }
    let library = read("pd-runtime/gateway/src/lib.rs");
    for name in names {
        let row = format!("\n//! | `{name}` | ");
        assert!(library.contains(&row), "lib.rs has no row for `{name}`");
    }
}
