//! The command by which a client starts the gateway.

use std::path::{Component, Path};

/// The program's name.
pub(super) const PROGRAM: &str = "pd-gateway";

/// The launchers that keep programs in a cache: what paths in the cache contain, the launcher, and
/// its arguments.
const LAUNCHERS: [(CachePart, &str, &[&str]); 4] = [
    (CachePart::Named("_npx"), "npx", &["-y", PROGRAM]),
    // uv has one directory for the files of packages, and one for the environments of scripts.
    (CachePart::Versioned("archive-v"), "uvx", &[PROGRAM]),
    (CachePart::Versioned("environments-v"), "uvx", &[PROGRAM]),
    (
        CachePart::Below("pipx", &["cache", "Cache", ".cache"]),
        "pipx",
        &["run", PROGRAM],
    ),
];

/// What a path in the cache of a launcher contains.
#[derive(Debug, Clone, Copy)]
enum CachePart {
    /// A directory of this name.
    Named(&'static str),
    /// A directory of this name with a number.
    Versioned(&'static str),
    /// A directory of the first name, and one of the others above or below it.
    Below(&'static str, &'static [&'static str]),
}

/// Returns the command that starts a gateway from a client's file, and its first arguments. It is
/// the path of the program. A program in the cache of a launcher can be gone at the next start, so
/// the launcher starts it.
pub(super) fn start_command(program: &str) -> (&str, Vec<&str>) {
    let parts: Vec<_> = Path::new(program)
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    LAUNCHERS
        .iter()
        .find(|(cache, ..)| cache.is_in(&parts))
        .map_or_else(
            || (program, Vec::new()),
            |(_, launcher, args)| (*launcher, args.to_vec()),
        )
}

impl CachePart {
    fn is_in(self, parts: &[&str]) -> bool {
        match self {
            Self::Named(name) => parts.contains(&name),
            Self::Versioned(name) => parts.iter().any(|part| {
                part.strip_prefix(name).is_some_and(|version| {
                    !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit())
                })
            }),
            Self::Below(name, caches) => {
                parts.contains(&name) && caches.iter().any(|cache| parts.contains(cache))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::start_command;

    #[test]
    fn a_program_in_the_cache_of_a_launcher_is_started_by_the_launcher() {
        let cached = [
            (
                "/home/me/.npm/_npx/1f2e/node_modules/@pd-runtime/pd-gateway-linux-x64/bin/pd-gateway",
                "npx -y pd-gateway",
            ),
            (
                "/home/me/.cache/uv/archive-v0/xYz/bin/pd-gateway",
                "uvx pd-gateway",
            ),
            (
                "/mnt/cache/environments-v2/a/bin/pd-gateway",
                "uvx pd-gateway",
            ),
            (
                "/home/me/.cache/pipx/0a1b/bin/pd-gateway",
                "pipx run pd-gateway",
            ),
            (
                "/home/me/.local/pipx/.cache/0a1b/bin/pd-gateway",
                "pipx run pd-gateway",
            ),
        ];
        for (program, command) in cached {
            let (launcher, args) = start_command(program);
            let started = [&[launcher], args.as_slice()].concat().join(" ");
            assert_eq!(started, command, "{program}");
        }
    }

    #[test]
    fn an_installed_program_is_started_by_its_path() {
        for program in [
            "/usr/local/bin/pd-gateway",
            "/home/me/.cargo/bin/pd-gateway",
            "/home/me/.local/share/uv/tools/pd-gateway/bin/pd-gateway",
            "/home/me/.local/share/pipx/venvs/pd-gateway/bin/pd-gateway",
            "/usr/lib/node_modules/pd-gateway/node_modules/@pd-runtime/pd-gateway-linux-x64/bin/pd-gateway",
            "/home/me/archive-video/pd-gateway",
        ] {
            assert_eq!(start_command(program), (program, Vec::new()));
        }
    }
}
