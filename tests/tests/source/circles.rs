//! Files name items of other files without circles.
//!
//! A module is its file and the files in its directory, which may name one another. Two modules
//! beside each other may not: each module can be read, tested and moved without the ones above it.

use crate::source_tree::{SourceImport, SourceTree};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The sources of the crates.
const CRATES: [&str; 4] = [
    "pd-macros/src",
    "pd-runtime/gateway/src",
    "pd-runtime/schema/src",
    "pd-runtime/src",
];

/// The imports of one module from another beside it, each as a line for people.
type ModuleImports = BTreeMap<(String, String), Vec<String>>;

/// Returns the names of a file's module: none for `lib.rs`, and `a` and `b` for `a/b.rs`.
fn module_names<'a>(file: &'a Path, sources: &Path) -> Vec<&'a str> {
    let file = file.strip_prefix(sources).unwrap();
    let mut names: Vec<&str> = file.iter().map(|name| name.to_str().unwrap()).collect();
    let name = names.pop().unwrap().trim_end_matches(".rs");
    names.extend(Some(name).filter(|name| *name != "lib"));
    names
}

/// Returns the two modules beside each other that an import connects. Returns `None` if one file is
/// in the other's module.
fn neighbors(import: &SourceImport, sources: &Path) -> Option<(String, String)> {
    let importer = module_names(&import.importer, sources);
    let definer = module_names(&import.definer, sources);
    let mut pairs = importer.iter().zip(&definer);
    let common = pairs.position(|(one, other)| one != other)?;
    let module = |names: &[&str]| names[..=common].join("/");
    Some((module(&importer), module(&definer)))
}

fn module_imports(sources: &Path) -> ModuleImports {
    let mut imports = ModuleImports::new();
    for import in SourceTree::read(&sources.join("lib.rs")).imports() {
        if let Some(modules) = neighbors(&import, sources) {
            let file = |path: &Path| path.strip_prefix(sources).unwrap().display().to_string();
            imports.entry(modules).or_default().push(format!(
                "{}:{} names `{}` of {}",
                file(&import.importer),
                import.line,
                import.path,
                file(&import.definer)
            ));
        }
    }
    imports
}

/// Returns the modules to which imports lead from a module, over any number of others.
fn reachable<'a>(module: &str, targets: &BTreeMap<&str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&'a str> = targets.get(module).cloned().unwrap_or_default();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(targets.get(next).into_iter().flatten());
        }
    }
    reached
}

/// Returns the sets of modules in which each module leads to each other.
fn circles(imports: &ModuleImports) -> Vec<BTreeSet<&str>> {
    let mut targets = BTreeMap::<&str, Vec<&str>>::new();
    for (importer, definer) in imports.keys() {
        targets.entry(importer).or_default().push(definer);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> = targets
        .keys()
        .map(|module| (*module, reachable(module, &targets)))
        .collect();
    let leads_back = |from: &str, to: &str| reached.get(from).is_some_and(|far| far.contains(to));
    let circles: BTreeSet<BTreeSet<&str>> = reached
        .iter()
        .map(|(module, far)| {
            let others = far.iter().copied();
            others.filter(|other| leads_back(other, module)).collect()
        })
        .collect();
    circles
        .into_iter()
        .filter(|circle| !circle.is_empty())
        .collect()
}

/// Renders a circle: its modules, and the imports between them.
fn render(circle: &BTreeSet<&str>, imports: &ModuleImports) -> String {
    let between = imports.iter().filter(|((importer, definer), _)| {
        circle.contains(importer.as_str()) && circle.contains(definer.as_str())
    });
    let lines = between
        .flat_map(|(_, lines)| lines)
        .map(|line| format!("\n    {line}"));
    let modules: Vec<&str> = circle.iter().copied().collect();
    format!("{}:{}", modules.join(", "), lines.collect::<String>())
}

#[test]
fn files_have_no_circles() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for sources in CRATES {
        let imports = module_imports(&repository.join(sources));
        assert!(imports.len() > 30, "{sources}: {} imports", imports.len());
        let rendered = circles(&imports)
            .into_iter()
            .map(|circle| render(&circle, &imports));
        found.extend(rendered.map(|circle| format!("{sources}: {circle}")));
    }
    assert!(
        found.is_empty(),
        "these modules import one another; move what they share to a file below them:\n{}",
        found.join("\n")
    );
}

#[test]
fn circles_are_found_and_chains_are_not() {
    let edges = [
        ("a", "b"),
        ("b", "c"),
        ("c", "a"),
        ("d", "a"),
        ("c", "e"),
        ("e", "f"),
        ("g", "h"),
        ("h", "g"),
    ];
    let imports: ModuleImports = edges
        .iter()
        .map(|(one, other)| {
            let line = format!("{one} names {other}");
            (((*one).to_owned(), (*other).to_owned()), vec![line])
        })
        .collect();
    let found = circles(&imports);
    assert_eq!(
        found,
        [BTreeSet::from(["a", "b", "c"]), BTreeSet::from(["g", "h"])]
    );
    assert_eq!(
        render(&found[1], &imports),
        "g, h:\n    g names h\n    h names g"
    );
}

/// Writes the files of a crate, and returns the circles in it.
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let imports = module_imports(directory.path());
    let circles = circles(&imports).into_iter();
    circles.map(|circle| render(&circle, &imports)).collect()
}

#[test]
fn a_re_export_at_the_root_leads_to_the_file_of_its_item() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b;\npub use a::one::Thing;"),
        ("a.rs", "pub mod one;"),
        (
            "a/one.rs",
            "pub struct Thing;\nfn help() { crate::b::help(); }",
        ),
        (
            "b.rs",
            "use {crate::Thing};\npub fn help() -> Thing { Thing }",
        ),
    ]);
    assert_eq!(
        found,
        [[
            "a, b:",
            "    a/one.rs:2 names `crate::b::help` of b.rs",
            "    b.rs:1 names `crate::Thing` of a/one.rs"
        ]
        .join("\n")]
    );
}

#[test]
fn tests_parents_and_quoted_code_make_no_circle() {
    let found = circles_of(&[
        ("lib.rs", "mod a; mod b;\n#[cfg(test)] mod missing;"),
        (
            "a.rs",
            "mod one;\npub struct Thing(one::Part);\nfn quote() { quote!(crate::b::help()); }",
        ),
        (
            "a/one.rs",
            "pub struct Part;\nfn of(_: super::Thing) {}\n#[cfg(test)]\nmod tests { use crate::b; }",
        ),
        ("b.rs", "pub fn help(_: crate::a::Thing) {}"),
    ]);
    assert_eq!(found, [""; 0]);
}
