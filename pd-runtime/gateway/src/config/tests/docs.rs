//! The files on the pages about the gateway are files that it reads.

use super::parse_at;

const PAGES: [&str; 2] = [
    include_str!("../../../docs/gateway.md"),
    include_str!("../../../docs/gateway-clients.md"),
];

/// Returns the blocks of a language.
pub(super) fn blocks(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    let pages = PAGES
        .iter()
        .flat_map(|page| page.split(&opening).skip(1).collect::<Vec<_>>());
    pages
        .map(|block| block.split_once("\n```").unwrap().0)
        .collect()
}

#[test]
fn the_files_on_the_pages_are_read() {
    let json = blocks("json");
    let toml = blocks("toml");
    assert_eq!(
        (json.len(), toml.len()),
        (10, 1),
        "blocks are missing or new"
    );
    let files = json
        .iter()
        .map(|text| ("/x/mcp.json", text))
        .chain(toml.iter().map(|text| ("/x/config.toml", text)));
    for (path, text) in files {
        // A token that is not set leaves its server out, and is not a mistake of the page.
        let config = parse_at(path, text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let is_missing = config
            .warnings
            .iter()
            .any(|warning| warning.kind.is_missing_value());
        assert!(is_missing || !config.servers.is_empty(), "{text}");
        assert!(
            config
                .warnings
                .iter()
                .all(|warning| warning.kind.is_missing_value()),
            "{:?}",
            config.warnings
        );
    }
}
