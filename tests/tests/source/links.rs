//! Links between pages of Markdown: each leads to a file, and to a heading of that file. The labels of
//! `rustdoc-links.md` are those of the pages.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The pages of a directory and below.
pub(crate) fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages.extend(pages_of(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages
}

/// The same, without directories whose files the project did not write.
fn pages_of(directory: &Path) -> Vec<PathBuf> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let is_foreign = name.starts_with('.') || ["target", "data", "node_modules"].contains(&&*name);
    if is_foreign {
        Vec::new()
    } else {
        pages(directory)
    }
}

/// The lines outside of fenced blocks. A block ends with a line of as many backticks and nothing else.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut opened = 0;
    text.lines().filter(move |line| {
        let line = line.trim_start();
        let backticks = line.len() - line.trim_start_matches('`').len();
        match (opened, backticks) {
            (0, 3..) => opened = backticks,
            (0, _) => return true,
            _ if backticks >= opened && line.trim_end().len() == backticks => opened = 0,
            _ => {}
        }
        false
    })
}

/// The line without its spans of code, which contain no links.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The targets of `[text](target)` and `[label]: target`.
fn targets(text: &str) -> Vec<String> {
    let mut targets: Vec<String> = definitions(text)
        .map(|(_, target)| target.to_owned())
        .collect();
    for line in prose(text) {
        let line = without_code(line);
        let inline = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split([')', ' ']).next());
        targets.extend(inline.map(str::to_owned));
    }
    targets
}

/// The labels of a page, each with its target.
fn definitions(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let definitions = prose(text).filter_map(|line| line.strip_prefix('[')?.split_once("]: "));
    definitions.filter(|(label, _)| !label.contains(']'))
}

/// The anchor of a heading on GitHub and in rustdoc.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().to_lowercase();
    let letters = letters
        .chars()
        .filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    letters
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

/// The anchors of a page's headings.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|heading| anchor(heading.trim_start_matches('#')))
        .collect()
}

/// What is wrong with a link of a page, if anything is.
fn fault(page: &Path, target: &str) -> Option<String> {
    // Paths of items are for rustdoc, which checks them.
    if target.contains("::") || target.contains("://") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() {
        page.to_owned()
    } else {
        page.parent().unwrap().join(file)
    };
    if !path.exists() {
        return Some(format!("{}: no file `{target}`", page.display()));
    }
    let is_found = heading.is_empty()
        || anchors(&fs::read_to_string(&path).unwrap())
            .iter()
            .any(|one| one == heading);
    (!is_found).then(|| format!("{}: no heading `{target}`", page.display()))
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut checked = 0;
    let mut faults = Vec::new();
    for page in pages(root()) {
        let text = fs::read_to_string(&page).unwrap();
        // These two are for rustdoc alone.
        if ["rustdoc-links.md", "mistakes/index.md"]
            .iter()
            .any(|file| page.ends_with(file))
        {
            continue;
        }
        for target in targets(&text) {
            checked += 1;
            faults.extend(fault(&page, &target));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 500, "{checked} links");
}

/// The guides that rustdoc includes with links of its own.
fn guides() -> Vec<String> {
    let library = fs::read_to_string(root().join("pd-runtime/src/_docs.rs")).unwrap();
    let files = library
        .split("page!(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    files.map(str::to_owned).collect()
}

#[test]
fn guides_have_links_in_the_repository_and_in_rustdoc() {
    let docs = root().join("pd-runtime/docs");
    let read = |file: &str| fs::read_to_string(docs.join(file)).unwrap();
    let replaced = read("rustdoc-links.md");
    let replaced: BTreeSet<&str> = definitions(&replaced).map(|(label, _)| label).collect();
    let texts: Vec<String> = guides().iter().map(|guide| read(guide)).collect();
    let labels: BTreeSet<&str> = texts
        .iter()
        .flat_map(|text| definitions(text))
        .map(|(label, _)| label)
        .collect();
    assert_eq!(
        labels, replaced,
        "left are the labels of the pages, right those of rustdoc-links.md"
    );
    for (guide, text) in guides().iter().zip(&texts) {
        let inline = targets(text)
            .into_iter()
            .filter(|target| target.starts_with("crate::"));
        assert_eq!(
            inline.collect::<Vec<_>>(),
            [""; 0],
            "{guide}: only rustdoc follows these links"
        );
        for (label, _) in definitions(text) {
            let is_used =
                text.contains(&format!("][{label}]")) || text.contains(&format!("[{label}]."));
            assert!(is_used, "{guide} has no link to `{label}`");
        }
    }
}

#[test]
fn the_front_page_leads_to_each_guide() {
    let library = fs::read_to_string(root().join("pd-runtime/src/lib.rs")).unwrap();
    let (front, _) = library.split_once("\n#![doc(").unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(guides().len() > 10);
    for guide in guides() {
        let module = guide.trim_end_matches(".md").replace('-', "_");
        assert!(
            front.contains(&format!("_docs::{module}")),
            "the front page of rustdoc does not name {guide}"
        );
        assert!(
            readme.contains(&format!("(pd-runtime/docs/{guide})")),
            "README does not name {guide}"
        );
    }
}
