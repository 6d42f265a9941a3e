//! The guides show whole programs: the code blocks of a page, in order, are the files of its example.

use std::{fs, path::Path};

/// Each page of `pd-runtime/docs`, and the files that it shows.
const PAGES: [(&str, &[&str]); 5] = [
    ("axum.md", &["axum_app.rs"]),
    ("database.md", &["database.rs"]),
    (
        "from-python.md",
        &["from_python/server.py", "from_python/main.rs"],
    ),
    (
        "from-rmcp.md",
        &["from_rmcp/before.rs", "from_rmcp/main.rs"],
    ),
    ("prompts-and-resources.md", &["prompts.rs"]),
];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The blocks of one language, one after the other.
fn code(page: &str, language: &str) -> String {
    let fence = format!("\n```{language}\n");
    let blocks: Vec<&str> = page
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("\n```\n").next().unwrap())
        .collect();
    blocks.join("\n\n")
}

/// A file without the comment at its top, which says what the page says.
fn body(file: &str) -> String {
    let text = read(&format!("examples/{file}"));
    let lines = text.lines().skip_while(|line| {
        line.is_empty() || ["//!", "\"\"\""].iter().any(|mark| line.starts_with(mark))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn guides_show_the_files_of_their_examples() {
    for (page, files) in PAGES {
        let text = read(&format!("pd-runtime/docs/{page}"));
        for (language, extension) in [("rust,ignore", ".rs"), ("python", ".py")] {
            let files = files
                .iter()
                .filter(|file| file.ends_with(extension))
                .map(|file| body(file));
            let (shown, expected) = (
                code(&text, language),
                files.collect::<Vec<_>>().join("\n\n"),
            );
            let differs = shown
                .lines()
                .zip(expected.lines())
                .find(|(shown, expected)| shown != expected);
            assert_eq!(
                differs, None,
                "docs/{page} differs from its example; left is the page"
            );
            assert_eq!(
                shown.lines().count(),
                expected.lines().count(),
                "docs/{page} ends before its example or after"
            );
        }
    }
}
