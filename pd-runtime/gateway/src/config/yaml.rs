//! Recognizes YAML, which Goose, Continue and others write, so that an error says what to do.

use super::error::ConfigErrorKind;
use std::path::Path;

const GOOSE_ADVICE: &str = "write its servers to a JSON file, as `{\"mcpServers\": {\"NAME\": {\"command\": \"PROGRAM\", \
     \"args\": [\"ARGUMENT\"], \"env\": {\"KEY\": \"VALUE\"}}}}`: `cmd` is `command`, `envs` is `env`, `uri` is `url`; \
     leave out those of the types `builtin`, `platform` and `frontend`; and name this file with `--config FILE`";
const OTHER_ADVICE: &str = "write its servers to a JSON file, as `{\"mcpServers\": {\"NAME\": {\"command\": \"PROGRAM\", \
     \"args\": [\"ARGUMENT\"], \"env\": {\"KEY\": \"VALUE\"}}}}` or `{\"mcpServers\": {\"NAME\": {\"url\": \"URL\"}}}`, \
     and name this file with `--config FILE`";

/// The clients that write YAML, each with a key at the beginning of a line.
const CLIENTS: [(&str, &str, &str); 3] = [
    ("extensions:", " of Goose", GOOSE_ADVICE),
    ("mcpServers:", " of Continue", OTHER_ADVICE),
    ("mcp_servers:", "", OTHER_ADVICE),
];

/// Returns the error for a file that is YAML. The text is neither JSON nor TOML.
pub(super) fn kind_of(path: &Path, text: &str) -> Option<ConfigErrorKind> {
    let has_extension = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    // Neither JSON nor TOML has such a key at the beginning of a line.
    let known = CLIENTS
        .iter()
        .find(|(key, ..)| text.lines().any(|line| line.starts_with(key)));
    if !has_extension && known.is_none() {
        return None;
    }
    let (client, advice) =
        known.map_or(("", OTHER_ADVICE), |(_, client, advice)| (*client, *advice));
    Some(ConfigErrorKind::Yaml { client, advice })
}
