//! The commands in the documentation: each flag exists, in a build of this package alone. Built
//! with other packages of the workspace, these examples have the features that those ask for, so a
//! missing one would not show.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use clap::{Command, Subcommand};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Features that a command of the documentation must ask for by `--features`: they take minutes to
/// build.
const OPTIONAL: [&str; 1] = ["semantic"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// The files below a directory with this extension.
fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found
}

/// What stands in quotes in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// The features of pd-runtime, each with those that it brings.
fn features_of_the_runtime() -> BTreeMap<String, BTreeSet<String>> {
    let manifest = fs::read_to_string(root().join("pd-runtime/Cargo.toml")).unwrap();
    let section = manifest
        .split("[features]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    let lines = section.lines().filter_map(|line| line.split_once(" = ["));
    lines
        .map(|(name, brings)| (name.to_owned(), quoted(brings).map(str::to_owned).collect()))
        .collect()
}

/// The features of pd-runtime that this package asks for, with all that they bring.
fn features_of_the_examples() -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("examples/Cargo.toml")).unwrap();
    let line = manifest
        .lines()
        .find(|line| line.starts_with("pd-runtime = "))
        .unwrap();
    let mut open: Vec<String> = quoted(line).map(str::to_owned).collect();
    let (known, mut features) = (features_of_the_runtime(), BTreeSet::new());
    while let Some(feature) = open.pop() {
        open.extend(known.get(&feature).into_iter().flatten().cloned());
        features.insert(feature);
    }
    features
}

#[test]
fn every_flag_of_the_command_line_is_built_in() {
    let mut sources = files(&root().join("pd-runtime/src/cli"), "rs");
    sources.push(root().join("pd-runtime/src/cli.rs"));
    let (mut needed, built_in) = (BTreeSet::new(), features_of_the_examples());
    for source in sources {
        let text = fs::read_to_string(source).unwrap();
        needed.extend(
            text.split("feature = \"")
                .skip(1)
                .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())),
        );
    }
    assert!(
        needed.contains("redis") && needed.contains("jwks"),
        "{needed:?}"
    );
    let missing: Vec<&String> = needed
        .iter()
        .filter(|feature| !built_in.contains(*feature) && !OPTIONAL.contains(&feature.as_str()))
        .collect();
    assert_eq!(
        missing, [""; 0],
        "add them to pd-runtime's features in examples/Cargo.toml"
    );
}

/// The words behind `--` of each command that runs a server of these examples.
fn commands(text: &str) -> Vec<Vec<String>> {
    let lines = text
        .lines()
        .filter(|line| line.contains("cargo run") && line.contains("--example"));
    let servers = lines.filter(|line| {
        !["retrieval", "behaviour"]
            .iter()
            .any(|other| line.contains(other))
    });
    let behind = servers.filter_map(|line| line.split_once(" -- "));
    let words = behind.map(|(_, rest)| {
        // A command ends at its comment, or at the end of its code.
        let command = rest.split(" #").next().unwrap_or_default();
        let command = command.split('`').next().unwrap_or_default();
        command.split_whitespace().map(str::to_owned).collect()
    });
    words.collect()
}

#[test]
fn flags_in_the_documentation_exist() {
    let mut documents = files(&root().join("pd-runtime/docs"), "md");
    documents.extend(files(&root().join("pd-runtime/gateway/docs"), "md"));
    documents.extend(["README.md", "SECURITY.md", "CHANGELOG.md"].map(|name| root().join(name)));
    documents.extend(files(&root().join("examples"), "rs"));
    let line = pd_runtime::cli::Command::augment_subcommands(Command::new("server"));
    let mut count = 0;
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for command in commands(&text) {
            let name = command.iter().find_map(|word| line.find_subcommand(word));
            let Some(subcommand) = name else { continue };
            count += 1;
            let behind = command
                .iter()
                .skip_while(|word| *word != subcommand.get_name());
            for flag in behind
                .filter_map(|word| word.strip_prefix("--"))
                .filter(|flag| *flag != "principals")
            {
                let flag = flag.split('=').next().unwrap_or_default();
                let is_known = subcommand
                    .get_arguments()
                    .any(|argument| argument.get_long() == Some(flag));
                assert!(
                    is_known,
                    "{}: `--{flag}` in {command:?}",
                    document.display()
                );
            }
        }
    }
    assert!(count > 15, "{count} commands");
}
