//! A golden list of the items that users can name, so that a review sees each one that comes or goes.

use expect_test::expect_file;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use syn::{Attribute, Item, UseTree, Visibility};

/// The crates with items that users can name, and their sources.
const CRATES: [(&str, &str); 2] = [
    ("pd_gateway", "pd-runtime/gateway/src"),
    ("pd_runtime", "pd-runtime/src"),
];

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string() == "hidden")
    })
}

/// Collects what a `use` makes nameable.
fn used(path: &str, tree: &UseTree, items: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(inner) => used(path, &inner.tree, items),
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|inner| used(path, inner, items)),
        UseTree::Name(name) => drop(items.insert(format!("{path}{}", name.ident))),
        UseTree::Rename(name) => drop(items.insert(format!("{path}{}", name.rename))),
        UseTree::Glob(_) => panic!("`pub use …::*` in `{path}` hides which items are public"),
    }
}

fn collect(path: &str, directory: &Path, contents: &[Item], items: &mut BTreeSet<String>) {
    for item in contents {
        let (visibility, attributes, name) = match item {
            Item::Use(item) if is_public(&item.vis) && !is_hidden(&item.attrs) => {
                used(path, &item.tree, items);
                continue;
            }
            Item::Mod(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Struct(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Enum(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Trait(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Type(item) => (&item.vis, &item.attrs, &item.ident),
            Item::Fn(item) => (&item.vis, &item.attrs, &item.sig.ident),
            Item::Const(item) => (&item.vis, &item.attrs, &item.ident),
            _ => continue,
        };
        if !is_public(visibility) || is_hidden(attributes) {
            continue;
        }
        items.insert(format!("{path}{name}"));
        if let Item::Mod(module) = item {
            let inner = directory.join(name.to_string());
            let (path, file) = (format!("{path}{name}::"), inner.with_extension("rs"));
            match &module.content {
                Some((_, contents)) => collect(&path, &inner, contents, items),
                None => collect(&path, &inner, &parse(file), items),
            }
        }
    }
}

fn parse(file: PathBuf) -> Vec<Item> {
    syn::parse_file(&fs::read_to_string(file).unwrap())
        .unwrap()
        .items
}

#[test]
fn public_items() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut items = BTreeSet::new();
    for (name, sources) in CRATES {
        let root = repository.join(sources);
        collect(
            &format!("{name}::"),
            &root,
            &parse(root.join("lib.rs")),
            &mut items,
        );
    }
    let list: Vec<&str> = items.iter().map(String::as_str).collect();
    expect_file!["public_items.txt"].assert_eq(&format!("{}\n", list.join("\n")));
}
