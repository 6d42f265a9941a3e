//! Pages of tasks show excerpts: each code block of a page is part of a file that other tests build and run.

use std::{fs, path::Path};

/// Each page of `pd-runtime/docs`, and the files of `examples` that its blocks come from.
const PAGES: [(&str, &[&str]); 5] = [
    (
        "authentication.md",
        &[
            "authentication/main.rs",
            "authentication/tests.rs",
            "authentication/token.sh",
            "authentication/list.sh",
        ],
    ),
    (
        "deploying.md",
        &[
            "deploy/Dockerfile",
            "deploy/shop.service",
            "deploy/nginx.conf",
            "deploy/Caddyfile",
            "deploy/shop.logrotate",
        ],
    ),
    (
        "search-by-meaning.md",
        &[
            "embedder/main.rs",
            "embedder/tests.rs",
            "embedder/sentence_model.rs",
        ],
    ),
    ("testing.md", &["testing/main.rs", "testing/tests.rs"]),
    ("which-listing.md", &["authentication/main.rs"]),
];

/// Returns the language that blocks of a file's kind have.
fn language(file: &str) -> String {
    match file.rsplit(['.', '/']).next().unwrap_or(file) {
        "rs" => "rust".to_owned(),
        "service" => "ini".to_owned(),
        "conf" => "nginx".to_owned(),
        kind => kind.to_lowercase(),
    }
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the fenced blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let (mut blocks, mut lines) = (Vec::new(), page.lines());
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((
                info.split(',').next().unwrap_or_default(),
                inside.join("\n"),
            ));
        }
    }
    blocks
}

/// Returns whether a block is commands for a terminal, which no file contains.
fn is_commands(language: &str, block: &str) -> bool {
    language == "sh" && !block.starts_with("#!")
}

#[test]
fn code_blocks_of_pages_are_parts_of_examples() {
    for (page, files) in PAGES {
        let text = read(&format!("pd-runtime/docs/{page}"));
        let mut blocks = blocks(&text);
        blocks.retain(|(of, block)| {
            files.iter().any(|file| language(file) == *of) && !is_commands(of, block)
        });
        let sources: Vec<String> = files
            .iter()
            .map(|file| read(&format!("examples/{file}")))
            .collect();
        for (_, block) in &blocks {
            assert!(
                sources.iter().any(|source| source.contains(block)),
                "{page}: no example contains\n{block}"
            );
        }
        for (file, source) in files.iter().zip(&sources) {
            assert!(
                blocks.iter().any(|(_, block)| source.contains(block)),
                "{page} shows nothing of {file}"
            );
        }
    }
}
