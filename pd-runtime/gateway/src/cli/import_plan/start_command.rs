//! The command by which a client starts the gateway.

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

/// Returns the command that starts a gateway from a client's file, and its first arguments.
///
/// It is the path of the program, unless that can be gone at the next start. A launcher empties its
/// cache, so the launcher starts the program. Homebrew and Scoop have a directory for each version,
/// so the command is their path of the installed version.
pub(super) fn start_command(program: &str) -> (String, Vec<&'static str>) {
    let parts: Vec<_> = program.split(['/', '\\']).collect();
    let launcher = LAUNCHERS.iter().find(|(cache, ..)| cache.is_in(&parts));
    launcher.map_or_else(
        || (without_version(program), Vec::new()),
        |(_, launcher, args)| ((*launcher).to_owned(), args.to_vec()),
    )
}

fn without_version(program: &str) -> String {
    if let Some((homebrew, _)) = program.split_once("/Cellar/pd-gateway/") {
        return format!("{homebrew}/bin/{PROGRAM}");
    }
    let scoop = "\\scoop\\apps\\pd-gateway\\";
    match program.split_once(scoop) {
        Some((user, version)) => {
            let file = version.split_once('\\').map_or(version, |(_, file)| file);
            format!("{user}{scoop}current\\{file}")
        }
        None => program.to_owned(),
    }
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
                r"C:\Users\me\AppData\Local\npm-cache\_npx\1f2e\node_modules\@pd-runtime\pd-gateway-win32-x64\bin\pd-gateway.exe",
                "npx -y pd-gateway",
            ),
            (
                "/home/me/.local/pipx/.cache/0a1b/bin/pd-gateway",
                "pipx run pd-gateway",
            ),
        ];
        for (program, command) in cached {
            let (launcher, args) = start_command(program);
            let started = [&[launcher.as_str()], args.as_slice()].concat().join(" ");
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
            assert_eq!(start_command(program), (program.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn an_update_of_homebrew_or_scoop_does_not_change_the_path() {
        for (program, path) in [
            (
                "/opt/homebrew/Cellar/pd-gateway/0.1.0/bin/pd-gateway",
                "/opt/homebrew/bin/pd-gateway",
            ),
            (
                r"C:\Users\me\scoop\apps\pd-gateway\0.1.0\pd-gateway.exe",
                r"C:\Users\me\scoop\apps\pd-gateway\current\pd-gateway.exe",
            ),
        ] {
            assert_eq!(start_command(program), (path.to_owned(), Vec::new()));
        }
    }
}
